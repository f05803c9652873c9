// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/number_range.h"
#include "base/shell.h"
#include "base/text.h"
#include "interchange/measurement_collector.h"
#include "interchange/measurement_columns.h"
#include "interchange/measurement_forms.h"
#include "interchange/measurement_ranks.h"
#include "interchange/measurement_table.h"

namespace parcast::interchange {
namespace {

/// Reads the rows with the given roles of columns.
class CsvValues {
 public:
  CsvValues(MeasurementTable& table, const std::vector<ColumnFacts>& columns,
            const std::vector<ColumnRole>& roles, const MeasurementOptions& options,
            MeasurementCollector& collector, const std::string& where)
      : table_(table), columns_(columns), options_(options), collector_(collector), where_(where) {
    for (std::size_t i = 0; i < columns_.size(); ++i) of_[static_cast<std::size_t>(roles[i])].push_back(i);
    sort_parameters();
  }

  Result<void> read() {
    PARCAST_TRY(check_largest());
    for (;;) {
      PARCAST_ASSIGN(const bool more, table_.next());
      if (!more) break;
      PARCAST_TRY(row());
    }
    ranks_.finish(collector_, where_);
    kinds_.tell(collector_);
    return {};
  }

  std::vector<std::string> parameters() const {
    std::vector<std::string> names;
    for (const std::size_t i : parameters_) names.push_back(columns_[i].name);
    return names;
  }

 private:
  struct Run {
    std::uint32_t kernel, point, repetition;
    bool operator==(const Run&) const = default;
  };
  struct HashOfRun {
    std::size_t operator()(const Run& run) const {
      const std::uint64_t place = (std::uint64_t{run.kernel} << 32 | run.point) * 0x9E3779B97F4A7C15u;
      return static_cast<std::size_t>((place ^ place >> 29) + run.repetition * 0xBF58476D1CE4E5B9u);
    }
  };
  struct First {  // first value of a repetition, or of a point without repetitions
    double value = 0;
    int line = 0;
  };

  const std::string& cell(std::size_t column) const { return table_.cells()[column]; }
  const std::vector<std::size_t>& columns(ColumnRole role) const {
    return of_[static_cast<std::size_t>(role)];
  }
  Error error(const std::string& what, const std::string& hint) const { return {what, table_.place(), hint}; }

  void tell(const std::string& what) {
    kinds_.add([&] { return table_.place(); }, what);
  }

  /// With values per rank, fails if the maximum of a metric would have the name of another metric.
  Result<void> check_largest() const {
    if (columns(ColumnRole::rank).empty()) return {};
    for (const std::size_t i : columns(ColumnRole::metric))
      for (const std::size_t j : columns(ColumnRole::metric))
        if (columns_[j].name == name_of_largest(columns_[i].name))
          return Error{"the largest " + columns_[i].name + " of ranks is called " + columns_[j].name +
                           ", and there is such a column",
                       where_, "give it another name, or name the metrics: --metrics " + columns_[i].name};
    return {};
  }

  void sort_parameters() {
    parameters_ = columns(ColumnRole::parameter);
    const auto& given = options_.parameters;
    if (!given.empty())
      std::ranges::sort(parameters_, {},
                        [&](std::size_t i) { return std::ranges::find(given, columns_[i].name); });
  }

  Result<void> row() {
    PARCAST_ASSIGN(const bool has_point, point());
    if (!has_point) return {};
    callpath_ = callpath();
    repetition_ = text_of(ColumnRole::repetition);
    for (const std::size_t i : columns(ColumnRole::metric)) PARCAST_TRY(value(columns_[i].name, i));
    for (const std::size_t i : columns(ColumnRole::value)) {
      const std::string& metric = cell(columns(ColumnRole::metric_name).front());
      if (metric.empty())
        return error("the row names no metric",
                     "every row of a column `value` needs one in its column `metric`");
      if (options_.metrics.empty() || std::ranges::find(options_.metrics, metric) != options_.metrics.end())
        PARCAST_TRY(value(metric, i));
    }
    return {};
  }

  /// Reads the coordinates. Returns false if a parameter has no value in the row.
  Result<bool> point() {
    coordinates_.clear();
    for (const std::size_t i : parameters_) {
      const CellValue read = value_of(cell(i));
      if (read.kind == Cell::text)
        return error(columns_[i].name + " is \"" + cell(i) + "\", which is not a number",
                     "a parameter is a number without a unit");
      if (read.kind != Cell::number) {
        tell(columns_[i].name +
             (read.kind == Cell::extreme ? " is " + std::string(read.fault) : " has no value") +
             ", and the row is left out");
        return false;
      }
      coordinates_.push_back(read.number);
    }
    return true;
  }

  std::string callpath() {
    std::string out;
    const auto& places = columns(ColumnRole::place);
    for (const std::size_t i : places) {
      if (i != places.front()) out += "->";
      out += cell(i).empty() && places.size() > 1 ? "-" : cell(i);
    }
    return out;
  }

  /// Returns the cells of the columns with this role; empty if the row has none.
  std::string text_of(ColumnRole role) const {
    const auto& numbers = columns(role);
    std::string out;
    if (std::ranges::any_of(numbers, [&](std::size_t i) { return !cell(i).empty(); }))
      for (const std::size_t i : numbers) out += cell(i) + "\n";
    return out;
  }

  Result<void> value(const std::string& metric, std::size_t column) {
    const CellValue read = value_of(cell(column));
    const std::string& name = columns_[column].name;
    if (read.kind == Cell::text) {
      if (has_decimal_comma(cell(column)))
        return error(name + " is " + cell(column) + ", with a comma in the number",
                     "write numbers with a point: 1.5");
      return error(name + " is \"" + cell(column) + "\", which is not a number",
                   "write numbers without a unit; a column's name may have it: time_us");
    }
    if (read.kind == Cell::extreme) {
      tell(name + " is " + std::string(read.fault) + ", which is left out");
      return {};
    }
    if (read.kind != Cell::number) {
      tell(name + " is " + (cell(column).empty() ? "empty" : cell(column)) + ", which is left out");
      return {};
    }
    PARCAST_TRY(unit(metric));
    const std::size_t kernel = collector_.kernel(callpath_, metric), point = collector_.point(coordinates_);
    const std::string rank = text_of(ColumnRole::rank);
    PARCAST_ASSIGN(
        const bool is_new,
        is_new_run(kernel, point, repetition_.empty() ? repetition_ : repetition_ + rank, read.number));
    if (!is_new) return {};
    if (columns(ColumnRole::rank).empty()) return collector_.add(kernel, point, read.number), Result<void>{};
    if (rank.empty())
      return error("the row has no rank", "every row of a table with a column of ranks needs one");
    const std::string largest = name_of_largest(metric);
    collector_.note_largest(largest, metric);
    ranks_.add(kernel, collector_.kernel(callpath_, largest), point, repetition_, rank, read.number);
    return {};
  }

  Result<void> unit(const std::string& metric) {
    for (const std::size_t i : columns(ColumnRole::unit)) {
      if (cell(i).empty()) continue;
      if (const auto given = collector_.set_unit(metric, cell(i)); !given)
        return error(given.error().what, given.error().hint);
    }
    return {};
  }

  /// Returns false if the same run was read before. Fails if it was read with another value.
  Result<bool> is_new_run(std::size_t kernel, std::size_t point, const std::string& run, double value) {
    const auto& others = columns(ColumnRole::other);
    if (others.empty() && repetition_.empty()) return true;
    const auto number =
        static_cast<std::uint32_t>(repetitions_.try_emplace(run, repetitions_.size()).first->second);
    const Run key{static_cast<std::uint32_t>(kernel), static_cast<std::uint32_t>(point), number};
    const auto [at, is_new] = runs_.try_emplace(key, First{value, table_.line()});
    if (is_new) {
      if (others.empty()) return true;
      const auto [other, is_first] = others_.try_emplace(table_.line());
      for (std::size_t n = 0; is_first && n < others.size(); ++n) other->second.push_back(cell(others[n]));
      return true;
    }
    if (repetition_.empty()) return note_differences(at->second), true;
    if (at->second.value != value) return contradiction(at->second);
    tell("the same repetition with the same value precedes, and counts once");
    return false;
  }

  /// Returns the names of columns, neither parameters nor metrics, in which the current row differs from an
  /// earlier one.
  std::vector<std::string> differences(int line) const {
    std::vector<std::string> names;
    const auto& others = columns(ColumnRole::other);
    if (others.empty()) return names;
    const std::vector<std::string>& before = others_.at(line);
    for (std::size_t n = 0; n < others.size(); ++n)
      if (before[n] != cell(others[n])) names.push_back(columns_[others[n]].name);
    return names;
  }

  void note_differences(const First& first) {
    for (const std::string& name : differences(first.line))
      tell(name + " is another than in a row before, and both are taken as runs of one point");
  }

  Result<bool> contradiction(const First& first) {
    const std::vector<std::string> names = differences(first.line);
    return error(
        "the same repetition of " + described() + " has another value in line " + std::to_string(first.line),
        names.empty() ? "number the repetitions, or take the rows apart"
                      : "is " + names.front() + " a parameter? name it: --parameters " +
                            shell_quoted(join(parameters(), ",") + "," + names.front()));
  }

  std::string described() const {
    std::string out = callpath_;
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      out +=
          (out.empty() ? "" : ", ") + columns_[parameters_[i]].name + " = " + format_exact(coordinates_[i]);
    return out;
  }

  MeasurementTable& table_;
  const std::vector<ColumnFacts>& columns_;
  const MeasurementOptions& options_;
  MeasurementCollector& collector_;
  const std::string& where_;
  RankValues ranks_;
  std::array<std::vector<std::size_t>, static_cast<std::size_t>(ColumnRole::unused) + 1> of_;
  std::vector<std::size_t> parameters_;
  std::vector<double> coordinates_;
  std::string callpath_, repetition_;
  // numbers of the texts that distinguish repetitions
  std::unordered_map<std::string, std::size_t> repetitions_;
  std::unordered_map<Run, First, HashOfRun> runs_;
  std::unordered_map<int, std::vector<std::string>> others_;  // by line
  FirstOfKind kinds_;
};

}  // namespace

Result<fit::Measurements> measurements_from_csv(std::string_view text, const std::string& where,
                                                const MeasurementOptions& options) {
  PARCAST_ASSIGN(MeasurementTable table, MeasurementTable::open(text, where));
  PARCAST_ASSIGN(const std::vector<ColumnFacts> columns, facts_of(table, where));
  MeasurementCollector collector;
  PARCAST_ASSIGN(const auto roles, roles_of(columns, options, where, collector));
  CsvValues values(table, columns, roles, options, collector, where);
  PARCAST_TRY(values.read());
  PARCAST_ASSIGN(fit::Measurements out, collector.finish(values.parameters(), options.unit, where));
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (const auto number = constant_number(columns[i]); number && roles[i] == ColumnRole::unused)
      out.constants.emplace(columns[i].name, *number);
  return out;
}

Result<std::string> measurements_to_csv(const fit::Measurements& measurements) {
  for (const std::string& name : measurements.parameters)
    if (role_by_name(name))
      return Error{"a parameter called " + name + " would be read back from CSV as something else", "",
                   "give it another name, or write .json"};
  const bool units = std::ranges::any_of(measurements.kernels,
                                         [](const fit::Kernel& kernel) { return !kernel.unit.empty(); });
  std::string out = units ? "callpath,metric,unit," : "callpath,metric,";
  for (const std::string& name : measurements.parameters) out += csv_field(name) + ",";
  out += "repetition,value\n";
  for (const fit::Kernel& kernel : measurements.kernels) {
    const std::string head = csv_field(kernel.callpath) + "," + csv_field(kernel.metric) + "," +
                             (units ? csv_field(kernel.unit) + "," : "");
    for (std::size_t p = 0; p < kernel.points.size(); ++p) {
      std::string row = head;
      for (const double x : kernel.points[p]) row += format_exact(x) + ",";
      for (std::size_t r = 0; r < kernel.values[p].size(); ++r)
        out += row + std::to_string(r + 1) + "," + format_exact(kernel.values[p][r]) + "\n";
    }
  }
  return out;
}

}  // namespace parcast::interchange
