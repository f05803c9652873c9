// SPDX-License-Identifier: Apache-2.0
// What the time is sensitive to: parameters of the problem, p, and of the machine.
#include <algorithm>
#include <cmath>

#include "base/plain_number.h"
#include "base/text.h"
#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/sections.h"

namespace parcast::report::html {
namespace {

constexpr double kMore = 1.1;
constexpr double kLeast = 5e-4;  // smaller changes are in the table only
constexpr std::size_t kMostBars = 14;

std::vector<Bar> bars_of(const explain::Explanation& explanation) {
  std::vector<Bar> bars;
  const auto add = [&](const std::string& name, double elasticity) {
    const double change = std::pow(kMore, elasticity) - 1;
    if (std::isfinite(change) && std::abs(change) >= kLeast)
      bars.push_back({name, change, signed_percent(change)});
  };
  for (const explain::Growth& each : explanation.growth) add(each.parameter, each.elasticity);
  for (const explain::ParameterWeight& each : explanation.sensitivities)
    add(each.sensitivity.parameter, each.sensitivity.elasticity);
  std::ranges::stable_sort(bars,
                           [](const Bar& a, const Bar& b) { return std::abs(a.value) > std::abs(b.value); });
  if (bars.size() > kMostBars) bars.resize(kMostBars);
  return bars;
}

std::string growth_table(const explain::Explanation& explanation) {
  Table table("Growth with a parameter",
              {{"parameter"}, {"asked", true}, {"at", true}, {"time there", true}, {"elasticity", true}});
  for (const explain::Growth& each : explanation.growth)
    table.add({plain(each.parameter), plain(format_plain(each.value)), plain(format_plain(each.next)),
               seconds_cell(each.seconds), plain(format_significant(each.elasticity, 3))});
  return table.empty() ? "" : table.html();
}

std::string machine_table(const explain::Explanation& explanation) {
  Table table(
      "Machine parameters",
      {{"machine parameter"}, {"10 % more", true}, {"elasticity", true}, {"its error", true}, {"found"}});
  for (const explain::ParameterWeight& each : explanation.sensitivities)
    table.add({plain(each.sensitivity.parameter),
               seconds_cell(0.1 * each.sensitivity.value * each.sensitivity.derivative),
               plain(format_significant(each.sensitivity.elasticity, 3)),
               {"&plusmn; " + text(duration(each.half_width)), format_exact(each.half_width)},
               plain(each.identified ? std::string(to_string(each.origin)) : "not identified")});
  return table.empty() ? "" : table.html();
}

std::string caches(const explain::Explanation& explanation) {
  if (!(explanation.footprint > 0)) return "";
  std::string out = "<p>A process works on " + text(format_bytes(explanation.footprint)) + " of data.";
  for (const explain::CacheStep& step : explanation.cache_steps)
    out += " They fit " + text(step.level) + " (" + text(format_bytes(step.capacity)) + ") " +
           (step.parameter == "p" ? "from p = " : "up to " + text(step.parameter) + " = ") +
           text(format_plain(step.last)) + ".";
  return out + "</p>\n";
}

}  // namespace

std::string sensitivities(const Report& report) {
  const explain::Explanation& explanation = report.explanation;
  const std::string chart = tornado_chart("Change of the time for 10 % more", bars_of(explanation));
  const std::string tables = growth_table(explanation) + machine_table(explanation);
  if (chart.empty() && tables.empty()) return "";
  return element("div", "charts one", chart) + caches(explanation) +
         (tables.empty() ? "" : folded("Elasticities and errors", tables));
}

}  // namespace parcast::report::html
