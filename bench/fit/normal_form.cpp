// SPDX-License-Identifier: Apache-2.0
#include "normal_form.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace parcast::bench {
namespace {

using Factor = NormalForm::Factor;
using Column = std::vector<double>;

// i in {0 .. 3} as published, j in {0, 1, 2}.
const std::vector<Factor>& all_factors() {
  static const std::vector<Factor> factors = [] {
    std::vector<Factor> out;
    for (const double i : {0.0, 1. / 4, 1. / 3, 1. / 2, 2. / 3, 3. / 4, 1., 5. / 4, 4. / 3, 3. / 2, 5. / 3,
                           7. / 4, 2., 9. / 4, 7. / 3, 5. / 2, 8. / 3, 11. / 4, 3.})
      for (const int j : {0, 1, 2})
        if (i != 0 || j != 0) out.push_back({i, j});
    return out;
  }();
  return factors;
}

double value_of(const Factor& factor, double x) {
  double value = factor.exponent == 0 ? 1 : std::pow(x, factor.exponent);
  for (int k = 0; k < factor.log_power; ++k) value *= std::log2(std::max(x, 1.0));
  return value;
}

// Ordinary least squares with few columns, by Gram-Schmidt; also computes the leverages. Returns false if
// columns are dependent.
bool solve(const std::vector<Column>& columns, const Column& target, Column& coefficients, Column& leverage) {
  const std::size_t n = target.size(), k = columns.size();
  std::vector<Column> q, r(k, Column(k));
  Column projection;
  leverage.assign(n, 0);
  for (std::size_t c = 0; c < k; ++c) {
    Column unit = columns[c];
    double whole = 0, left = 0;
    for (const double v : unit) whole += v * v;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t b = 0; b < c; ++b) {
        double product = 0;
        for (std::size_t i = 0; i < n; ++i) product += q[b][i] * unit[i];
        for (std::size_t i = 0; i < n; ++i) unit[i] -= product * q[b][i];
        r[c][b] += product;
      }
    for (const double v : unit) left += v * v;
    if (!(left > 1e-18 * whole)) return false;
    r[c][c] = std::sqrt(left);
    double along = 0;
    for (std::size_t i = 0; i < n; ++i) {
      unit[i] /= r[c][c];
      along += unit[i] * target[i];
      leverage[i] += unit[i] * unit[i];
    }
    projection.push_back(along);
    q.push_back(std::move(unit));
  }
  coefficients = projection;
  for (std::size_t c = k; c-- > 0;) {
    for (std::size_t b = c + 1; b < k; ++b) coefficients[c] -= r[b][c] * coefficients[b];
    coefficients[c] /= r[c][c];
  }
  return true;
}

struct Fitted {
  Column coefficients;
  double error = INFINITY;  // symmetric mean absolute error of the points left out in turn
};

Fitted fit(const std::vector<Column>& columns, const Column& target) {
  Fitted out;
  Column leverage;
  if (columns.size() >= target.size() || !solve(columns, target, out.coefficients, leverage)) return out;
  double sum = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    double value = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) value += out.coefficients[k] * columns[k][i];
    // The residual of the fit without this point (Allen 1974).
    const double without = target[i] - (target[i] - value) / std::max(1e-12, 1 - leverage[i]);
    const double size = std::fabs(without) + std::fabs(target[i]);
    if (size > 0) sum += 2 * std::fabs(without - target[i]) / size;
  }
  out.error = sum / static_cast<double>(target.size());
  return out;
}

struct Single {
  Factor factor;
  bool constant = true;
};

Single best_single(const Column& x, const Column& y) {
  const Column ones(x.size(), 1.0);
  Single best;
  double error = fit({ones}, y).error;
  for (const Factor& factor : all_factors()) {
    Column column;
    for (const double v : x) column.push_back(value_of(factor, v));
    const double each = fit({ones, column}, y).error;
    if (each < error - 1e-12) error = each, best = {factor, false};
  }
  return best;
}

// Returns the points at which only one parameter differs, on the longest such line (the first of equally long
// ones).
Single along(const std::vector<Column>& points, const Column& values, std::size_t parameter) {
  std::map<Column, std::pair<Column, Column>> lines;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Column others = points[i];
    others[parameter] = 0;
    lines[others].first.push_back(points[i][parameter]);
    lines[others].second.push_back(values[i]);
  }
  const std::pair<Column, Column>* longest = nullptr;
  for (const auto& [others, line] : lines)
    if (!longest || line.first.size() > longest->first.size()) longest = &line;
  return longest->first.size() < 2 ? Single{} : best_single(longest->first, longest->second);
}

// Returns all ways to group parameters: parameters of a group are multiplied, groups are added.
void partitions(const std::vector<std::size_t>& items, std::size_t next,
                std::vector<std::vector<std::size_t>>& now,
                std::vector<std::vector<std::vector<std::size_t>>>& all) {
  if (next == items.size()) return all.push_back(now);
  for (std::size_t g = 0; g < now.size(); ++g) {
    now[g].push_back(items[next]);
    partitions(items, next + 1, now, all);
    now[g].pop_back();
  }
  now.push_back({items[next]});
  partitions(items, next + 1, now, all);
  now.pop_back();
}

}  // namespace

double NormalForm::evaluate(std::span<const double> point) const {
  double sum = 0;
  for (const Term& term : terms) {
    double value = term.coefficient;
    for (std::size_t j = 0; j < term.factors.size(); ++j) value *= value_of(term.factors[j], point[j]);
    sum += value;
  }
  return sum;
}

std::optional<NormalForm> fit_normal_form(const std::vector<Column>& points, const Column& values) {
  if (points.size() < 2) return std::nullopt;
  const std::size_t parameters = points[0].size();
  std::vector<Single> single;
  std::vector<std::size_t> growing;
  for (std::size_t j = 0; j < parameters; ++j) {
    Column x;
    if (parameters == 1)
      for (const Column& point : points) x.push_back(point[0]);
    single.push_back(parameters == 1 ? best_single(x, values) : along(points, values, j));
    if (!single.back().constant) growing.push_back(j);
  }
  std::vector<std::vector<std::vector<std::size_t>>> shapes{{}};
  std::vector<std::vector<std::size_t>> now;
  if (!growing.empty()) {
    partitions(growing, 0, now, shapes);
    // The full product in addition to the single terms.
    if (growing.size() > 1) {
      std::vector<std::vector<std::size_t>> both{growing};
      for (const std::size_t j : growing) both.push_back({j});
      shapes.push_back(both);
    }
  }
  std::optional<NormalForm> best;
  double error = INFINITY;
  for (const auto& groups : shapes) {
    NormalForm form;
    form.terms.push_back({0, std::vector<Factor>(parameters)});
    for (const auto& group : groups) {
      form.terms.push_back({0, std::vector<Factor>(parameters)});
      for (const std::size_t j : group) form.terms.back().factors[j] = single[j].factor;
    }
    std::vector<Column> columns;
    for (auto& term : form.terms) {
      term.coefficient = 1;
      columns.emplace_back();
      for (const Column& point : points) columns.back().push_back(NormalForm{{term}}.evaluate(point));
    }
    const Fitted fitted = fit(columns, values);
    if (fitted.coefficients.empty() || !(fitted.error < error - 1e-12)) continue;
    error = fitted.error;
    for (std::size_t k = 0; k < form.terms.size(); ++k) form.terms[k].coefficient = fitted.coefficients[k];
    best = form;
  }
  return best;
}

}  // namespace parcast::bench
