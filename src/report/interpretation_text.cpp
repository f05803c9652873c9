// SPDX-License-Identifier: Apache-2.0
#include "report/interpretation_text.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/csv.h"
#include "base/text.h"
#include "model/row_names.h"
#include "report/hang_text.h"
#include "report/simulated_numbers.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using interpret::Statistics;
using program::ApplicationUnit;
using program::UnitClass;

constexpr auto right_aligned = Column::Align::right;
constexpr std::size_t kMostRoutes = 40;

/// Returns the mean count per rank, e.g. "4.5" if ranks differ.
std::string mean_count(std::int64_t sum, std::int32_t ranks) {
  return sum % ranks == 0 ? format_integer(sum / ranks)
                          : format_significant(static_cast<double>(sum) / ranks, 3);
}

/// Returns the time. No time is nothing, except in a column that is alone.
std::string time_text(interpret::Time time, double ranks, bool alone) {
  return time == 0 && !alone ? "" : duration(seconds(time) / ranks);
}

std::string statistic_text(const Statistics& sum, UnitStatistic which, double ranks, bool alone) {
  switch (which) {
    case UnitStatistic::compute:
      return time_text(sum.compute, ranks, alone);
    case UnitStatistic::communication:
      return time_text(sum.startup + sum.transfer, ranks, alone);
    case UnitStatistic::idle:
      return time_text(sum.wait, ranks, alone);
    case UnitStatistic::executions:
      return mean_count(sum.executions, static_cast<std::int32_t>(ranks));
    case UnitStatistic::messages:
      return format_integer(sum.messages);
    case UnitStatistic::bytes:
      return format_integer(sum.bytes);
    case UnitStatistic::all:
    case UnitStatistic::time:
      break;
  }
  return time_text(sum.time(), ranks, alone);
}

std::string title_of(UnitStatistic which) {
  if (which == UnitStatistic::communication) return "messages";
  if (which == UnitStatistic::messages) return "sent";
  return unit_statistic_names()[static_cast<std::size_t>(which)];
}

// Columns of a terminal that also has room for intervals; for messages and bytes; for classes and details.

/// Returns the unit's name with its lines, indented by its level.
std::string tree_label(const ApplicationUnit& unit, int level, const std::string& file) {
  const std::string indent(static_cast<std::size_t>(2 * level), ' ');
  if (program::is_compound(unit.kind)) return indent + visible(unit.label);
  return indent + program::name_in_region({unit.label, unit.where}, file);
}

/// Returns the units that some rank executed, those around them, and the start and the end of the program.
std::vector<bool> used_units(const predict::Interpreted& of) {
  const auto& units = of.program.graph.units;
  std::vector<bool> used(units.size());
  for (std::size_t unit = units.size(); unit-- > 0;) {
    for (std::int32_t rank = 0; rank < of.result.ranks && !used[unit]; ++rank)
      used[unit] = of.result.statistics(rank, static_cast<std::uint32_t>(unit)).executions > 0;
    used[unit] =
        used[unit] || units[unit].kind == UnitClass::start || units[unit].kind == UnitClass::end || unit == 0;
    if (used[unit] && unit > 0) used[units[unit].parent] = true;
  }
  return used;
}

/// The columns of the table of units.
struct UnitColumns {
  std::vector<UnitStatistic> statistics;
  bool with_rank = false, with_interval = false, with_class = false;

  UnitColumns(const predict::Interpreted& of, const UnitsShown& shown, const Style& style)
      : statistics({shown.statistic}),
        with_rank(shown.by_rank),
        with_interval(!of.estimates.empty() && !shown.by_rank && style.width >= kRoomy),
        with_class(style.width >= kWide) {
    if (shown.statistic != UnitStatistic::all) return;
    statistics = {UnitStatistic::executions, UnitStatistic::time, UnitStatistic::compute,
                  UnitStatistic::communication, UnitStatistic::idle};
    if (style.width >= kBroad)
      statistics.insert(statistics.end(), {UnitStatistic::messages, UnitStatistic::bytes});
  }

  std::vector<Column> titles(const std::string& file) const {
    std::vector<Column> out{{"unit" + (file.empty() ? "" : ", lines of " + file), Column::Align::left,
                             Column::Shrink::cut_middle}};
    if (with_class) out.push_back({"class"});
    if (with_rank) out.push_back({"rank", right_aligned});
    for (const UnitStatistic each : statistics) {
      out.push_back({title_of(each), right_aligned});
      if (each == UnitStatistic::time && with_interval) out.push_back({"interval", right_aligned});
    }
    if (with_class) out.push_back({"what", Column::Align::left, Column::Shrink::cut_end});
    return out;
  }
};

std::string units_table(const predict::Interpreted& of, const UnitsShown& shown, const Style& style) {
  const std::vector<UnitRow> rows = unit_rows(of, shown);
  if (rows.empty()) return "  no unit has a path like " + shown.pattern + "\n";
  const std::vector<bool> used = used_units(of);
  std::vector<program::RowPlace> places;
  for (const ApplicationUnit& unit : of.program.graph.units)
    if (used[unit.id] && !unit.where.empty()) places.push_back({unit.path, unit.where});
  const std::string file = program::common_file(places);
  const UnitColumns columns(of, shown, style);
  Table table(columns.titles(file));
  for (const UnitRow& row : rows) {
    const ApplicationUnit& unit = of.program.graph.units[row.unit];
    const double ranks = row.rank >= 0 ? 1 : of.result.ranks;
    if (!used[unit.id]) continue;
    std::vector<std::string> cells{tree_label(unit, row.level, file)};
    if (columns.with_class) cells.emplace_back(to_string(unit.kind));
    if (columns.with_rank) cells.push_back(format_integer(row.rank));
    for (const UnitStatistic each : columns.statistics) {
      const bool none = each == UnitStatistic::executions && row.sum.executions == 0;
      cells.push_back(none ? "" : statistic_text(row.sum, each, ranks, columns.statistics.size() == 1));
      if (each != UnitStatistic::time || !columns.with_interval) continue;
      const predict::Estimate& estimate = of.estimates[unit.id];
      cells.push_back(estimate.level > 0 && estimate.value > 0 && unit.id != 0
                          ? interval_text(estimate.value, estimate.low, estimate.high)
                          : "");
    }
    if (columns.with_class) cells.push_back(unit.detail);
    table.add(std::move(cells));
  }
  if (shown.by_rank) return table.text(style);
  const bool with_sums =
      std::ranges::find(columns.statistics, UnitStatistic::bytes) != columns.statistics.end();
  return table.text(style) +
         dim(style,
             wrapped(style,
                     "  executions and times are means over ranks" +
                         std::string(with_sums ? ", sent messages and bytes sums" : "") +
                         "; messages: a rank is busy with one, or one is under way; idle: a partner has "
                         "not come",
                     2)) +
         "\n";
}

}  // namespace

std::string interpretation_text(const InterpretationShown& shown, const UnitsShown& units,
                                const Style& style) {
  const predict::Interpreted& of = shown.of;
  if (!of.result.waiting.empty()) {
    const std::set<std::int32_t> waits = [&] {
      std::set<std::int32_t> out;
      for (const trace::Waiting& each : of.result.waiting) out.insert(each.rank);
      return out;
    }();
    return hang_text({of.program.trace, of.result.waiting, of.result.fewest, of.result.by_choice,
                      [&](std::int32_t rank) { return !waits.contains(rank); }, shown.has_ended},
                     style);
  }
  const std::string parameters = parameters_text(shown.parameters);
  const std::string title =
      (of.program.graph.program.empty() ? "" : visible(of.program.graph.program) + ", ") +
      counted(of.result.ranks, "rank") + (parameters.empty() ? "" : ", " + parameters) + ", on " +
      visible(of.machine) + ", mapped " + machine::to_string(of.map);
  const double whole = seconds(of.result.makespan);
  const std::int64_t calls = static_cast<std::int64_t>(of.result.evaluated + of.result.folded);
  std::string rest;
  if (!of.estimates.empty())
    rest += interval_text(whole, of.estimates.front().low, of.estimates.front().high) + " (" +
            in_percent(of.estimates.front().level) + ")      ";
  rest += format_integer(calls) + " calls interpreted";
  if (of.result.folded > 0)
    rest += ", " + in_percent(static_cast<double>(of.result.folded) / static_cast<double>(calls)) +
            " of them as repetitions";
  return wrapped(style, title, 4) + "\n\n" + headline(style, duration(whole), rest) + "\n\n" +
         units_table(of, units, style);
}

std::string interpretation_csv(const predict::Interpreted& of, const UnitsShown& units) {
  std::string text = "path,class,rank,executions,seconds,compute,communication,idle,messages,bytes,where\n";
  for (const UnitRow& row : unit_rows(of, units)) {
    const ApplicationUnit& unit = of.program.graph.units[row.unit];
    text += csv_field(unit.path) + "," + std::string(to_string(unit.kind)) + "," +
            (row.rank < 0 ? "all" : std::to_string(row.rank)) + "," + std::to_string(row.sum.executions) +
            "," + format_exact(seconds(row.sum.time())) + "," + format_exact(seconds(row.sum.compute)) + "," +
            format_exact(seconds(row.sum.startup + row.sum.transfer)) + "," +
            format_exact(seconds(row.sum.wait)) + "," + std::to_string(row.sum.messages) + "," +
            std::to_string(row.sum.bytes) + "," + csv_field(unit.where) + "\n";
  }
  return text;
}

std::string mappings_text(const std::vector<predict::Interpreted>& all, const Style& style) {
  const TimeScale scale(seconds(
      std::ranges::max(all, {}, [](const auto& each) { return each.result.makespan; }).result.makespan));
  const bool intervals = std::ranges::any_of(all, [](const auto& each) { return !each.estimates.empty(); });
  std::vector<Column> columns{{"mapping"}, {scale.unit(), right_aligned}};
  if (intervals) columns.push_back({"interval", right_aligned});
  for (const char* name : {"compute", "communication", "idle"}) columns.push_back({name, right_aligned});
  Table table(columns);
  for (const predict::Interpreted& each : all) {
    const UnitRow whole = unit_rows(each, {.pattern = "", .depth = 0}).front();
    const double ranks = each.result.ranks;
    std::vector<std::string> cells{machine::to_string(each.map), scale.text(seconds(each.result.makespan))};
    if (intervals)
      cells.push_back(each.estimates.empty() ? ""
                                             : scale.text(each.estimates.front().low) + " .. " +
                                                   scale.text(each.estimates.front().high));
    for (const interpret::Time time :
         {whole.sum.compute, whole.sum.startup + whole.sum.transfer, whole.sum.wait})
      cells.push_back(scale.text(seconds(time) / ranks));
    table.add(std::move(cells));
  }
  return table.text(style);
}

std::string routes_text(const predict::Interpreted& of, const Style& style) {
  // hops and inner route -> an example, and the number of pairs
  std::map<std::pair<std::int32_t, std::string>, std::pair<std::string, std::int64_t>> rows;
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  for (std::int32_t rank = 0; rank < of.result.ranks; ++rank)
    for (const trace::Item& item :
         of.program.trace.sequences[of.program.trace.sequence_of[static_cast<std::size_t>(rank)]]) {
      if (item.what() != trace::Item::What::operation) continue;
      const trace::Operation& operation = of.program.trace.operations[item.index()];
      const bool sends = operation.kind == trace::Kind::send || operation.kind == trace::Kind::start_send ||
                         trace::is_access(operation.kind);
      if (!sends || operation.peer == trace::kAny || !seen.emplace(rank, rank + operation.peer).second)
        continue;
      const std::int32_t to = rank + operation.peer;
      std::vector<std::string> stations = of.routes->stations(rank, to);
      std::string inner;
      for (std::size_t i = 1; i + 1 < stations.size(); ++i) inner += stations[i] + " ";
      auto& row = rows[{of.routes->between(rank, to).length, inner}];
      if (row.second++ == 0)
        row.first =
            "rank " + std::to_string(rank) + " to " + std::to_string(to) + ": " + of.routes->text(rank, to);
    }
  if (rows.empty()) return "  no rank sends a message of its own to another\n";
  Table table({{"hops", right_aligned},
               {"pairs of ranks", right_aligned},
               {"for example", Column::Align::left, Column::Shrink::cut_end}});
  std::size_t shown = 0;
  for (const auto& [key, row] : rows)
    if (shown++ < kMostRoutes) table.add({format_integer(key.first), format_integer(row.second), row.first});
  return table.text(style) +
         (rows.size() > kMostRoutes ? "  ... " + std::to_string(rows.size() - kMostRoutes) + " more\n" : "");
}

std::string timeline_text(const predict::Interpreted& of, const std::vector<interpret::Evaluated>& evaluated,
                          const Style& style) {
  const std::int32_t ranks = of.result.ranks;
  const int columns = std::max(20, style.width - 14);
  const double whole = std::max(seconds(of.result.makespan), 1e-300);
  std::vector<std::vector<std::array<double, 3>>> cells(
      static_cast<std::size_t>(ranks), std::vector<std::array<double, 3>>(static_cast<std::size_t>(columns)));
  const auto fill = [&](std::int32_t rank, double begin, double length, std::size_t kind) {
    double at = begin / whole * columns;
    const double end = std::min<double>(columns, (begin + length) / whole * columns);
    for (auto cell = static_cast<std::size_t>(at); cell < static_cast<std::size_t>(columns) && at < end;
         ++cell) {
      const double next = std::min(end, static_cast<double>(cell) + 1);
      cells[static_cast<std::size_t>(rank)][cell][kind] += next - at;
      at = next;
    }
  };
  // order within a unit: computing, waiting, then the message
  for (const interpret::Evaluated& each : evaluated) {
    const double begin = seconds(each.tau), compute = seconds(each.spent.compute),
                 wait = seconds(each.spent.wait);
    fill(each.rank, begin, compute, 0), fill(each.rank, begin + compute, wait, 2);
    fill(each.rank, begin + compute + wait, seconds(each.spent.startup + each.spent.transfer), 1);
  }
  std::string text =
      "  # computes, = communicates, . waits; " + duration(whole / columns) + " for each character\n";
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    text += "  " + padded("rank " + std::to_string(rank), 10);
    for (const auto& cell : cells[static_cast<std::size_t>(rank)]) {
      const auto most = std::ranges::max_element(cell);
      text += *most <= 0 ? ' ' : "#=."[most - cell.begin()];
    }
    text += "\n";
  }
  return text;
}

std::string graph_to_dot(const program::ApplicationGraph& graph) {
  const auto quoted = [](const std::string& text) {
    std::string out;
    for (const char c : visible(text)) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out;
  };
  std::string text = "digraph \"" + quoted(graph.program) + "\" {\n  node [shape=box];\n";
  for (const ApplicationUnit& unit : graph.units) {
    std::string label = quoted(unit.label) + "\\n" + std::string(to_string(unit.kind));
    if (!unit.detail.empty()) label += "\\n" + quoted(unit.detail);
    if (!unit.where.empty()) label += "\\n" + quoted(unit.where);
    text += "  u" + std::to_string(unit.id) + " [label=\"" + label + "\"" +
            (is_compound(unit.kind) ? ", style=rounded" : "") + "];\n";
    for (std::size_t i = 0; i < unit.children.size(); ++i) {
      if (i == 0)
        text += "  u" + std::to_string(unit.id) + " -> u" + std::to_string(unit.children[i]) +
                " [arrowhead=none, style=dotted];\n";
      else
        text +=
            "  u" + std::to_string(unit.children[i - 1]) + " -> u" + std::to_string(unit.children[i]) + ";\n";
    }
  }
  for (const program::ApplicationEdge& edge : graph.edges)
    text += "  u" + std::to_string(edge.from) + " -> u" + std::to_string(edge.to) +
            " [style=dashed, constraint=false, label=\"" + std::to_string(edge.messages) + " messages, " +
            std::to_string(edge.bytes) + " B\"];\n";
  return text + "}\n";
}

}  // namespace parcast::report
