// SPDX-License-Identifier: Apache-2.0
// Selects the terms to try. With several arguments there would be thousands of products of all factors. So
// each argument's factors are first selected where it changes alone.
#include <algorithm>

#include "fit/crossed.h"
#include "fit/mixture.h"

namespace parcast::fit {
namespace {

void add(std::vector<Factor>& list, const Factor& factor, std::size_t most) {
  if (list.size() < most && std::find(list.begin(), list.end(), factor) == list.end()) list.push_back(factor);
}

// Returns the factors of the line's best sums, in their order. A line without an argument's small values
// allows factors that other points forbid; these are left out.
std::vector<Factor> factors_on(const Line& line, const Observed& observed, const Prior& prior,
                               const std::vector<Factor>& allowed) {
  std::vector<double> values;
  for (const std::size_t i : line.rows) values.push_back(observed.values[i]);
  const Shapes& shapes = *line.shapes;
  std::vector<Factor> found;
  for (const Sum& sum : search(shapes, values, values, prior))
    for (const std::size_t term : sum.all()) {
      const Factor factor{shapes.exponents[term], shapes.log_powers[term], shapes.cost[term]};
      if (term != 0 && std::ranges::find(allowed, factor) != allowed.end()) add(found, factor, 8);
    }
  return found;
}

// Returns the empty factor, the first choices of the first and the last line, the simplest factors, and then
// the lines' next choices.
std::vector<Factor> short_list(const Observed& observed, const Layout& layout, std::size_t argument,
                               const Prior& prior, std::size_t most) {
  const std::vector<Factor>& all = layout.factors(argument).factors;
  std::vector<Factor> list{Factor{}};
  const std::vector<Line>& lines = layout.lines(argument);
  if (!lines.empty()) {
    const std::vector<Factor> first = factors_on(lines.front(), observed, prior, all);
    const std::vector<Factor> last =
        lines.size() > 1 ? factors_on(lines.back(), observed, prior, all) : std::vector<Factor>{};
    for (std::size_t k = 0; k < 3; ++k) {
      if (k < first.size()) add(list, first[k], most);
      if (k < last.size()) add(list, last[k], most);
      for (const Factor& factor : all)
        if (k == 0 && factor.log_power == 0 &&
            (factor.exponent == 1 || factor.exponent == 2 || factor.exponent == -1))
          add(list, factor, most);
    }
  }
  std::vector<Factor> simple = all;
  std::stable_sort(simple.begin(), simple.end(),
                   [](const Factor& a, const Factor& b) { return a.cost < b.cost; });
  for (const Factor& factor : simple)
    if (lines.empty() || factor.cost < 1) add(list, factor, most);
  return list;
}

// Returns all products of the factors of a parallel program.
std::shared_ptr<const Shapes> crossed_shapes(const Layout& layout, std::size_t points) {
  Points searched;
  for (const std::size_t i : layout.searched()) searched.push_back(layout.all().points[i]);
  const Points& rows = searched.empty() ? layout.all().points : searched;
  std::vector<FactorColumns> factors;
  for (std::size_t j = 0; j < layout.all().arguments(); ++j)
    factors.push_back(factor_columns(rows, j, crossed_factors(rows, j, layout.processes())));
  Shapes shapes = products_of(points, factors);
  shapes.processes = layout.processes();
  return std::make_shared<const Shapes>(std::move(shapes));
}

}  // namespace

Design design_of(const Observed& observed, std::shared_ptr<const Layout> layout, const Prior& prior,
                 bool count) {
  if (layout->shapes()) return {layout, layout->shapes()};
  const std::size_t arguments = layout->all().arguments();
  const std::size_t points = layout->searched().empty() ? layout->all().size() : layout->searched().size();
  if (layout->crossed() && !count) return {layout, crossed_shapes(*layout, points)};
  const std::size_t most = arguments == 2 ? 9 : 6;  // products: 81, 216, 1296
  std::vector<FactorColumns> factors;
  for (std::size_t j = 0; j < arguments; ++j)
    factors.push_back(chosen(layout->factors(j), short_list(observed, *layout, j, prior, most), points));
  return {std::move(layout), std::make_shared<const Shapes>(products_of(points, factors))};
}

}  // namespace parcast::fit
