// SPDX-License-Identifier: Apache-2.0
// The machine: its links, memory and measured collectives.

#include "machine/machine.h"

#include <algorithm>

#include "base/text.h"
#include "machine/cost.h"
#include "machine/curves.h"
#include "machine/measured.h"
#include "report/html/embedded.h"
#include "report/html/machine_page.h"
#include "report/html/markup.h"
#include "report/html/sections.h"
#include "report/pattern_text.h"

namespace parcast::report::html {
namespace {

using machine::Machine;
using machine::Parameter;

std::string shown(const Parameter& parameter, Dimension dimension) {
  if (parameter.origin == Origin::unknown) return "–";
  switch (dimension) {
    case Dimension::time:
      return duration(parameter.value);
    case Dimension::time_per_byte:
      return duration(parameter.value) + "/B";
    case Dimension::data:
      return format_bytes(parameter.value);
    case Dimension::rate:
      return format_bytes(parameter.value) + "/s";
    case Dimension::none:
      break;
  }
  return format_significant(parameter.value, 4);
}

Cell cell(const Parameter& parameter, Dimension dimension) {
  if (parameter.origin == Origin::unknown) return {"&ndash;", ""};
  if (machine::error_exceeds_value(parameter)) return {"not measured", format_exact(parameter.value)};
  const std::string error = parameter.standard_error > 0 && parameter.value != 0
                                ? " ± " + size_percent(parameter.standard_error / parameter.value)
                                : "";
  return {text(shown(parameter, dimension)) + "<small>" + text(error) + "</small>",
          format_exact(parameter.value)};
}

std::string links(const Machine& machine) {
  Table table("Links", {{"link"},
                        {"latency", true},
                        {"overhead of a send", true},
                        {"of a receive", true},
                        {"per byte", true},
                        {"eager up to", true}});
  for (const auto& [name, link] : machine.links)
    table.add({plain(name), cell(link.latency, Dimension::time), cell(link.send_overhead, Dimension::time),
               cell(link.receive_overhead, Dimension::time),
               cell(link.gap_per_byte, Dimension::time_per_byte), cell(link.eager_limit, Dimension::data)});
  return table.empty() ? "" : table.html();
}

std::string memory(const Machine& machine) {
  Table table("Memory", {{"level"},
                         {"capacity", true},
                         {"bandwidth of a core", true},
                         {"of a core while all are active", true},
                         {"latency", true}});
  for (const machine::MemoryLevel& level : machine.memory)
    if (machine::is_known(level))
      table.add({plain(level.name), cell(level.capacity, Dimension::data),
                 cell(level.bandwidth, Dimension::rate), cell(level.shared_bandwidth, Dimension::rate),
                 cell(level.latency, Dimension::time)});
  return table.empty() ? "" : table.html();
}

/// Returns whether the answer depends on the costs of the pattern.
bool occurs(const machine::PatternCost& cost, const explain::Explanation& explanation) {
  return std::ranges::any_of(explanation.sensitivities, [&](const explain::ParameterWeight& each) {
    return each.sensitivity.parameter.starts_with("patterns." + cost.name + ".");
  });
}

/// Returns the measured points and fits of the patterns on which the answer depends.
std::string patterns(const Report& report) {
  std::vector<machine::PatternCurve> curves;
  for (const machine::PatternCost& cost : report.machine.patterns)
    if (occurs(cost, report.explanation)) curves.emplace_back(report.machine, cost);
  const bool is_measured =
      std::ranges::any_of(curves, [](const auto& curve) { return !curve.measured().processes.empty(); });
  if (!is_measured) return "";
  const std::int32_t asked = report.prediction.question.point.processes;
  return embedded("Communication, measured and fitted",
                  patterns_svg(report.machine.name, curves, {&asked, 1}));
}

}  // namespace

std::string machine_tables(const Machine& machine) {
  std::string head = "<b>" + text(machine.name) + "</b>: " + text(counted(machine.nodes, "node")) + " of " +
                     text(counted(machine.cores_per_node, "core"));
  if (!machine.description.empty()) head += ", " + text(machine.description);
  if (!machine.measured_at.empty()) head += ", measured " + text(machine.measured_at);
  return "<p>" + head + ".</p>\n" + links(machine) + memory(machine);
}

std::string machine_costs(const Report& report) {
  const std::string curves = patterns(report);
  return machine_tables(report.machine) +
         (curves.empty() ? ""
                         : folded("Measured communication", element("div", "charts wide-chart", curves)));
}

}  // namespace parcast::report::html
