// SPDX-License-Identifier: Apache-2.0
#include "store/measurements.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_range.h"
#include "base/text.h"

namespace parcast::store {
namespace {

const std::vector<std::string> kColumns{"program",        "machine", "p",       "processes",  "nodes",
                                        "ranks_per_node", "threads", "seconds", "measured_at"};

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Finds the columns that are parameters, and rejects other columns that look like a typing error.
Result<void> sort_columns(const Csv& csv, const std::vector<std::string>& known, MeasuredRuns& out) {
  std::vector<std::string> missing = kColumns;
  missing.insert(missing.end(), known.begin(), known.end());
  std::erase_if(missing, [&](const std::string& name) { return csv.column(name).has_value(); });
  for (const std::string& column : csv.columns) {
    if (holds(known, column)) {
      out.parameters.push_back(column);
    } else if (!holds(kColumns, column)) {
      if (const std::string guess = did_you_mean(column, missing); !guess.empty())
        return Error{"column " + column + " is neither known nor a parameter of a stored prediction",
                     csv.where, guess};
      out.ignored.push_back(column);
    }
  }
  return {};
}

/// Reads the fields of one row by column name.
class Fields {
 public:
  Fields(const Csv& csv, const CsvRow& row) : csv_(csv), row_(row) {}

  std::string text(std::string_view column) const {
    const auto at = csv_.column(column);
    return at ? row_.fields[*at] : "";
  }
  Result<double> number(const std::string& column) const {
    if (const auto value = parse_in_range(text(column))) return *value;
    return Error{column + " is \"" + text(column) + "\", which is " + std::string(fault_of(text(column))),
                 csv_.place(row_), "write it without a unit"};
  }
  Result<std::int32_t> count(const std::string& column) const {
    PARCAST_ASSIGN(const double value, number(column));
    if (value < 1 || value != std::floor(value) || value > std::numeric_limits<std::int32_t>::max())
      return Error{column + " is " + text(column) + ", but must be a whole number of at least 1",
                   csv_.place(row_), ""};
    return static_cast<std::int32_t>(value);
  }
  /// Returns 0 if the column is missing or empty.
  Result<std::int32_t> optional_count(const std::string& column) const {
    return text(column).empty() ? Result<std::int32_t>(0) : count(column);
  }

 private:
  const Csv& csv_;
  const CsvRow& row_;
};

Result<MeasuredRun> run_from(const Csv& csv, const CsvRow& row, const std::vector<std::string>& parameters) {
  const Fields fields(csv, row);
  MeasuredRun run;
  run.place = csv.place(row);
  run.line = row.line;
  Measurement& m = run.measurement;
  m.program = fields.text("program");
  m.machine = fields.text("machine");
  m.source = csv.where;
  m.measured_at = fields.text("measured_at");
  PARCAST_ASSIGN(m.point.processes, fields.count(csv.column("p") ? "p" : "processes"));
  PARCAST_ASSIGN(m.seconds, fields.number("seconds"));
  if (m.seconds <= 0)
    return Error{"seconds is " + fields.text("seconds") + ", but must be positive", run.place, ""};
  // A parameter may have the name of one of these columns; the column then holds the parameter.
  const auto reserved = [&](const std::string& name) {
    return holds(parameters, name) ? Result<std::int32_t>(0) : fields.optional_count(name);
  };
  PARCAST_ASSIGN(m.nodes, reserved("nodes"));
  PARCAST_ASSIGN(m.ranks_per_node, reserved("ranks_per_node"));
  PARCAST_ASSIGN(m.threads, reserved("threads"));
  for (const std::string& name : parameters) {
    if (name == "p" || fields.text(name).empty()) continue;
    PARCAST_ASSIGN(m.point.parameters[name], fields.number(name));
  }
  if (m.measured_at.empty()) return run;
  auto time = parse_time(m.measured_at);
  if (!time) return Error{"measured_at: " + time.error().what, run.place, time.error().hint};
  run.time = *time;
  return run;
}

/// Numbers rows that agree in all fields, because they are different runs.
void number_repeats(std::vector<MeasuredRun>& runs) {
  std::map<std::string, int> seen;
  for (MeasuredRun& run : runs) {
    const Measurement& m = run.measurement;
    std::vector<std::string> key{m.program, m.machine, m.measured_at, format_exact(m.seconds)};
    for (const int part : {m.point.processes, m.nodes, m.ranks_per_node, m.threads})
      key.push_back(std::to_string(part));
    for (const auto& [name, value] : m.point.parameters) key.push_back(name + "=" + format_exact(value));
    run.measurement.repeat = seen[join(key, "\n")]++;
  }
}

}  // namespace

Result<MeasuredRuns> measured_runs(const Csv& csv, const std::vector<std::string>& known) {
  if (!csv.column("p") && !csv.column("processes"))
    return Error{"there is no column p (or processes)", csv.where, did_you_mean("p", csv.columns)};
  if (!csv.column("seconds"))
    return Error{"there is no column seconds", csv.where, did_you_mean("seconds", csv.columns)};
  MeasuredRuns out;
  PARCAST_TRY(sort_columns(csv, known, out));
  for (const CsvRow& row : csv.rows) {
    PARCAST_ASSIGN(auto run, run_from(csv, row, out.parameters));
    out.runs.push_back(std::move(run));
  }
  if (out.runs.empty())
    return Error{"the file holds no measurement", csv.where, "every line after the header is one run"};
  number_repeats(out.runs);
  return out;
}

}  // namespace parcast::store
