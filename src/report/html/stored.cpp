// SPDX-License-Identifier: Apache-2.0
#include "report/html/stored.h"

#include "base/text.h"
#include "report/html/chart.h"
#include "report/html/files.h"
#include "report/html/markup.h"

namespace parcast::report::html {
namespace {

using store::PairedPoint;
using store::ValidatedPoint;

constexpr std::size_t kMostUnanswered = 500;

std::string point_text(const ValidatedPoint& point) {
  return point.program + ", p = " + std::to_string(point.processes) +
         (point.parameters.empty() ? "" : ", " + parameters_text(point.parameters));
}

std::vector<ValidatedPoint> points_of(const StoredReport& report) {
  std::vector<ValidatedPoint> out;
  for (const PairedPoint& each : report.paired.points) out.push_back(each.point);
  return out;
}

/// Returns e.g. "measured later", "its own recording".
std::string order_text(const PairedPoint& each) {
  if (each.is_recorded) return each.was_before ? "recorded later" : "recorded before";
  return each.was_before ? "measured later" : "measured before, or when is not known";
}

std::string tiles(const store::ValidationSummary& all) {
  return element(
      "div", "tiles",
      tile("Points", std::to_string(all.points), "with " + counted(all.runs, "run")) +
          tile("Median error", size_percent(all.median_error), "of the predicted time, either way") +
          tile("Largest error", size_percent(all.worst_error)) +
          tile("Within the interval", in_percent(all.coverage),
               "of the points, by intervals of " + format_significant(100 * all.level, 2) + " %"));
}

}  // namespace

std::string stored_answer(const StoredReport& report) {
  if (report.paired.points.empty()) return "<p>No run of this query has a stored prediction.</p>\n";
  std::vector<Pair> pairs;
  for (const PairedPoint& each : report.paired.points)
    pairs.push_back({each.point.measured, each.point.predicted, point_text(each.point)});
  return tiles(summarize(points_of(report))) +
         element("div", "charts one",
                 diagonal_chart("Predicted over measured", "measured", "predicted", pairs));
}

std::string stored_points(const StoredReport& report) {
  Table table("Runs and predictions", {{"program"},
                                       {"machine"},
                                       {"p", true},
                                       {"parameters"},
                                       {"measured", true},
                                       {"runs", true},
                                       {"predicted", true},
                                       {"interval", true},
                                       {"error", true},
                                       {"inside"},
                                       {"order"}});
  for (const PairedPoint& each : report.paired.points) {
    const ValidatedPoint& point = each.point;
    table.add({plain(point.program),
               plain(point.machine),
               plain(std::to_string(point.processes)),
               plain(parameters_text(point.parameters)),
               seconds_cell(point.measured),
               plain(std::to_string(point.runs)),
               seconds_cell(point.predicted),
               plain(point.level > 0 ? span_text(point.low, point.high) : ""),
               {text(signed_percent(point.error)), format_significant(point.error, 6)},
               {element("span", point.hit ? "chip good" : "chip beyond-data", point.hit ? "yes" : "no"),
                point.hit ? "yes" : "no"},
               plain(order_text(each))});
  }
  if (table.empty()) return "";
  return "<p>The accuracy of Parcast shows only where the prediction was stored before the run.</p>\n" +
         table.html();
}

std::string stored_unanswered(const StoredReport& report) {
  Table table("Runs without a prediction",
              {{"program"}, {"machine"}, {"p", true}, {"parameters"}, {"time", true}, {"begun"}, {"kind"}});
  std::size_t count = 0;
  for (const store::Entry& run : report.paired.unanswered)
    if (++count <= kMostUnanswered)
      table.add({plain(run.program), plain(run.machine), plain(std::to_string(run.processes)),
                 plain(parameters_text(run.parameters)), seconds_cell(run.seconds), plain(run.began),
                 plain(to_string(run.kind))});
  if (table.empty()) return "";
  const std::string more = count > kMostUnanswered
                               ? "<p class=\"quiet\">The first " + std::to_string(kMostUnanswered) + " of " +
                                     std::to_string(count) + ".</p>\n"
                               : "";
  return table.html() + more;
}

Document document_of(const StoredReport& report) {
  std::string warnings;
  for (const std::string& each : report.warnings) warnings += "<li>" + text(each) + "</li>\n";
  Document out;
  out.name = "Runs and predictions", out.of = report.store, out.question = report.query;
  out.sections = {{"answer", "Answer", stored_answer(report)},
                  {"points", "Runs and predictions", stored_points(report)},
                  {"unanswered", "Runs without a prediction", stored_unanswered(report)},
                  {"warnings", "Warnings", warnings.empty() ? "" : element("ul", "warnings", warnings)},
                  {"provenance", "Provenance", provenance_html(report.version, "", report.command, {})}};
  return out;
}

}  // namespace parcast::report::html
