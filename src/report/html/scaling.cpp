// SPDX-License-Identifier: Apache-2.0
// Time, speed-up and efficiency by the number of processes.
#include <algorithm>
#include <cmath>

#include "base/plain_number.h"
#include "base/text.h"
#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/sections.h"

namespace parcast::report::html {
namespace {

using predict::Prediction;

double processes_of(const Prediction& prediction) {
  return prediction.question.point.processes;
}

/// Speed-up is defined only against one process.
bool begins_at_one(const Report& report) {
  return !report.scaling.empty() && processes_of(report.scaling.front()) == 1 &&
         report.scaling.front().seconds.value > 0;
}

std::vector<ChartPoint> points_of(const Report& report, bool recorded) {
  std::vector<ChartPoint> out;
  for (const MeasuredRun& run : report.measured)
    if (run.recorded == recorded) out.push_back({static_cast<double>(run.processes), run.seconds});
  return out;
}

LineChart empty_chart(const Report& report, const std::string& name, Unit unit) {
  LineChart chart{name, "processes", unit};
  chart.asked = processes_of(report.prediction);
  if (report.model.written_in.empty() && !report.model.processes.empty())
    chart.data_end = report.model.processes.back();
  return chart;
}

std::string time_chart(const Report& report) {
  LineChart chart = empty_chart(report, "Time", Unit::seconds);
  Line ideal{"ideal", "line-ideal"}, time{"predicted, with its interval", "line-time"};
  const double first = processes_of(report.scaling.front()) * report.scaling.front().seconds.value;
  for (const Prediction& point : report.scaling) {
    const predict::Estimate& s = point.seconds;
    time.points.push_back({processes_of(point), s.value, s.low, s.high});
    ideal.points.push_back({processes_of(point), first / processes_of(point)});
  }
  chart.lines = {ideal,
                 time,
                 {"recorded", "mark-recorded", points_of(report, true), true},
                 {"measured later", "mark-measured", points_of(report, false), true}};
  return line_chart(chart);
}

/// Returns the times of one process as a line: its value, and its mean measured time; 0: none.
double measured_alone(const Report& report) {
  double sum = 0, count = 0;
  for (const MeasuredRun& run : report.measured)
    if (run.processes == 1) sum += run.seconds, ++count;
  return count > 0 ? sum / count : 0;
}

std::string speedup_charts(const Report& report) {
  LineChart speedup = empty_chart(report, "Speed-up", Unit::ratio),
            efficiency = empty_chart(report, "Efficiency", Unit::percent);
  efficiency.logarithmic = false;
  Line ideal{"ideal", "line-ideal"}, predicted{"predicted", "line-time"}, share{"predicted", "line-time"},
      whole{"ideal", "line-ideal"};
  const double alone = report.scaling.front().seconds.value;
  for (const Prediction& point : report.scaling) {
    const double p = processes_of(point), gain = alone / point.seconds.value;
    ideal.points.push_back({p, p}), predicted.points.push_back({p, gain});
    whole.points.push_back({p, 1}), share.points.push_back({p, gain / p});
  }
  Line measured{"measured", "mark-recorded", {}, true}, measured_share = measured;
  if (const double measured_one = measured_alone(report); measured_one > 0)
    for (const MeasuredRun& run : report.measured) {
      measured.points.push_back({static_cast<double>(run.processes), measured_one / run.seconds});
      measured_share.points.push_back(
          {static_cast<double>(run.processes), measured_one / run.seconds / run.processes});
    }
  speedup.lines = {ideal, predicted, measured};
  efficiency.lines = {whole, share, measured_share};
  return line_chart(speedup) + line_chart(efficiency);
}

std::string measured_text(const Report& report, double processes) {
  std::vector<std::string> times;
  for (const MeasuredRun& run : report.measured)
    if (run.processes == processes) times.push_back(duration(run.seconds));
  return join(times, ", ");
}

std::string table_of(const Report& report) {
  const bool from_one = begins_at_one(report), measured = !report.measured.empty();
  std::vector<Table::Column> columns{
      {"processes", true}, {"time", true}, {"interval", true}, {"nodes", true}, {"cost", true}};
  if (from_one) columns.insert(columns.end(), {{"speed-up", true}, {"efficiency", true}});
  if (measured) columns.push_back({"measured", true});
  Table table("Time by processes", columns);
  for (const Prediction& point : report.scaling) {
    const predict::Estimate& s = point.seconds;
    const double p = processes_of(point), gain = report.scaling.front().seconds.value / s.value;
    std::vector<Cell> cells{plain(format_plain(p)),
                            seconds_cell(s.value),
                            plain(span_text(s.low, s.high)),
                            plain(format_integer(point.nodes)),
                            {text(node_time(point.node_hours.value)), format_exact(point.node_hours.value)}};
    if (from_one)
      cells.insert(cells.end(), {plain(format_significant(gain, 3)),
                                 {text(in_percent(gain / p)), format_significant(gain / p, 6)}});
    if (measured) cells.push_back(plain(measured_text(report, p)));
    table.add(cells, p == processes_of(report.prediction) ? " class=\"asked-row\"" : "");
  }
  return table.html();
}

std::string missing(const Report& report) {
  std::string out;
  for (const std::string& reason : report.unscaled) out += "<p class=\"quiet\">" + text(reason) + "</p>\n";
  return out;
}

std::string crossovers(const Report& report) {
  std::string items;
  for (const explain::Crossover& each : report.explanation.crossovers)
    items += (each.code == "fastest" ? "<li><b>p = " : "<li><b>from p = ") +
             text(format_integer(each.processes)) + "</b> (" + text(duration(each.seconds)) +
             "): " + text(each.text) + "</li>\n";
  return items.empty() ? "" : element("ul", "", items);
}

}  // namespace

std::string scaling(const Report& report) {
  if (report.scaling.size() < 2) return missing(report);
  return element("div", "charts",
                 time_chart(report) + (begins_at_one(report) ? speedup_charts(report) : "")) +
         crossovers(report) + missing(report) + folded("Values by processes", table_of(report));
}

}  // namespace parcast::report::html
