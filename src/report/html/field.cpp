// SPDX-License-Identifier: Apache-2.0
#include "report/html/field.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/plain_number.h"
#include "base/text.h"
#include "explain/isoefficiency.h"
#include "report/contours.h"
#include "report/html/field_chart.h"
#include "report/html/markup.h"
#include "report/html/sections.h"

namespace parcast::report::html {
namespace {

constexpr double kEfficiencies[] = {0.5, 0.7, 0.8, 0.9};
constexpr std::size_t kMostFieldRegions = 3;
constexpr double kLeastFieldShare = 0.05;  // at some point, of a region that gets a chart

std::optional<double> seconds_at(const Field& field, std::size_t size, std::size_t process) {
  const auto& point = field.at(size, process);
  return point ? std::optional(point->seconds.value) : std::nullopt;
}

template <class Value>
std::vector<std::optional<double>> values_of(const Field& field, const Value& value) {
  std::vector<std::optional<double>> out;
  for (std::size_t size = 0; size < field.sizes.size(); ++size)
    for (std::size_t process = 0; process < field.processes.size(); ++process)
      out.push_back(value(size, process));
  return out;
}

FieldChart empty_field(const Report& report, const std::string& name, Unit unit) {
  const Field& field = report.field;
  FieldChart out;
  out.name = name, out.x_title = "processes", out.y_title = field.parameter, out.unit = unit;
  out.x.assign(field.processes.begin(), field.processes.end());
  out.y = field.sizes;
  const program::Point& asked = report.prediction.question.point;
  out.asked_x = asked.processes;
  if (const auto size = asked.parameters.find(field.parameter); size != asked.parameters.end())
    out.asked_y = size->second;
  if (!report.model.written_in.empty() || report.model.processes.empty()) return out;
  out.recorded_x = report.model.processes.back();
  for (const program::Parameter& each : report.model.parameters)
    if (each.name == field.parameter && !each.values.empty())
      out.recorded_y = *std::ranges::max_element(each.values);
  return out;
}

/// Returns round levels between the smallest and the largest value.
std::vector<double> levels_of(const std::vector<std::optional<double>>& values) {
  double low = INFINITY, high = 0;
  for (const auto& value : values)
    if (value && *value > 0 && std::isfinite(*value))
      low = std::min(low, *value), high = std::max(high, *value);
  return low < high ? contours::round_levels(low, high) : std::vector<double>();
}

std::string time_field(const Report& report) {
  FieldChart chart = empty_field(report, "Time", Unit::seconds);
  chart.values =
      values_of(report.field, [&](auto size, auto p) { return seconds_at(report.field, size, p); });
  chart.levels = levels_of(chart.values);
  chart.is_logarithmic = true;
  return field_chart(chart);
}

std::string efficiency_chart(const Report& report) {
  FieldChart chart = empty_field(report, "Efficiency", Unit::percent);
  chart.values =
      values_of(report.field, [&](auto size, auto p) { return efficiency_at(report.field, size, p); });
  chart.levels = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  return field_chart(chart);
}

std::string uncertainty_chart(const Report& report) {
  FieldChart chart = empty_field(report, "Half of the interval, of the time", Unit::percent);
  chart.values =
      values_of(report.field, [&](auto size, auto p) { return uncertainty_at(report.field, size, p); });
  chart.levels = levels_of(chart.values);
  chart.is_logarithmic = true;
  return field_chart(chart);
}

/// Returns the regions whose share changes most over the field.
std::vector<std::string> changing_regions(const Field& field) {
  std::vector<std::pair<double, std::string>> out;
  std::vector<std::string> seen;
  for (const auto& point : field.points)
    for (const predict::RegionTime& region : point ? point->regions : std::vector<predict::RegionTime>())
      if (std::ranges::find(seen, region.path) == seen.end()) seen.push_back(region.path);
  for (const std::string& path : seen) {
    double low = 1, high = 0;
    for (const auto& share :
         values_of(field, [&](auto size, auto p) { return share_at(field, path, size, p); }))
      if (share) low = std::min(low, *share), high = std::max(high, *share);
    if (high >= kLeastFieldShare && high - low >= kLeastFieldShare) out.emplace_back(high - low, path);
  }
  std::ranges::stable_sort(out, std::greater(), &std::pair<double, std::string>::first);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < out.size() && i < kMostFieldRegions; ++i) paths.push_back(out[i].second);
  return paths;
}

std::string share_charts(const Report& report) {
  std::string out;
  for (const std::string& path : changing_regions(report.field)) {
    FieldChart chart = empty_field(report, "Share of " + path, Unit::percent);
    chart.values =
        values_of(report.field, [&](auto size, auto p) { return share_at(report.field, path, size, p); });
    chart.levels = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
    out += field_chart(chart);
  }
  return out.empty() ? "" : "<h3>Regions whose share changes most</h3>\n" + element("div", "charts", out);
}

std::string size_text(const std::optional<explain::IsoefficientSize>& size) {
  if (!size) return "more than asked here";
  return (size->is_bound ? "at most " : "") + format_significant(size->size, 3);
}

/// Returns the sizes that keep an efficiency, by processes.
std::string isoefficiency_table(const Report& report) {
  const Field& field = report.field;
  std::vector<Table::Column> columns{{"processes", true}};
  for (const double efficiency : kEfficiencies)
    columns.push_back({field.parameter + " for " + in_percent(efficiency), true});
  Table table("Size that keeps the efficiency", columns);
  for (std::size_t process = 0; process < field.processes.size(); ++process) {
    std::vector<std::pair<double, double>> known;
    for (std::size_t size = 0; size < field.sizes.size(); ++size)
      if (const auto efficiency = efficiency_at(field, size, process))
        known.emplace_back(field.sizes[size], *efficiency);
    if (field.processes[process] < 2 || known.size() < 2) continue;
    std::vector<Cell> cells{plain(std::to_string(field.processes[process]))};
    for (const double efficiency : kEfficiencies) {
      const auto size = explain::isoefficient_size(known, efficiency);
      cells.push_back({text(size_text(size)), size ? format_exact(size->size) : ""});
    }
    table.add(cells);
  }
  if (table.empty()) return "";
  return "<h3>Isoefficiency: how large a problem more processes need</h3>\n<p>The least " +
         text(field.parameter) +
         " with which the efficiency over the model's own time on one process is reached. It lies between "
         "predicted "
         "sizes; its lines are those of the chart of efficiency.</p>\n" +
         table.html();
}

std::string values_table(const Field& field) {
  Table table("Predictions by processes and size", {{"processes", true},
                                                    {field.parameter, true},
                                                    {"time", true},
                                                    {"from", true},
                                                    {"to", true},
                                                    {"efficiency", true},
                                                    {"half of the interval", true}});
  const auto percent_cell = [](const std::optional<double>& value) {
    return value ? Cell{text(in_percent(*value)), format_significant(*value, 6)} : Cell{"&ndash;", ""};
  };
  for (std::size_t size = 0; size < field.sizes.size(); ++size)
    for (std::size_t p = 0; p < field.processes.size(); ++p)
      if (const auto& point = field.at(size, p))
        table.add({plain(std::to_string(field.processes[p])), plain(format_plain(field.sizes[size])),
                   seconds_cell(point->seconds.value), seconds_cell(point->seconds.low),
                   seconds_cell(point->seconds.high), percent_cell(efficiency_at(field, size, p)),
                   percent_cell(uncertainty_at(field, size, p))});
  return folded("Values by processes and " + field.parameter, table.html());
}

}  // namespace

std::optional<double> efficiency_at(const Field& field, std::size_t size, std::size_t process) {
  const auto& one = field.at(size, 0);
  const auto& point = field.at(size, process);
  if (field.processes[0] != 1 || !one || !point || !(point->seconds.value > 0)) return std::nullopt;
  return one->seconds.value / (field.processes[process] * point->seconds.value);
}

std::optional<double> uncertainty_at(const Field& field, std::size_t size, std::size_t process) {
  const auto& point = field.at(size, process);
  if (!point || !(point->seconds.value > 0) || !(point->seconds.level > 0)) return std::nullopt;
  return (point->seconds.high - point->seconds.low) / 2 / point->seconds.value;
}

std::optional<double> share_at(const Field& field, const std::string& region, std::size_t size,
                               std::size_t process) {
  const auto& point = field.at(size, process);
  if (!point || !(point->seconds.value > 0)) return std::nullopt;
  double seconds = 0;
  for (const predict::RegionTime& each : point->regions)
    if (each.path == region) seconds += each.seconds.value;
  return seconds / point->seconds.value;
}

std::string field(const Report& report) {
  if (report.field.parameter.empty()) return "";
  const std::string charts = time_field(report) + efficiency_chart(report) + uncertainty_chart(report);
  if (charts.empty()) return "";
  const std::string& note = report.field.note;
  return "<p>All other values are those of the question. Each line joins points of one value." +
         (note.empty() ? "" : " " + text(note)) + "</p>\n" + element("div", "charts", charts) +
         share_charts(report) + isoefficiency_table(report) + values_table(report.field);
}

}  // namespace parcast::report::html
