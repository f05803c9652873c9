// SPDX-License-Identifier: Apache-2.0
// Which terms are tried. With several arguments all products of all factors would be thousands, so each argument's factors are
// first found where it changes alone.
#include <algorithm>
#include <map>

#include "fit/mixture.h"

namespace parcast::fit {
namespace {

// Points on which one argument alone changes, at least three of them.
struct Line {
  Points points;  // of that argument alone
  std::vector<double> values;
};

std::vector<Line> lines_along(const Observed& observed, std::size_t argument) {
  std::map<std::vector<double>, Line> lines;
  for (std::size_t i = 0; i < observed.points.size(); ++i) {
    std::vector<double> others = observed.points[i];
    others[argument] = 0;
    Line& line = lines[others];
    line.points.push_back({observed.points[i][argument]});
    line.values.push_back(observed.values[i]);
  }
  std::vector<Line> out;
  for (auto& [others, line] : lines)
    if (line.points.size() >= 3) out.push_back(std::move(line));
  return out;
}

void add(std::vector<Factor>& list, const Factor& factor, std::size_t most) {
  if (list.size() < most && std::find(list.begin(), list.end(), factor) == list.end()) list.push_back(factor);
}

// The factors of the line's best sums, in their order.
std::vector<Factor> factors_on(const Line& line, const Prior& prior) {
  const std::vector<std::vector<Factor>> all{factors_of(line.points, 0)};
  const Shapes shapes = products_of(line.points, all);
  std::vector<Factor> found;
  for (const Sum& sum : search(shapes, line.values, line.values, prior))
    for (const std::size_t term : sum.all())
      if (term != 0) add(found, {shapes.terms[term].exponents[0], shapes.terms[term].log_powers[0], shapes.cost[term]}, 8);
  return found;
}

// None, what the first and the last line ask for first, the simplest, and then what they ask for next.
std::vector<Factor> short_list(const Observed& observed, std::size_t argument, const Prior& prior, std::size_t most) {
  const std::vector<Factor> all = factors_of(observed.points, argument);
  std::vector<Factor> list{Factor{}};
  const std::vector<Line> lines = lines_along(observed, argument);
  if (!lines.empty()) {
    const std::vector<Factor> first = factors_on(lines.front(), prior);
    const std::vector<Factor> last = lines.size() > 1 ? factors_on(lines.back(), prior) : std::vector<Factor>{};
    for (std::size_t k = 0; k < 3; ++k) {
      if (k < first.size()) add(list, first[k], most);
      if (k < last.size()) add(list, last[k], most);
      for (const Factor& factor : all)
        if (k == 0 && factor.log_power == 0 && (factor.exponent == 1 || factor.exponent == 2 || factor.exponent == -1)) add(list, factor, most);
    }
  }
  std::vector<Factor> simple = all;
  std::stable_sort(simple.begin(), simple.end(), [](const Factor& a, const Factor& b) { return a.cost < b.cost; });
  for (const Factor& factor : simple)
    if (lines.empty() || factor.cost < 1) add(list, factor, most);
  return list;
}

Design with_correlations(const Points& points, Shapes shapes) {
  Design design{std::move(shapes), Correlation(points), {}};
  for (std::size_t k = 0; k < kRelations.size(); ++k) design.correlations[k] = correlations(points, design.correlation, kRelations[k]);
  return design;
}

}  // namespace

Design design_of_one_argument(const Points& points) {
  const std::vector<std::vector<Factor>> factors{factors_of(points, 0)};
  return with_correlations(points, products_of(points, factors));
}

Design design_of(const Observed& observed, const Prior& prior) {
  const std::size_t arguments = observed.points[0].size();
  if (arguments == 1) return design_of_one_argument(observed.points);
  const std::size_t most = arguments == 2 ? 9 : 6;  // products: 81, 216, 1296
  std::vector<std::vector<Factor>> factors;
  for (std::size_t j = 0; j < arguments; ++j) factors.push_back(short_list(observed, j, prior, most));
  return with_correlations(observed.points, products_of(observed.points, factors));
}

Design without(const Design& design, const std::vector<bool>& left_out) {
  const std::size_t n = left_out.size();
  Design out{{design.shapes.terms, design.shapes.cost, {}, 0}, design.correlation, {}};
  for (std::size_t i = 0; i < n; ++i) {
    if (left_out[i]) continue;
    ++out.shapes.points;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < out.correlations.size() && !left_out[j]; ++k)
        out.correlations[k].push_back(design.correlations[k][i * n + j]);
  }
  for (std::size_t t = 0; t < design.shapes.size(); ++t)
    for (std::size_t i = 0; i < n; ++i)
      if (!left_out[i]) out.shapes.values.push_back(design.shapes.of(t)[i]);
  return out;
}

Observed without(const Observed& observed, const std::vector<bool>& left_out) {
  Observed out;
  for (std::size_t i = 0; i < left_out.size(); ++i) {
    if (left_out[i]) continue;
    out.points.push_back(observed.points[i]);
    out.values.push_back(observed.values[i]);
    if (!observed.relative_errors.empty()) out.relative_errors.push_back(observed.relative_errors[i]);
  }
  return out;
}

}  // namespace parcast::fit
