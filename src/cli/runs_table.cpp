// SPDX-License-Identifier: Apache-2.0
#include "cli/runs_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/files.h"
#include "base/number_range.h"
#include "base/text.h"
#include "causes/probed_runs.h"
#include "causes/recorded_runs.h"
#include "cli/inputs.h"
#include "machine/machine.h"
#include "observations/arguments.h"
#include "predict/simulate/simulate.h"
#include "trace/from_recording.h"

namespace parcast::cli {
namespace {

using causes::Role;
using causes::Run;
using causes::Runs;

/// The role of a column with this name.
const std::vector<causes::Variable> kKnownVariables{
    {"operations", Role::work},     {"quantums", Role::work},          {"bytes", Role::work},
    {"messages", Role::work},       {"page_faults", Role::event},      {"major_faults", Role::event},
    {"swapped", Role::event},       {"cache_misses", Role::event},     {"waiting", Role::event},
    {"message_delay", Role::event}, {"context_switches", Role::event}, {"frequency", Role::speed}};
const std::vector<std::string> kColumns{"run",  "p",     "processes", "process",      "rank",
                                        "kind", "phase", "seconds",   "ideal_seconds"};

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The meaning of each column.
struct Layout {
  std::vector<causes::Variable> variables;
  std::vector<std::string> parameters;
};

Result<Layout> layout_of(const Csv& csv, const std::vector<std::string>& further) {
  for (const auto& [name, other] : {std::pair("p", "processes"), {"kind", ""}, {"seconds", ""}})
    if (!csv.column(name) && (std::string(other).empty() || !csv.column(other)))
      return Error{"there is no column " + std::string(name), csv.where,
                   "parcast explain -h lists the columns of a table of runs"};
  for (const auto& [one, other] : {std::pair("p", "processes"), {"process", "rank"}})
    if (csv.column(one) && csv.column(other))
      return Error{"columns " + std::string(one) + " and " + other + " mean the same", csv.where,
                   "leave one of them out"};
  for (const std::string& name : further)
    if (!csv.column(name))
      return Error{"there is no column " + name + " for --candidate", csv.where,
                   did_you_mean(name, csv.columns)};
  Layout out;
  std::vector<std::string> absent;
  for (const std::string& name : kColumns)
    if (!csv.column(name)) absent.push_back(name);
  for (const auto& known : kKnownVariables)
    if (!csv.column(known.name)) absent.push_back(known.name);
  for (const std::string& column : csv.columns) {
    const auto known = std::find_if(kKnownVariables.begin(), kKnownVariables.end(),
                                    [&](const auto& variable) { return variable.name == column; });
    if (known != kKnownVariables.end()) {
      out.variables.push_back(*known);
    } else if (holds(further, column)) {
      out.variables.push_back({column, Role::event});
    } else if (!holds(kColumns, column)) {
      if (const std::string guess = column.size() > 2 ? did_you_mean(column, absent) : ""; !guess.empty())
        return Error{"column " + column + " is not known", csv.where, guess};
      out.parameters.push_back(column);
    }
  }
  return out;
}

class Fields {
 public:
  Fields(const Csv& csv, const CsvRow& row) : csv_(csv), row_(row) {}
  std::string text(const std::string& column) const {
    const auto at = csv_.column(column);
    return at ? row_.fields[*at] : "";
  }
  Result<double> number(const std::string& column, const char* hint = "write it without a unit") const {
    if (const auto value = parse_in_range(text(column))) return *value;
    const auto fault = fault_of(text(column));
    return Error{column + " is \"" + text(column) + "\", which is " + std::string(fault), csv_.place(row_),
                 fault == kNoNumber ? hint : kRangeHint};
  }
  Result<double> number_or(const std::string& column, double otherwise) const {
    return text(column).empty()
               ? Result<double>(otherwise)
               : number(column, "write it without a unit, and leave it empty where it was not measured");
  }
  Result<std::int32_t> whole(const std::string& column, std::int32_t least) const {
    PARCAST_ASSIGN(const double value, number(column));
    if (value < least || value != std::floor(value) || value > std::numeric_limits<std::int32_t>::max())
      return Error{column + " is " + text(column) + ", but must be a whole number of at least " +
                       std::to_string(least),
                   csv_.place(row_), ""};
    return static_cast<std::int32_t>(value);
  }
  Error error(std::string what, std::string hint) const {
    return {std::move(what), csv_.place(row_), std::move(hint)};
  }

 private:
  const Csv& csv_;
  const CsvRow& row_;
};

using RunKey = std::tuple<std::string, std::int32_t, std::map<std::string, double>>;

/// The runs so far, and the phases already seen.
struct Gathered {
  std::vector<RunKey> order;
  std::map<RunKey, Run> runs;
  std::set<std::tuple<RunKey, std::int32_t, causes::PhaseClass>> seen;
};

Result<causes::Phase> phase_from(const Csv& csv, const Fields& fields, const Layout& layout) {
  causes::Phase phase;
  if (const std::string column = csv.column("process") ? "process" : "rank"; csv.column(column)) {
    PARCAST_ASSIGN(phase.process, fields.whole(column, 0));
  }
  const auto kind = causes::kind_named(fields.text("kind"));
  if (!kind) {
    const std::vector<std::string> kinds{"computation", "communication", "idle"};
    const std::string guess = did_you_mean(fields.text("kind"), kinds);
    return fields.error("kind is \"" + fields.text("kind") + "\"",
                        guess.empty() ? "it is computation, communication or idle" : guess);
  }
  phase.kind = *kind;
  phase.name = fields.text("phase");
  PARCAST_ASSIGN(phase.seconds, fields.number("seconds"));
  if (phase.seconds < 0) return fields.error("seconds is " + fields.text("seconds"), "times are 0 or more");
  for (const auto& variable : layout.variables) {
    PARCAST_ASSIGN(const double value, fields.number_or(variable.name, causes::kNotMeasured));
    if (value < 0)
      return fields.error(variable.name + " is " + fields.text(variable.name), "counts are 0 or more");
    phase.values.push_back(value);
  }
  return phase;
}

Result<void> take_row(const Csv& csv, const CsvRow& row, const Layout& layout, Gathered& gathered) {
  const Fields fields(csv, row);
  RunKey key{fields.text("run"), 0, {}};
  PARCAST_ASSIGN(std::get<1>(key), fields.whole(csv.column("p") ? "p" : "processes", 1));
  for (const std::string& name : layout.parameters) {
    PARCAST_ASSIGN(std::get<2>(key)[name], fields.number(name));
  }
  PARCAST_ASSIGN(causes::Phase phase, phase_from(csv, fields, layout));
  if (!gathered.seen.insert({key, phase.process, {phase.kind, phase.name}}).second)
    return fields.error("process " + std::to_string(phase.process) + " has this phase in this run already",
                        "distinguish runs at the same point by a column run");
  const auto [at, added] = gathered.runs.try_emplace(key, Run{std::get<2>(key), std::get<1>(key), {}, {}});
  if (added) gathered.order.push_back(key);
  PARCAST_ASSIGN(const double ideal, fields.number_or("ideal_seconds", causes::kNotMeasured));
  if (!std::isnan(ideal) && at->second.ideal_seconds.value_or(ideal) != ideal)
    return fields.error("ideal_seconds is " + fields.text("ideal_seconds") + ", but " +
                            format_exact(*at->second.ideal_seconds) + " in another row of this run",
                        "a run has one time on the ideal network");
  if (!std::isnan(ideal)) at->second.ideal_seconds = ideal;
  at->second.phases.push_back(std::move(phase));
  return {};
}

/// Returns the time of the run where messages cost nothing, in seconds: then ranks wait only for each other.
/// Nothing, with a note, if the run cannot be replayed, or if its replay takes longer than the run.
std::optional<double> ideal_seconds(const recording::Recording& recording, const Run& run,
                                    std::vector<std::string>& notes) {
  const auto lacks = [&](const std::string& why) {
    notes.push_back(causes::point_text(run) +
                    ": communication is not split into serialisation and transfer, since " + why);
    return std::nullopt;
  };
  const auto traced = trace::from_recording(recording);
  if (!traced) return lacks(traced.error().what);
  const auto platform = simulate::platform_of(machine::ideal_machine(), traced->trace.ranks);
  if (!platform) return lacks(platform.error().what);
  const auto outcome = simulate::simulate(traced->trace, *platform);
  if (!outcome) return lacks(outcome.error().what);
  if (!outcome->waiting.empty()) return lacks("its replay hangs");
  const std::vector<double> computing = causes::seconds_by_process(run, causes::Kind::computation);
  // Marks of regions compute for a moment that is not in the trace.
  const double seconds = std::max(static_cast<double>(outcome->makespan) * 1e-12,
                                  *std::max_element(computing.begin(), computing.end()));
  if (seconds > causes::longest(run))
    return lacks("its replay on an ideal network takes longer than the run");
  return seconds;
}

}  // namespace

Result<Runs> runs_from(const Csv& csv, const std::vector<std::string>& further) {
  PARCAST_ASSIGN(const Layout layout, layout_of(csv, further));
  Gathered gathered;
  for (const CsvRow& row : csv.rows) PARCAST_TRY(take_row(csv, row, layout, gathered));
  if (gathered.order.empty())
    return Error{"the table holds no run", csv.where, "every line after the header is a phase of a process"};
  Runs runs{layout.variables, {}, {}};
  for (const RunKey& key : gathered.order) runs.runs.push_back(std::move(gathered.runs.at(key)));
  if (auto checked = causes::check(runs); !checked) {
    Error error = checked.error();
    error.where = csv.where + ", " + error.where;
    if (!layout.parameters.empty())
      error.hint += "; taken for parameters: " + join(layout.parameters, ", ") +
                    " (--candidate NAME takes a column for a possible cause)";
    return error;
  }
  return runs;
}

Result<Runs> runs_of(const std::vector<recording::Recording>& recordings) {
  if (causes::all_given_phases(recordings)) return causes::probed_runs(recordings);
  PARCAST_ASSIGN(Runs runs, causes::recorded_runs(recordings));
  for (std::size_t i = 0; i < recordings.size(); ++i)
    runs.runs[i].ideal_seconds = ideal_seconds(recordings[i], runs.runs[i], runs.notes);
  return runs;
}

Result<Runs> load_runs(const std::vector<std::string>& inputs, const std::vector<std::string>& further) {
  if (inputs.size() == 1 && kind_of(inputs[0]) != "a recording") {
    PARCAST_ASSIGN(const std::string text, read_file(inputs[0]));
    PARCAST_ASSIGN(const Csv csv, parse_csv(text, inputs[0]));
    return runs_from(csv, further);
  }
  std::vector<recording::Recording> recordings;
  for (const std::string& name : inputs) {
    if (kind_of(name) != "a recording")
      return Error{name + " is not a recording", "", "give recordings, or one table of runs"};
    PARCAST_ASSIGN(recordings.emplace_back(), recording::read_recording(name));
  }
  const std::vector<program::Notice> arguments = program::take_arguments(recordings);
  PARCAST_ASSIGN(Runs runs, runs_of(recordings));
  for (const program::Notice& notice : arguments) runs.notes.push_back(notice.text);
  return runs;
}

}  // namespace parcast::cli
