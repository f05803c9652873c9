// SPDX-License-Identifier: Apache-2.0
#include "fit/regimes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit/search.h"
#include "statistics/growth_basis.h"
#include "statistics/random.h"

namespace parcast::fit {
namespace {

constexpr std::size_t kFewest = 3;       // points on either side
constexpr double kPromising = 3;         // ratio of residuals below which no draws are made
constexpr double kRounding = 1e-18;      // of squared relative residuals, per point

struct Line {
  double level = 0, slope = 0, squares = 0;
};

Line line_through(std::span<const double> x, std::span<const double> y) {
  const double n = static_cast<double>(x.size());
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n, my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
  Line line;
  line.slope = xx > 0 ? xy / xx : 0;
  line.level = my - line.slope * mx;
  for (std::size_t i = 0; i < x.size(); ++i) line.squares += std::pow(y[i] - line.level - line.slope * x[i], 2);
  return line;
}

// Values on one argument in ascending order, with what all draws share.
class Test {
 public:
  Test(const Shapes& shapes, std::vector<double> logs) : shapes_(shapes), x_(std::move(logs)) {}

  struct Smooth {
    double squares = 0;             // of relative residuals
    double freedom = 1;
    std::vector<double> expected;
  };

  Smooth smooth(const std::vector<double>& values) const {
    Smooth best;
    const std::size_t n = values.size();
    const std::vector<double> y = logs_of(values);
    const Line line = line_through(x_, y);
    best.squares = line.squares;
    best.freedom = static_cast<double>(n) - 2;
    for (const double x : x_) best.expected.push_back(std::exp(line.level + line.slope * x));
    for (const Sum& sum : search(shapes_, values, values, {})) {
      std::vector<std::vector<double>> columns;
      statistics::growth::Basis basis(std::vector<double>(n, 1.0));
      for (const std::size_t term : sum.all()) {
        columns.emplace_back();
        for (std::size_t i = 0; i < n; ++i) columns.back().push_back(shapes_.of(term)[i] / values[i]);
        basis.add(columns.back());
      }
      if (basis.size() != sum.count || basis.residual_squares() >= best.squares) continue;
      const auto c = basis.coefficients();
      best.squares = basis.residual_squares();
      best.freedom = std::max(1.0, static_cast<double>(n - sum.count));
      for (std::size_t i = 0; i < n; ++i) {
        best.expected[i] = 0;
        for (std::size_t k = 0; k < sum.count; ++k) best.expected[i] += c[k] * columns[k][i] * values[i];
      }
    }
    return best;
  }

  struct Split {
    std::size_t first_after = 0;
    Line before, after;
    double squares() const { return before.squares + after.squares; }
  };

  Split split(const std::vector<double>& values) const {
    const std::vector<double> y = logs_of(values);
    Split best;
    for (std::size_t at = kFewest; at + kFewest <= y.size(); ++at) {
      const std::span<const double> x(x_), all(y);
      const Split each{at, line_through(x.first(at), all.first(at)), line_through(x.subspan(at), all.subspan(at))};
      if (best.first_after == 0 || each.squares() < best.squares()) best = each;
    }
    return best;
  }

  double ratio(const Smooth& smooth, const Split& split) const {
    const double floor = kRounding * static_cast<double>(x_.size());
    return (smooth.squares + floor) / (split.squares() + floor);
  }

 private:
  static std::vector<double> logs_of(const std::vector<double>& values) {
    std::vector<double> out;
    for (const double v : values) out.push_back(std::log(v));
    return out;
  }
  const Shapes& shapes_;
  std::vector<double> x_;
};

// The part of draws from the smooth law whose ratio is at least as large.
double chance(const Test& test, const Test::Smooth& law, double ratio) {
  statistics::Random random(1);
  const double noise = std::sqrt(law.squares / law.freedom);
  int as_large = 1;
  for (int draw = 0; draw < kSimulated; ++draw) {
    std::vector<double> values;
    for (const double expected : law.expected) values.push_back(expected * std::exp(noise * random.normal()));
    if (test.ratio(test.smooth(values), test.split(values)) >= ratio && ++as_large > kBreakLevel * (kSimulated + 1)) return 1;
  }
  return static_cast<double>(as_large) / (kSimulated + 1);
}

}  // namespace

std::optional<Break> find_break(const Observed& observed, const std::vector<std::string>& names) {
  if (names.size() != 1 || observed.values.size() < 2 * kFewest) return std::nullopt;
  std::vector<std::size_t> order(observed.values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return observed.points[a] < observed.points[b]; });
  Points points;
  std::vector<double> values, logs;
  for (const std::size_t i : order) {
    if (observed.points[i][0] <= 0) return std::nullopt;
    points.push_back(observed.points[i]);
    values.push_back(observed.values[i]);
    logs.push_back(std::log(points.back()[0]));
  }
  const std::vector<std::vector<Factor>> factors{factors_of(points, 0)};
  const Shapes shapes = products_of(points, factors);
  const Test test(shapes, logs);
  const auto law = test.smooth(values);
  const auto split = test.split(values);
  const double ratio = test.ratio(law, split);
  if (ratio < kPromising) return std::nullopt;
  const double p = chance(test, law, ratio);
  if (p > kBreakLevel) return std::nullopt;
  return Break{names[0], points[split.first_after - 1][0], points[split.first_after][0], split.before.slope, split.after.slope, p};
}

}  // namespace parcast::fit
