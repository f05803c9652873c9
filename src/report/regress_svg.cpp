// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/regress_text.h"
#include "report/svg.h"

namespace parcast::report {
namespace {

using svg::line;
using svg::number;
using svg::text_at;

constexpr double kSide = 300, kTop = 50, kFirst = 70, kSecond = 470, kLegend = 18;

std::string dot_at(double x, double y, std::size_t color, const std::string& title) {
  return "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"3.5\" fill=\"" +
         svg::kColors[color % std::size(svg::kColors)] + "\" fill-opacity=\"0.7\"><title>" + xml(title) +
         "</title></circle>\n";
}

std::string frame(double left, const std::string& title, const std::string& below,
                  const std::string& beside) {
  const double bottom = kTop + kSide, middle = left + kSide / 2;
  std::string turned =
      " transform=\"rotate(-90 " + number(left - 58) + " " + number(kTop + kSide / 2) + ")\"";
  return line(left, kTop, left, bottom, "axis") + line(left, bottom, left + kSide, bottom, "axis") +
         text_at(middle, kTop - 16, "middle", title, " font-weight=\"bold\"") +
         text_at(middle, bottom + 38, "middle", below) +
         text_at(left - 58, kTop + kSide / 2, "middle", beside, turned);
}

std::size_t program_at(const regress::Costs& costs, std::size_t row) {
  return static_cast<std::size_t>(std::ranges::find(costs.programs, costs.runs.runs[row].program) -
                                  costs.programs.begin());
}

/// Returns the rows in the order of their standardised residuals, like the quantiles.
std::vector<std::size_t> by_residual(const regress::Costs& costs) {
  std::vector<std::size_t> order(costs.runs.runs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return costs.fit.standardized[i]; });
  return order;
}

std::string quantiles(const regress::Costs& costs) {
  double reach = 2;
  for (const auto& pair : costs.quantiles)
    reach = std::max({reach, std::abs(pair.normal), std::abs(pair.value)});
  const double bottom = kTop + kSide;
  const auto x = [&](double value) { return kFirst + (value / reach + 1) / 2 * kSide; };
  const auto y = [&](double value) { return bottom - (value / reach + 1) / 2 * kSide; };
  std::string out =
      frame(kFirst, "Residuals against normal quantiles", "normal quantile", "standardised residual");
  for (int tick = -static_cast<int>(reach); tick <= static_cast<int>(reach);
       tick += std::max(1, static_cast<int>(reach / 4)))
    out += text_at(x(tick), bottom + 18, "middle", std::to_string(tick)) +
           text_at(kFirst - 8, y(tick) + 4, "end", std::to_string(tick)) +
           line(kFirst, y(tick), kFirst + kSide, y(tick), "grid");
  out += line(x(-reach), y(-reach), x(reach), y(reach), "axis");
  const std::vector<std::size_t> order = by_residual(costs);
  for (std::size_t k = 0; k < order.size(); ++k)
    out += dot_at(x(costs.quantiles[k].normal), y(costs.quantiles[k].value), program_at(costs, order[k]),
                  name_of(costs.runs.runs[order[k]]));
  return out;
}

std::string fitted(const regress::Costs& costs) {
  double least = INFINITY, most = 0;
  for (std::size_t i = 0; i < costs.runs.runs.size(); ++i)
    for (const double value : {costs.runs.runs[i].seconds, costs.fit.conditional[i]})
      if (value > 0) least = std::min(least, value), most = std::max(most, value);
  const double bottom = kTop + kSide;
  const svg::Axis across(least, most, kSecond, kSecond + kSide), up(least, most, bottom, kTop);
  std::string out = frame(kSecond, "Measured and fitted times", "fitted", "measured");
  for (const double tick : across.ticks()) {
    out += text_at(across.place(tick), bottom + 18, "middle", format_seconds(tick)) +
           text_at(kSecond - 8, up.place(tick) + 4, "end", format_seconds(tick));
    out += line(kSecond, up.place(tick), kSecond + kSide, up.place(tick), "grid");
  }
  out += line(kSecond, bottom, kSecond + kSide, kTop, "axis");
  for (std::size_t i = 0; i < costs.runs.runs.size(); ++i)
    if (costs.fit.conditional[i] > 0)
      out += dot_at(across.place(costs.fit.conditional[i]), up.place(costs.runs.runs[i].seconds),
                    program_at(costs, i), name_of(costs.runs.runs[i]));
  return out;
}

}  // namespace

std::string costs_svg(const regress::Costs& costs) {
  const double legend = kTop + kSide + 60;
  std::string out = svg::opening(800, legend + kLegend * static_cast<double>(costs.programs.size()) + 8) +
                    quantiles(costs) + fitted(costs);
  for (std::size_t g = 0; g < costs.programs.size(); ++g) {
    const double y = legend + kLegend * static_cast<double>(g);
    out += dot_at(kFirst, y, g, costs.programs[g]) + text_at(kFirst + 12, y + 4, "start", costs.programs[g]);
  }
  return out + "</svg>\n";
}

}  // namespace parcast::report
