// SPDX-License-Identifier: Apache-2.0
#include "report/validation_text.h"

#include <set>

#include "base/plain_number.h"
#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using store::ValidatedPoint;
using store::Validation;
using store::ValidationSummary;

/// The programs, machines and parameters that differ between points, which get a column; shared ones are
/// printed above.
struct Varied {
  bool program = false, machine = false;
  std::vector<std::string> parameters;
  std::map<std::string, double> constant;
};

Varied varied_of(const std::vector<ValidatedPoint>& points) {
  Varied out;
  std::map<std::string, std::set<double>> values;
  for (const ValidatedPoint& point : points) {
    out.program |= point.program != points.front().program;
    out.machine |= point.machine != points.front().machine;
    for (const auto& [name, value] : point.parameters) values[name].insert(value);
  }
  for (const auto& [name, seen] : values) {
    if (seen.size() > 1) {
      out.parameters.push_back(name);
    } else {
      out.constant[name] = *seen.begin();
    }
  }
  return out;
}

std::string points_table(const Validation& validation, const Varied& varied, const Style& style) {
  const auto right = Column::Align::right;
  std::vector<Column> columns;
  if (varied.program) columns.push_back({"program", Column::Align::left, Column::Shrink::cut_end});
  if (varied.machine) columns.push_back({"machine", Column::Align::left, Column::Shrink::cut_end});
  columns.push_back({"p", right});
  for (const auto& name : varied.parameters) columns.push_back({visible(name), right});
  for (const Column& column : {Column{"predicted", right}, Column{"interval"}, Column{"measured", right},
                               Column{"runs", right}, Column{"error", right}, Column{""}})
    columns.push_back(column);
  Table table(columns);
  for (const ValidatedPoint& point : validation.points) {
    std::vector<std::string> cells;
    if (varied.program) cells.push_back(point.program);
    if (varied.machine) cells.push_back(point.machine);
    cells.push_back(std::to_string(point.processes));
    for (const auto& name : varied.parameters) {
      const auto at = point.parameters.find(name);
      cells.push_back(at == point.parameters.end() ? "" : format_plain(at->second));
    }
    for (const std::string& cell :
         {format_seconds(point.predicted), format_seconds(point.low) + " .. " + format_seconds(point.high),
          format_seconds(point.measured), std::to_string(point.runs), signed_percent(point.error),
          std::string(point.hit ? "hit" : "missed")})
      cells.push_back(cell);
    table.add(cells);
  }
  return table.text(style);
}

std::string programs_table(const Validation& validation, const Style& style) {
  if (validation.programs.size() < 2) return "";
  const auto right = Column::Align::right;
  Table table({{"program", Column::Align::left, Column::Shrink::cut_end},
               {"points", right},
               {"median |error|", right},
               {"90 % below", right},
               {"worst", right},
               {"mean", right},
               {"coverage", right}});
  for (const ValidationSummary& each : validation.programs)
    table.add({each.program, std::to_string(each.points), size_percent(each.median_error),
               size_percent(each.p90_error), size_percent(each.worst_error), signed_percent(each.mean_error),
               percent(each.coverage)});
  return "\n" + table.text(style) +
         "  mean over programs of the median |error|: " + size_percent(validation.mean_of_programs) + "\n";
}

std::string summary_lines(const Validation& validation, const Style& style) {
  const ValidationSummary& all = validation.all;
  const std::string errors = "  |error|    median " + size_percent(all.median_error) + ", 90 % below " +
                             size_percent(all.p90_error) + ", worst " + size_percent(all.worst_error) +
                             "; mean " + signed_percent(all.mean_error);
  const std::string intervals = "  intervals  hold " + format_significant(100 * all.coverage, 3) + " % of " +
                                counted(all.points, "point") + ", should hold " +
                                format_significant(100 * all.level, 3) + " %; width " +
                                format_significant(100 * all.width, 2) + " % of the time, interval score " +
                                format_significant(100 * all.interval_score, 2) + " %";
  return wrapped(style, errors, 13) + "\n" + wrapped(style, intervals, 13) + "\n";
}

std::string unanswered_lines(const Validation& validation, const Style& style) {
  if (validation.unanswered.empty()) return "";
  const auto total = validation.points.size() + validation.unanswered.size();
  std::string out =
      alert(style, "  ! " + std::to_string(validation.unanswered.size()) + " of " +
                       counted(static_cast<std::int64_t>(total), "point") + " have no prediction:") +
      "\n";
  for (const auto& point : validation.unanswered) {
    out += "    line " + std::to_string(point.line) + ": " +
           (point.program.empty() ? "" : visible(point.program) + ", ") +
           "p = " + std::to_string(point.processes);
    if (!point.parameters.empty()) out += ", " + parameters_text(point.parameters);
    out += "\n";
  }
  return out;
}

}  // namespace

std::string validation_text(const Validation& validation, const Style& style) {
  if (validation.points.empty()) return unanswered_lines(validation, style);
  const Varied varied = varied_of(validation.points);
  const ValidatedPoint& first = validation.points.front();
  std::string title =
      varied.program ? std::to_string(validation.programs.size()) + " programs" : visible(first.program);
  title += varied.machine ? " on several machines" : " on " + visible(first.machine);
  if (!varied.constant.empty()) title += ", " + parameters_text(varied.constant);
  title += ": predictions stored before " + counted(validation.all.runs, "run");
  if (validation.published)
    title = title.substr(0, title.rfind(':')) + ": against published data (times were not looked at)";
  std::string out = bold(style, wrapped(style, title, 4)) + "\n\n" + points_table(validation, varied, style) +
                    programs_table(validation, style) + "\n" + summary_lines(validation, style) +
                    unanswered_lines(validation, style);
  for (const std::string& note : validation.notes) out += wrapped(style, "  ! " + visible(note), 4) + "\n";
  return out;
}

}  // namespace parcast::report
