// SPDX-License-Identifier: Apache-2.0
#include "report/sweep_text.h"

#include <algorithm>

#include "base/csv.h"
#include "base/plain_number.h"
#include "base/text.h"
#include "report/confidence.h"
#include "report/selection_text.h"
#include "report/sweep_axes.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using predict::Prediction;

double share(double part, const Prediction& point) {
  return point.seconds.value > 0 ? part / point.seconds.value : 0;
}

std::string title(const std::vector<Prediction>& points, const Style& style) {
  const Prediction& first = points.front();
  std::map<std::string, double> constant;
  for (const auto& [name, values] : distinct_values(points))
    if (values.size() == 1) constant[name] = *values.begin();
  std::string out = visible(first.program) + (constant.empty() ? "" : ", " + values_text(first, constant)) +
                    ", on " + visible(join(machines_of(points), ", "));
  return bold(style, out) + "\n\n";
}

bool with_limit(const std::vector<Prediction>& points) {
  return points.front().within_limit && points.front().question.limit;
}

double slowest(const std::vector<Prediction>& points) {
  double out = 0;
  for (const Prediction& point : points) out = std::max(out, point.seconds.value);
  return out;
}

/// Returns the first point on this point's machine.
const Prediction& first_there(const std::vector<Prediction>& points, const Prediction& point) {
  return *std::find_if(points.begin(), points.end(),
                       [&](const Prediction& each) { return each.machine == point.machine; });
}

std::string exact_number(double value) {
  return format_plain(value);
}

/// Returns the confidence at the point that is farthest from its value.
std::string how_sure(const std::vector<Prediction>& points, const Style& style) {
  const auto spread = [](const Prediction& point) {
    return point.seconds.value > 0 ? point.seconds.high / point.seconds.value : 0;
  };
  const Prediction& widest = *std::ranges::max_element(points, {}, spread);
  const std::string sentence = confidence_text(widest);
  if (sentence.empty()) return "";
  SweepValues varied;
  const auto values = values_of(widest);
  for (const std::string& name : varied_names(points))
    if (values.contains(name)) varied[name] = values.at(name);
  const std::string at = varied.empty() ? "" : "at " + values_text(widest, varied) + " ";
  return "\n" + wrapped(style, "  " + at + sentence, 4) + "\n";
}

}  // namespace

std::string sweep_text(const std::vector<Prediction>& points, const Style& style,
                       const explain::Standings& standings) {
  if (points.empty()) return "no points\n";
  const auto names = varied_names(points);
  const TimeScale scale(slowest(points));
  const bool strong =
      names == std::vector<std::string>{"p"};  // speedup applies to one problem on more processes
  const auto right = Column::Align::right;
  std::vector<Column> columns;
  const bool several = !standings.each.empty();
  for (const auto& name : names) columns.push_back({visible(name), right});
  if (several) columns.push_back({"machine", Column::Align::left, Column::Shrink::cut_end});
  columns.push_back({scale.unit(), right});
  const bool intervals = with_intervals(points);
  if (intervals)
    columns.push_back(
        {"interval (" + format_significant(100 * points.front().seconds.level, 2) + " %)", right});
  if (several)
    for (const char* column : {"best", "slower"}) columns.push_back({column, right});
  if (strong) columns.push_back({"speedup", right});
  if (with_limit(points)) columns.push_back({"within " + duration(*points.front().question.limit), right});
  for (const char* part : {"compute", "messages", "waiting", "node-h"}) columns.push_back({part, right});
  Table table(columns);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Prediction& point = points[i];
    const auto values = values_of(point);
    std::vector<std::string> cells;
    for (const auto& name : names)
      cells.push_back(values.contains(name) ? value_text(point, name, values.at(name)) : "");
    if (several) cells.push_back(point.machine);
    cells.push_back(scale.whole_text(point.seconds.value));
    if (intervals)
      cells.push_back(scale.whole_text(point.seconds.low) + " .. " + scale.whole_text(point.seconds.high));
    if (several) {
      const explain::Standing& standing = standings.each[i];
      cells.insert(cells.end(), {percent(standing.probability_best),
                                 standing.slower > 1 ? "x" + format_significant(standing.slower, 3) : ""});
    }
    if (strong)
      cells.push_back(format_significant(share(first_there(points, point).seconds.value, point), 3) + "x");
    if (with_limit(points)) cells.push_back(percent(point.within_limit.value_or(0)));
    const auto& parts = point.parts;
    cells.push_back(percent(share(parts.compute.value + parts.memory.value, point)));
    cells.push_back(percent(share(parts.message_startup.value + parts.transfer.value, point)));
    cells.push_back(percent(share(parts.wait.value, point)));
    cells.push_back(format_significant(point.node_hours.value, 3));
    table.add(cells);
  }
  const std::string warnings = sweep_warnings(points, style);
  const std::string meaning =
      several ? "\n" + wrapped(style, "  " + meaning_of_best(standings.shared), 2) + "\n" : "";
  return title(points, style) + table.text(style) + meaning + how_sure(points, style) +
         (warnings.empty() ? "" : "\n" + warnings);
}

std::string sweep_csv(const std::vector<Prediction>& points, const explain::Standings& standings) {
  const auto all = distinct_values(points);
  std::vector<std::string> names{"p"};
  for (const auto& [name, values] : all)
    if (name != "p") names.push_back(name);
  std::vector<std::string> head{"program", "machine", "engine"};
  for (const auto& name : names) head.push_back(csv_field(name));
  for (const char* name : {"nodes", "ranks_per_node", "threads", "seconds", "low", "high", "level", "origin",
                           "compute", "memory", "message_startup", "transfer", "wait", "node_hours"})
    head.emplace_back(name);
  const bool limited = !points.empty() && with_limit(points);
  if (limited) head.insert(head.end(), {"limit", "within_limit"});
  if (!standings.each.empty()) head.insert(head.end(), {"probability_best", "slower"});
  head.emplace_back("warnings");
  std::string out = join(head, ",") + "\n";
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Prediction& point = points[i];
    const auto values = values_of(point);
    std::vector<std::string> cells{csv_field(point.program), csv_field(point.machine),
                                   csv_field(point.engine)};
    for (const auto& name : names)
      cells.push_back(values.contains(name) ? exact_number(values.at(name)) : "");
    for (const int value : {point.nodes, point.ranks_per_node, point.question.threads})
      cells.push_back(std::to_string(value));
    const auto& s = point.seconds;
    for (const double value : {s.value, s.low, s.high, s.level}) cells.push_back(exact_number(value));
    cells.emplace_back(to_string(s.origin));
    const auto& parts = point.parts;
    for (const auto* part :
         {&parts.compute, &parts.memory, &parts.message_startup, &parts.transfer, &parts.wait})
      cells.push_back(exact_number(part->value));
    cells.push_back(exact_number(point.node_hours.value));
    if (limited)
      for (const auto& value : {point.question.limit, point.within_limit})
        cells.push_back(value ? exact_number(*value) : "");
    if (!standings.each.empty())
      for (const double value : {standings.each[i].probability_best, standings.each[i].slower})
        cells.push_back(exact_number(value));
    std::vector<std::string> codes;
    for (const auto& warning : point.warnings) codes.push_back(warning.code);
    cells.push_back(csv_field(join(codes, " ")));
    out += join(cells, ",") + "\n";
  }
  return out;
}

}  // namespace parcast::report
