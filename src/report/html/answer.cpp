// SPDX-License-Identifier: Apache-2.0
// The time asked for, its interval, and how far the question is from the recordings.
#include <algorithm>
#include <span>

#include "base/plain_number.h"
#include "base/text.h"
#include "model/row_names.h"
#include "predict/replay.h"
#include "report/checks_text.h"
#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/sections.h"
#include "report/prediction_text.h"

namespace parcast::report::html {
namespace {

using predict::Prediction;

std::string share_of(double part, double total) {
  return in_percent(total > 0 ? part / total : 0);
}

/// Returns e.g. "Computing takes 79 % of the time, messages 2 %, waiting 19 %."
std::string parts_sentence(const Prediction& prediction) {
  const predict::Parts& parts = prediction.parts;
  const double total = prediction.seconds.value;
  std::string out = "Computing takes " + share_of(parts.compute.value, total) + " of the time";
  if (parts.memory.value > 0) out += ", memory " + share_of(parts.memory.value, total);
  out += ", messages " + share_of(parts.message_startup.value + parts.transfer.value, total) + ", waiting " +
         share_of(parts.wait.value, total) + ".";
  return out;
}

std::string largest_sentence(const Prediction& prediction) {
  if (prediction.regions.empty()) return "";
  const predict::RegionTime& most = prediction.regions.front();
  const program::RowPlace place{most.path, most.where};
  return " The largest part is " + program::row_names(std::span(&place, 1), prediction.program).front() +
         ": " + share_of(most.seconds.value, prediction.seconds.value) + ".";
}

std::string headline(const Prediction& prediction) {
  const predict::Estimate& seconds = prediction.seconds;
  std::string out = "<p class=\"time\"><strong>" + text(duration(seconds.value)) + "</strong>";
  if (seconds.level > 0)
    out += " <span>" + text(span_text(seconds.low, seconds.high)) + " <small>with " +
           text(format_significant(100 * seconds.level, 2)) + " % probability</small></span>";
  return out + "</p>\n" + interval_strip(seconds.low, seconds.value, seconds.high) + "<p>" +
         text(parts_sentence(prediction) + largest_sentence(prediction)) + "</p>\n";
}

std::string tiles(const Report& report) {
  const Prediction& prediction = report.prediction;
  std::string out = tile("Cost", node_time(prediction.node_hours.value), counted(prediction.nodes, "node"));
  if (report.explanation.efficiency && prediction.question.point.processes > 1) {
    out += tile("Speed-up", format_significant(report.explanation.efficiency->speedup, 3),
                "over the model's time on one process");
    out += tile("Efficiency", in_percent(report.explanation.efficiency->efficiency));
  }
  if (prediction.memory_per_node)
    out += tile("Memory", format_bytes(prediction.memory_per_node->value), "on the fullest node");
  if (prediction.within_limit)
    out += tile("Within the limit", in_percent(*prediction.within_limit),
                "probability to end within " + duration(*prediction.question.limit));
  if (!prediction.warnings.empty())
    out += "<a class=\"tile\" href=\"#warnings\"><span class=\"tile-title\">Warnings</span><strong>" +
           std::to_string(prediction.warnings.size()) +
           "</strong><span class=\"tile-note\">read them below</span></a>\n";
  return element("div", "tiles", out);
}

std::string range_of(std::vector<double> values) {
  if (values.empty()) return "";
  std::ranges::sort(values);
  return format_plain(values.front()) + (values.size() > 1 ? " .. " + format_plain(values.back()) : "");
}

/// Returns e.g. "32 times the largest", "inside".
std::string distance_text(const Report& report, const std::string& name, bool known) {
  if (!known) return "not recorded";
  const auto found = report.prediction.extrapolation.find(name);
  if (found == report.prediction.extrapolation.end() || found->second == 1) return "inside";
  const std::string factor =
      format_exact(parse_double(format_significant(found->second, 3)).value_or(found->second));
  return factor + " times the " + (found->second > 1 ? "largest" : "smallest");
}

std::string validity(const Report& report) {
  if (report.prediction.engine == predict::kReplay)
    return "<p>The answer replays a run with these parameters, recorded with as many virtual processors. It "
           "is "
           "no extrapolation, and has no interval.</p>\n";
  if (!report.model.written_in.empty())
    return "<p>The model was written by hand in " + text(report.model.written_in) +
           "; no recording limits where it holds.</p>\n";
  Table table("Question and recordings",
              {{"parameter"}, {"asked", true}, {"recorded", true}, {"values", true}, {"the question is"}});
  const auto row = [&](const std::string& name, double asked, const std::vector<double>& values) {
    const std::string distance = distance_text(report, name, !values.empty());
    table.add({plain(name),
               plain(format_plain(asked)),
               plain(range_of(values)),
               plain(std::to_string(values.size())),
               {element("span", distance == "inside" ? "chip good" : "chip beyond-data", text(distance)),
                distance}});
  };
  const program::Point& point = report.prediction.question.point;
  row("p", point.processes, {report.model.processes.begin(), report.model.processes.end()});
  for (const program::Parameter& parameter : report.model.parameters)
    if (const auto asked = point.parameters.find(parameter.name); asked != point.parameters.end())
      row(parameter.name, asked->second, parameter.values);
  return "<h3>Is the question inside the recordings?</h3>\n" + table.html();
}

std::string accuracy(const Prediction& prediction) {
  std::string out;
  const std::string origins = origins_of_counts(prediction), tiers = tiers_text(prediction.work_by_tier);
  if (prediction.checks) {
    std::string line(trim(checks_line(*prediction.checks, {false, 100000})));
    line[0] = 'T';
    out += "<p>" + text(line) + ".</p>\n";
  }
  if (!origins.empty()) out += "<p>" + text(origins) + (tiers.empty() ? "" : "; " + text(tiers)) + ".</p>\n";
  return out;
}

std::string advice(const explain::Explanation& explanation) {
  if (explanation.advice.empty()) return "";
  std::string items;
  for (const explain::Advice& each : explanation.advice)
    items +=
        "<li>" + text(each.text) +
        (each.gain > 0 ? " <small>(" + text(in_percent(each.gain)) + " of the interval's variance)</small>"
                       : "") +
        "</li>\n";
  return "<h3>What would narrow the interval</h3>\n" + element("ul", "", items);
}

}  // namespace

std::string answer(const Report& report) {
  return headline(report.prediction) + tiles(report) + validity(report) + accuracy(report.prediction) +
         advice(report.explanation);
}

}  // namespace parcast::report::html
