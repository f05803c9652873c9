// SPDX-License-Identifier: Apache-2.0
#include "baselines.h"

#include <cmath>

#include "statistics/least_squares.h"

namespace parcast::bench {
namespace {

double last_point(const Curve& curve, double) {
  return curve.y.back();
}

double perfect_scaling(const Curve& curve, double x) {
  return curve.y.back() * curve.x.back() / x;
}

double power_law_of(const Curve& curve, std::size_t from, double x) {
  double n = 0, mx = 0, my = 0, xx = 0, xy = 0;
  for (std::size_t i = from; i < curve.x.size(); ++i) {
    if (curve.x[i] <= 0 || curve.y[i] <= 0) continue;
    n += 1, mx += std::log(curve.x[i]), my += std::log(curve.y[i]);
  }
  if (n < 2) return NAN;
  mx /= n, my /= n;
  for (std::size_t i = from; i < curve.x.size(); ++i) {
    if (curve.x[i] <= 0 || curve.y[i] <= 0) continue;
    const double dx = std::log(curve.x[i]) - mx;
    xx += dx * dx, xy += dx * (std::log(curve.y[i]) - my);
  }
  return xx > 0 ? std::exp(my + xy / xx * (std::log(x) - mx)) : NAN;
}

double log_line(const Curve& curve, double x) {
  return curve.x.size() < 2 ? NAN : power_law_of(curve, curve.x.size() - 2, x);
}

double power_law(const Curve& curve, double x) {
  return power_law_of(curve, 0, x);
}

double linear(const Curve& curve, double x, std::size_t columns) {
  const auto row = [&](double at) {
    std::vector<double> out{1, 1 / at};
    if (columns == 3) out.push_back(std::log2(at));
    return out;
  };
  std::vector<std::vector<double>> rows;
  std::vector<double> y;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (curve.x[i] <= 0 || curve.y[i] <= 0) continue;
    rows.push_back(row(curve.x[i]));
    for (double& entry : rows.back()) entry /= curve.y[i];
    y.push_back(1);
  }
  if (rows.size() < columns || x <= 0) return NAN;
  // A row of zeros changes no coefficient, and allows as many columns as there are points.
  statistics::Matrix design(rows.size() + 1, columns);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns; ++j) design(i, j) = rows[i][j];
  y.push_back(0);
  const auto fit = statistics::fit_nonnegative(design, y);
  if (!fit) return NAN;
  double value = 0;
  const auto at = row(x);
  for (std::size_t j = 0; j < columns; ++j) value += at[j] * fit->coefficients[j];
  return value;
}

double amdahl(const Curve& curve, double x) {
  return linear(curve, x, 2);
}

double amdahl_log(const Curve& curve, double x) {
  return linear(curve, x, 3);
}

}  // namespace

const std::vector<NamedBaseline>& baselines() {
  static const std::vector<NamedBaseline> all{
      {"last point", last_point}, {"log-log line", log_line},        {"power law", power_law},
      {"a + b/p", amdahl},        {"a + b/p + c log p", amdahl_log}, {"perfect", perfect_scaling}};
  return all;
}

}  // namespace parcast::bench
