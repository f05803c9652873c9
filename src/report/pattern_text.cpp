// SPDX-License-Identifier: Apache-2.0
#include "report/pattern_text.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "report/table.h"
#include "report/words.h"
#include "statistics/summary.h"

namespace parcast::report {
namespace {

using machine::CostPoint;
using machine::PatternCost;

PatternPoint point_at(const machine::PatternCurve& curve, std::int32_t processes, double bytes) {
  return {processes,
          bytes,
          std::nullopt,
          curve.fitted(processes, bytes),
          curve.from_messages(processes, bytes),
          curve.beyond_processes(processes),
          curve.beyond_bytes(bytes)};
}

/// Returns the error over the points on more than one process with a positive time.
std::optional<PatternMisfit> misfit(const std::vector<PatternPoint>& points, bool of_messages) {
  std::vector<double> errors;
  for (const PatternPoint& point : points) {
    if (!point.measured || point.processes < 2 || !(point.measured->seconds > 0)) continue;
    if (of_messages && !point.from_messages) continue;
    errors.push_back(
        std::fabs((of_messages ? *point.from_messages : point.fitted) / point.measured->seconds - 1));
  }
  if (errors.empty()) return std::nullopt;
  return PatternMisfit{statistics::median(errors), statistics::quantile(errors, 0.95)};
}

std::string counts_text(const std::vector<std::int32_t>& processes) {
  std::vector<std::string> words;
  for (const std::int32_t each : processes) words.push_back(std::to_string(each));
  return join(words, ", ");
}

std::string head(const std::string& machine, const PatternView& view, const Style& style) {
  const std::string range =
      view.measured.processes.empty()
          ? "not measured on more than one process"
          : "measured on " + counts_text(view.measured.processes) + " processes" +
                (view.measured.largest_bytes > 0 ? " from " + format_bytes(view.measured.smallest_bytes) +
                                                       " to " + format_bytes(view.measured.largest_bytes)
                                                 : "");
  const std::string name = visible(view.name),
                    text = wrapped(style, name + " on " + visible(machine) + ", " + range, 2);
  return (text.starts_with(name) ? bold(style, name) + text.substr(name.size()) : text) + "\n";
}

std::string formulas(const PatternCost& table, const Style& style) {
  const auto right = Column::Align::right;
  Table rows({{"from", right},
              {"a call of m bytes on p > 1 processes", Column::Align::left, Column::Shrink::cut_end},
              {"left out off by", right}});
  for (const PatternCost::Piece& piece : table.pieces)
    rows.add({format_bytes(piece.from_bytes), machine::formula_of(piece),
              piece.relative_error > 0 ? size_percent(piece.relative_error) : "-"});
  if (rows.empty()) return "";
  const std::string more = table.corrections.empty()
                               ? ""
                               : wrapped(style,
                                         "  The fit adds what the measured curve has more between " +
                                             std::to_string(table.corrections.size()) +
                                             " of its points, and so meets these; what it is off elsewhere "
                                             "is seen from points left out.",
                                         2) +
                                     "\n";
  return "\n" + rows.text(style) + more;
}

std::string measured_text(const std::optional<CostPoint>& point) {
  if (!point) return "-";
  const double error = point->seconds > 0 ? point->standard_error / point->seconds : 0;
  return format_seconds(point->seconds) + (error > 0 ? " ± " + format_significant(100 * error, 2) + "%" : "");
}

std::string off_text(const std::optional<CostPoint>& measured, std::optional<double> value) {
  return measured && value && measured->seconds > 0 ? signed_percent(*value / measured->seconds - 1) : "";
}

std::string beyond_text(const PatternPoint& point) {
  std::vector<std::string> words;
  if (point.beyond_processes > 1) words.push_back("p x" + format_significant(point.beyond_processes, 3));
  if (point.beyond_bytes > 1) words.push_back("size x" + format_significant(point.beyond_bytes, 3));
  return words.empty() ? "" : "beyond: " + join(words, ", ");
}

std::string points_table(const PatternView& view, const Style& style) {
  const auto right = Column::Align::right;
  Table rows({{"p", right},
              {"size", right},
              {"measured", right},
              {"fit", right},
              {"off", right},
              {"messages", right},
              {"off", right},
              {""}});
  for (const PatternPoint& point : view.points)
    rows.add({std::to_string(point.processes), format_bytes(point.bytes), measured_text(point.measured),
              format_seconds(point.fitted), off_text(point.measured, point.fitted),
              point.from_messages && point.processes > 1 ? format_seconds(*point.from_messages) : "-",
              point.processes > 1 ? off_text(point.measured, point.from_messages) : "", beyond_text(point)});
  return rows.empty() ? "" : "\n" + rows.text(style);
}

std::string misfits(const PatternView& view) {
  const auto text = [](const PatternMisfit& of) {
    return size_percent(of.median) + " in the median, " + size_percent(of.p95) + " at the 95th percentile";
  };
  std::string out;
  if (view.fit) out += "\n  the fit is off by " + text(*view.fit) + "\n";
  if (view.messages) out += "  messages alone are off by " + text(*view.messages) + "\n";
  return out;
}

/// Warns about rows beyond the measurements.
std::string warning(const PatternView& view, const Style& style) {
  double processes = 1;
  for (const PatternPoint& point : view.points) processes = std::max(processes, point.beyond_processes);
  if (processes <= 1) return "";
  const std::string from =
      view.measured.processes.size() < 3
          ? "; the growth is assumed, since fewer than three process counts were measured"
          : "";
  return wrapped(style,
                 "  ! the formula extends beyond the measured process counts: up to " +
                     format_significant(processes, 3) + " times as many" + from,
                 4) +
         "\n";
}

}  // namespace

PatternView pattern_view(const machine::PatternCurve& curve, std::span<const std::int32_t> asked) {
  PatternView view{curve.table().name, &curve.table(), curve.measured(), {}, {}, {}};
  std::set<double> sizes;
  std::set<std::int32_t> counts;
  for (const CostPoint& measured : curve.table().points) {
    view.points.push_back(point_at(curve, measured.processes, measured.bytes));
    view.points.back().measured = measured;
    sizes.insert(measured.bytes), counts.insert(measured.processes);
  }
  std::stable_sort(view.points.begin(), view.points.end(), [](const PatternPoint& a, const PatternPoint& b) {
    return std::pair(a.processes, a.bytes) < std::pair(b.processes, b.bytes);
  });
  for (const std::int32_t processes : asked)
    if (!counts.contains(processes))
      for (const double bytes : sizes) view.points.push_back(point_at(curve, processes, bytes));
  view.fit = curve.table().pieces.empty() ? std::nullopt : misfit(view.points, false);
  view.messages = misfit(view.points, true);
  return view;
}

std::string pattern_text(const std::string& machine, const PatternView& view, const Style& style) {
  return head(machine, view, style) + formulas(*view.table, style) + points_table(view, style) +
         misfits(view) + warning(view, style);
}

}  // namespace parcast::report
