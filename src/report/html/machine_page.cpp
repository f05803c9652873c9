// SPDX-License-Identifier: Apache-2.0
#include "report/html/machine_page.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "machine/curves.h"
#include "machine/measured.h"
#include "machine/tools.h"
#include "report/html/chart.h"
#include "report/html/embedded.h"
#include "report/html/files.h"
#include "report/html/markup.h"
#include "report/pattern_text.h"
#include "report/sweep_axes.h"

namespace parcast::report::html {
namespace {

using machine::Machine;
using machine::PatternCost;
using machine::PatternCurve;

const PatternCost* pattern_of(const Machine& machine, const std::string& name) {
  const auto found = std::ranges::find(machine.patterns, name, &PatternCost::name);
  return found == machine.patterns.end() ? nullptr : &*found;
}

/// Returns the largest number of processes on which both tables are measured; else the largest of each.
std::vector<std::int32_t> compared_processes(const std::vector<PatternCurve>& curves) {
  std::vector<std::int32_t> common = curves[0].measured().processes;
  std::erase_if(common, [&](std::int32_t p) {
    return std::ranges::find(curves[1].measured().processes, p) == curves[1].measured().processes.end();
  });
  if (!common.empty()) return {common.back(), common.back()};
  return {curves[0].measured().processes.back(), curves[1].measured().processes.back()};
}

/// Returns one pattern's chart: points of both machines, and their fits as lines.
std::string compared(const MachineReport& report, const std::string& name) {
  std::vector<PatternCurve> curves;
  for (const Machine& machine : report.machines) {
    const PatternCost* const table = pattern_of(machine, name);
    if (!table) return "";
    curves.emplace_back(machine, *table);
    if (curves.back().measured().processes.empty()) return "";
  }
  const std::vector<std::int32_t> processes = compared_processes(curves);
  LineChart chart{name, "bytes per process"};
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const std::string on = report.machines[k].name + ", p = " + std::to_string(processes[k]);
    Line fit{on + ", fitted", "line-p" + std::to_string(k)},
        points{on + ", measured", "mark-p" + std::to_string(k)};
    points.marks = true;
    for (const machine::CostPoint& point : curves[k].table().points) {
      if (point.processes != processes[k] || !(point.bytes > 0)) continue;
      points.points.push_back({point.bytes, point.seconds});
      fit.points.push_back({point.bytes, curves[k].fitted(point.processes, point.bytes)});
    }
    std::ranges::sort(fit.points, {}, &ChartPoint::x);
    std::erase_if(fit.points, [](const ChartPoint& point) { return !(point.y > 0); });
    if (!fit.points.empty()) chart.lines.push_back(std::move(fit));
    if (!points.points.empty()) chart.lines.push_back(std::move(points));
  }
  return chart.lines.empty() ? "" : line_chart(chart);
}

std::string sweep_chart(const MachineReport& report, const std::string& name,
                        double machine::WorkingSetPoint::*value, Unit unit) {
  LineChart chart{name, "bytes that a core works on", unit};
  std::size_t style = 0;
  for (const Machine& machine : report.machines) {
    std::vector<std::int32_t> cores;
    for (const auto& point : machine.working_sets)
      if (point.*value > 0 && std::ranges::find(cores, point.cores) == cores.end())
        cores.push_back(point.cores);
    for (const std::int32_t count : cores) {
      Line line{(report.machines.size() > 1 ? machine.name + ", " : "") + counted(count, "core"),
                "line-p" + std::to_string(style++ % 5)};
      for (const auto& point : machine.working_sets)
        if (point.cores == count && point.*value > 0 && point.bytes > 0)
          line.points.push_back({point.bytes, point.*value});
      std::ranges::sort(line.points, {}, &ChartPoint::x);
      if (line.points.size() > 1) chart.lines.push_back(std::move(line));
    }
  }
  return chart.lines.empty() ? "" : line_chart(chart);
}

std::string names_of(const MachineReport& report) {
  std::string out;
  for (const Machine& machine : report.machines) out += (out.empty() ? "" : " and ") + machine.name;
  return out;
}

std::string list_of(const std::vector<std::string>& sentences) {
  std::string items;
  for (const std::string& each : sentences) items += "<li>" + text(each) + "</li>\n";
  return items.empty() ? "" : element("ul", "warnings", items);
}

}  // namespace

std::string machine_patterns(const MachineReport& report) {
  if (report.machines.size() == 1) {
    std::vector<PatternCurve> curves;
    for (const PatternCost& table : report.machines[0].patterns)
      curves.emplace_back(report.machines[0], table);
    std::erase_if(curves, [](const PatternCurve& curve) { return curve.measured().processes.empty(); });
    if (curves.empty()) return "";
    return element(
        "div", "charts wide-chart",
        embedded("Communication, measured and fitted", patterns_svg(report.machines[0].name, curves, {})));
  }
  std::string charts;
  for (const PatternCost& table : report.machines[0].patterns) charts += compared(report, table.name);
  return charts.empty() ? "" : element("div", "charts", charts);
}

std::string machine_memory(const MachineReport& report) {
  const std::string charts = sweep_chart(report, "Time of a load that waits for the one before",
                                         &machine::WorkingSetPoint::seconds_per_load, Unit::seconds) +
                             sweep_chart(report, "Bytes per second of a core",
                                         &machine::WorkingSetPoint::bytes_per_second, Unit::ratio);
  return charts.empty() ? "" : element("div", "charts", charts);
}

std::string machine_differences(const MachineReport& report) {
  if (report.machines.size() < 2) return "";
  const Machine &a = report.machines[0], &b = report.machines[1];
  const machine::Comparison comparison = machine::compare(a, b);
  Table tables("Measured calls",
               {{"pattern"}, {b.name + " / " + a.name, true}, {"points", true}, {"agree", true}});
  for (const machine::TableDifference& each : comparison.tables)
    tables.add({plain(each.name), plain(format_significant(each.ratio, 3)),
                plain(std::to_string(each.points)), plain(std::to_string(each.agreeing))});
  Table table("Parameters that differ",
              {{"parameter"}, {a.name, true}, {b.name, true}, {"ratio", true}, {"certain"}});
  const auto of_a = machine::unresolved_parameters(a), of_b = machine::unresolved_parameters(b);
  for (const machine::Difference& each : comparison.parameters) {
    const auto cell = [&](const std::optional<double>& value, bool is_unresolved) {
      if (!value) return Cell{"&ndash;", ""};
      return Cell{is_unresolved ? "not measured" : text(measure_text(*value, each.dimension)),
                  format_exact(*value)};
    };
    const bool lacks_a = of_a.contains(each.name), lacks_b = of_b.contains(each.name);
    const bool has_ratio = each.a && each.b && *each.a != 0 && !lacks_a && !lacks_b;
    table.add({plain(each.name), cell(each.a, lacks_a), cell(each.b, lacks_b),
               has_ratio ? plain(format_significant(*each.b / *each.a, 3)) : Cell{"&ndash;", ""},
               plain(each.within_intervals ? "no: within the intervals" : "yes")});
  }
  return (tables.empty() ? "" : tables.html()) +
         (table.empty() ? "" : folded("Parameters that differ", table.html()));
}

Document document_of(const MachineReport& report) {
  Document out;
  out.name = names_of(report), out.of = report.machines.size() > 1 ? "over each other" : "";
  out.question = report.machines[0].description;
  std::string tables;
  for (const Machine& machine : report.machines) tables += machine_tables(machine);
  std::vector<std::string> notes = report.warnings;
  for (const Machine& machine : report.machines)
    notes.insert(notes.end(), machine.notes.begin(), machine.notes.end());
  out.sections = {
      {"machine", "Machine", tables},
      {"patterns", "Communication", machine_patterns(report)},
      {"memory", "Memory", machine_memory(report)},
      {"differences", "Differences", machine_differences(report)},
      {"warnings", "Notes", list_of(notes)},
      {"provenance", "Provenance", provenance_html(report.version, "", report.command, report.files)}};
  return out;
}

}  // namespace parcast::report::html
