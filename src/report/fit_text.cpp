// SPDX-License-Identifier: Apache-2.0
#include "report/fit_text.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/csv.h"
#include "base/plain_number.h"
#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using fit::Fits;
using fit::KernelFit;

constexpr std::size_t kKernelsShown = 10;  // kernels per metric

double last_value(const KernelFit& kernel) {
  if (kernel.predictions.empty()) return -1;
  const fit::Predicted& last = kernel.predictions.back();
  return last.largest ? last.largest->value : last.value;
}

// Returns the kernels of each metric, with metrics in the order of their first appearance.
std::vector<std::vector<const KernelFit*>> by_metric(const Fits& fits) {
  std::vector<std::vector<const KernelFit*>> out;
  std::map<std::string, std::size_t> at;
  for (const KernelFit& kernel : fits.kernels) {
    const auto [place, added] = at.try_emplace(kernel.metric, out.size());
    if (added) out.emplace_back();
    out[place->second].push_back(&kernel);
  }
  for (auto& kernels : out)
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const KernelFit* a, const KernelFit* b) { return last_value(*a) > last_value(*b); });
  return out;
}

std::string point_text(const Fits& fits, const std::vector<double>& point) {
  std::string out;
  for (std::size_t j = 0; j < point.size(); ++j)
    out += (out.empty() ? "" : ", ") + visible(fits.parameters[j]) + " = " + format_plain(point[j]);
  return out;
}

// Returns the value in its own unit: seconds as times, everything else as a number.
std::string value_text(const KernelFit& kernel, double value) {
  if (kernel.unit == "s") return format_seconds(value);
  return format_significant(value, 4) + (kernel.unit.empty() ? "" : " " + visible(kernel.unit));
}

std::string bounds_text(const KernelFit& kernel, double value, double low, double high) {
  if (kernel.unit == "s") return interval_text(value, low, high);
  return format_significant(low, 4) + " .. " + format_significant(high, 4);
}

// Returns the time of the largest rank, for kernels that are means over ranks.
std::vector<std::string> largest_cells(const KernelFit& kernel, std::size_t prediction) {
  if (prediction >= kernel.predictions.size() || !kernel.predictions[prediction].largest) return {"-", ""};
  const fit::Range& largest = *kernel.predictions[prediction].largest;
  return {value_text(kernel, largest.value), bounds_text(kernel, largest.value, largest.low, largest.high)};
}

std::string name_of(const KernelFit& kernel) {
  return kernel.callpath.empty() ? "whole program" : kernel.callpath;
}

std::string metric_table(const Fits& fits, const std::vector<const KernelFit*>& kernels, std::size_t shown,
                         const Style& style) {
  const auto right = Column::Align::right;
  const std::size_t asked = kernels.front()->predictions.size();
  std::vector<Column> columns{
      {visible(kernels.front()->metric), Column::Align::left, Column::Shrink::cut_front}};
  if (asked > 1) columns.push_back({"at"});
  const std::string interval = "interval (" + format_significant(100 * fits.level, 2) + " %)";
  const bool ranks =
      std::ranges::any_of(kernels, [](const KernelFit* kernel) { return !kernel->largest.empty(); });
  columns.push_back({ranks ? "mean rank" : "predicted", right});
  columns.push_back({interval, right});
  if (ranks) columns.push_back({"largest rank", right}), columns.push_back({interval, right});
  for (const Column& column : {Column{"off by", right}, Column{"found"},
                               Column{"formula", Column::Align::left, Column::Shrink::below}})
    columns.push_back(column);
  Table table(columns);
  for (std::size_t k = 0; k < shown; ++k) {
    const KernelFit& kernel = *kernels[k];
    for (std::size_t i = 0; i < std::max<std::size_t>(kernel.predictions.size(), 1); ++i) {
      const bool first = i == 0, known = i < kernel.predictions.size();
      std::vector<std::string> cells{first ? name_of(kernel) : ""};
      if (asked > 1) cells.push_back(known ? point_text(fits, kernel.predictions[i].point) : "");
      cells.push_back(known ? value_text(kernel, kernel.predictions[i].value) : "-");
      cells.push_back(known ? bounds_text(kernel, kernel.predictions[i].value, kernel.predictions[i].low,
                                          kernel.predictions[i].high)
                            : "");
      if (ranks)
        for (std::string& cell : largest_cells(kernel, i)) cells.push_back(std::move(cell));
      cells.push_back(first && kernel.validation_error ? size_percent(*kernel.validation_error) : "");
      cells.push_back(first ? std::string(to_string(kernel.tier)) : "");
      cells.push_back(first ? kernel.expression : "");
      table.add(cells);
    }
  }
  std::string out = table.text(style);
  if (shown < kernels.size()) out += "  ... " + std::to_string(kernels.size() - shown) + " more, --all\n";
  return out;
}

std::string title(const Fits& fits, const Style& style) {
  std::string out = counted(static_cast<std::int64_t>(fits.kernels.size()), "kernel") + " against " +
                    join(fits.parameters, ", ");
  for (const KernelFit& kernel : fits.kernels)
    if (kernel.predictions.size() == 1) {
      out += ", at " + point_text(fits, kernel.predictions[0].point);
      break;
    }
  return bold(style, visible(out)) + "\n";
}

std::string consequence(const fit::Break& at) {
  if (at.followed) return "; from there on the formula and the predictions rest on the points beyond alone";
  if (at.missing > 0)
    return "; measure at " + counted(static_cast<std::int64_t>(at.missing), "more value") + " of " +
           at.parameter + " beyond, so that a formula for larger runs can be found";
  return "; all points together predict the largest no worse than those beyond alone, so they answer";
}

std::string break_sentence(const KernelFit& kernel) {
  const fit::Break& at = *kernel.regime;
  if (at.given)
    return name_of(kernel) + ", " + kernel.metric + ": the growth changes at " + at.parameter + " = " +
           format_plain(*at.given) + ", as given (exponent " + format_significant(at.slope_before, 2) +
           " before, " + format_significant(at.slope_after, 2) + " after)" + consequence(at);
  return name_of(kernel) + ", " + kernel.metric + ": the growth changes between " + at.parameter + " = " +
         format_plain(at.last_before) + " and " + format_plain(at.first_after) + " (exponent " +
         format_significant(at.slope_before, 2) + " before, " + format_significant(at.slope_after, 2) +
         " after)" + consequence(at);
}

// Returns the warnings; one that several kernels share appears once.
std::string warning_lines(const Fits& fits, const std::vector<const KernelFit*>& given, const Style& style) {
  std::vector<std::string> texts = fits.warnings;
  std::map<std::string, std::size_t> times;
  std::vector<std::pair<std::string, std::string>> each;
  for (const KernelFit* kernel : given) {
    if (kernel->regime) texts.push_back(break_sentence(*kernel));
    for (const std::string& warning : kernel->warnings)
      if (++times[warning] == 1) each.push_back({warning, name_of(*kernel)});
  }
  for (const auto& [warning, name] : each) {
    const std::size_t n = times[warning];
    texts.push_back(n == given.size() ? warning
                    : n == 1          ? name + ": " + warning
                                      : std::to_string(n) + " kernels (" + name + ", ...): " + warning);
  }
  std::string out;
  for (const std::string& text : texts) out += alert(style, wrapped(style, "  ! " + visible(text), 4)) + "\n";
  return out;
}

double beyond(const Fits& fits) {
  double largest = 0;
  for (const KernelFit& kernel : fits.kernels)
    for (const auto& each : kernel.predictions) largest = std::max(largest, each.distance);
  return largest;
}

}  // namespace

std::string fit_text(const Fits& fits, const Style& style, bool all) {
  if (fits.kernels.empty()) return "no kernels\n";
  std::string out = title(fits, style);
  std::vector<const KernelFit*> given;
  for (const auto& kernels : by_metric(fits)) {
    const std::size_t shown = all ? kernels.size() : std::min(kernels.size(), kKernelsShown);
    out += "\n" + metric_table(fits, kernels, shown, style);
    given.insert(given.end(), kernels.begin(), kernels.begin() + static_cast<std::ptrdiff_t>(shown));
  }
  const double doublings = beyond(fits);
  std::string notes;
  if (doublings > 0) notes += "  up to " + format_significant(doublings, 2) + " doublings beyond the data\n";
  if (std::ranges::any_of(given, [](const KernelFit* kernel) { return !kernel->largest.empty(); }))
    notes += "  a run waits for its slowest rank: the largest, not the mean, is what it takes\n";
  notes += warning_lines(fits, given, style);
  return out + (notes.empty() ? "" : "\n" + notes);
}

std::string fit_csv(const Fits& fits) {
  std::string out = "callpath,metric,unit";
  for (const std::string& name : fits.parameters) out += "," + csv_field(name);
  out += ",value,low,high,level,origin,cross_validation_error,expression\n";
  for (const KernelFit& kernel : fits.kernels)
    for (const auto& at : kernel.predictions) {
      out += csv_field(kernel.callpath) + "," + csv_field(kernel.metric) + "," + csv_field(kernel.unit);
      for (const double x : at.point) out += "," + format_exact(x);
      for (const double v : {at.value, at.low, at.high, fits.level}) out += "," + format_exact(v);
      out += "," + std::string(to_string(kernel.tier)) + "," +
             (kernel.validation_error ? format_exact(*kernel.validation_error) : "") + "," +
             csv_field(kernel.expression) + "\n";
    }
  return out;
}

}  // namespace parcast::report
