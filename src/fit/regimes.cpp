// SPDX-License-Identifier: Apache-2.0
#include "fit/regimes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "fit/orthogonal.h"
#include "fit/search.h"
#include "statistics/random.h"

namespace parcast::fit {
namespace {

constexpr std::size_t kFewest = 3;           // points on each side
constexpr double kPromising = 3;             // below this ratio of residuals no draws are made
constexpr double kRoundingOfRegime = 1e-18;  // in squared relative residuals, per point

struct Straight {
  double level = 0, slope = 0, squares = 0;
};

Straight line_through(std::span<const double> x, std::span<const double> y) {
  const double n = static_cast<double>(x.size());
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n,
               my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
  Straight line;
  line.slope = xx > 0 ? xy / xx : 0;
  line.level = my - line.slope * mx;
  for (std::size_t i = 0; i < x.size(); ++i)
    line.squares += std::pow(y[i] - line.level - line.slope * x[i], 2);
  return line;
}

// A strand of the layout with its values.
class Series {
 public:
  Series(const std::vector<double>& values, const Strand& strand) : strand_(strand) {
    for (const std::size_t i : strand.rows) values_.push_back(values[i]);
  }

  struct Smooth {
    double squares = 0;  // of relative residuals
    double freedom = 1;
    std::vector<double> expected;
  };

  const std::vector<double>& x() const { return strand_.x; }
  const std::vector<double>& values() const { return values_; }
  // Returns the index of the first point at `value` or beyond.
  std::size_t from(double value) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(x(), value) - x().begin());
  }
  bool splits_at(double value) const { return from(value) >= kFewest && x().size() - from(value) >= kFewest; }

  Smooth smooth(const std::vector<double>& values) const {
    Smooth best;
    const std::size_t n = values.size();
    const std::vector<double> y = logs_of(values);
    const Straight line = line_through(strand_.logs, y);
    best.squares = line.squares;
    best.freedom = static_cast<double>(n) - 2;
    for (const double log : strand_.logs) best.expected.push_back(std::exp(line.level + line.slope * log));
    Orthogonal basis;
    const std::vector<double> ones(n, 1.0);
    std::vector<double> column(n);
    const Shapes& shapes = *strand_.shapes;
    for (const Sum& sum : search(shapes, values, values, {})) {
      basis.begin(ones);
      for (const std::size_t term : sum.all()) {
        for (std::size_t i = 0; i < n; ++i) column[i] = shapes.at(term, i) / values[i];
        basis.add(column);
      }
      if (basis.size() != sum.count || basis.residual_squares() >= best.squares) continue;
      const auto c = basis.coefficients();
      best.squares = basis.residual_squares();
      best.freedom = std::max(1.0, static_cast<double>(n - sum.count));
      std::ranges::fill(best.expected, 0.0);
      for (std::size_t k = 0; k < sum.count; ++k)
        for (std::size_t i = 0; i < n; ++i) best.expected[i] += c[k] * shapes.at(sum.terms[k], i);
    }
    return best;
  }

  struct Split {
    Straight before, after;
    double squares() const { return before.squares + after.squares; }
  };
  Split split(const std::vector<double>& values, double value) const {
    const std::vector<double> y = logs_of(values);
    const std::span<const double> x(strand_.logs), all(y);
    const std::size_t at = from(value);
    return {line_through(x.first(at), all.first(at)), line_through(x.subspan(at), all.subspan(at))};
  }

 private:
  static std::vector<double> logs_of(const std::vector<double>& values) {
    std::vector<double> out;
    for (const double v : values) out.push_back(std::log(v));
    return out;
  }
  const Strand& strand_;
  std::vector<double> values_;
};

// All strands of one argument; they change at the same value.
class Test {
 public:
  explicit Test(std::vector<Series> series) : series_(std::move(series)) {
    for (const double value : series_.front().x())
      if (std::ranges::all_of(series_, [&](const Series& one) { return one.splits_at(value); }))
        places_.push_back(value);
  }
  bool possible() const { return !places_.empty(); }

  struct Outcome {
    double smooth = 0, freedom = 0, split = INFINITY;  // sums of squares; degrees of freedom
    double first_after = 0;
    std::vector<std::vector<double>> expected;  // per strand, by its smooth law
  };
  Outcome outcome(const std::vector<std::vector<double>>& values) const {
    Outcome out;
    std::size_t points = 0;
    for (std::size_t s = 0; s < series_.size(); ++s) {
      auto law = series_[s].smooth(values[s]);
      out.smooth += law.squares;
      out.freedom += law.freedom;
      out.expected.push_back(std::move(law.expected));
      points += values[s].size();
    }
    for (const double place : places_) {
      double squares = 0;
      for (std::size_t s = 0; s < series_.size(); ++s)
        squares += series_[s].split(values[s], place).squares();
      if (squares < out.split) out.split = squares, out.first_after = place;
    }
    const double floor = kRoundingOfRegime * static_cast<double>(points);
    out.smooth += floor, out.split += floor;
    return out;
  }
  Outcome outcome() const {
    std::vector<std::vector<double>> values;
    for (const Series& one : series_) values.push_back(one.values());
    return outcome(values);
  }

  // Returns the fraction of draws from the smooth laws with a ratio at least as large.
  double chance(const Outcome& seen) const {
    statistics::Random random(1);
    const double noise = std::sqrt(seen.smooth / seen.freedom);
    int as_large = 1;
    for (int draw = 0; draw < kSimulated; ++draw) {
      auto values = seen.expected;
      for (auto& strand : values)
        for (double& value : strand) value *= std::exp(noise * random.normal());
      const Outcome drawn = outcome(values);
      if (drawn.smooth / drawn.split >= seen.smooth / seen.split &&
          ++as_large > kBreakLevel * (kSimulated + 1))
        return 1;
    }
    return static_cast<double>(as_large) / (kSimulated + 1);
  }

  Break described(const Outcome& seen, const std::string& name) const {
    Break out;
    out.parameter = name;
    out.first_after = seen.first_after;
    const double n = static_cast<double>(series_.size());
    for (const Series& one : series_) {
      out.last_before = std::max(out.last_before, one.x()[one.from(seen.first_after) - 1]);
      const auto split = one.split(one.values(), seen.first_after);
      out.slope_before += split.before.slope / n;
      out.slope_after += split.after.slope / n;
    }
    return out;
  }

 private:
  std::vector<Series> series_;
  std::vector<double> places_;
};

}  // namespace

std::optional<Break> find_break(const std::vector<double>& values, const Layout& layout,
                                const std::vector<std::string>& names) {
  std::optional<Break> best;
  double largest = kPromising;
  for (std::size_t j = 0; j < names.size() && values.size() >= 2 * kFewest; ++j) {
    std::vector<Series> series;
    for (const Strand& strand : layout.strands(j)) series.emplace_back(values, strand);
    if (series.empty()) continue;
    const Test test(std::move(series));
    if (!test.possible()) continue;
    const auto seen = test.outcome();
    const double ratio = seen.smooth / seen.split;
    if (ratio < largest) continue;
    const double p = test.chance(seen);
    if (p > kBreakLevel) continue;
    largest = ratio;
    best = test.described(seen, names[j]);
    best->p_value = p;
  }
  return best;
}

}  // namespace parcast::fit
