// SPDX-License-Identifier: Apache-2.0
#include "statistics/student_mixture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "statistics/distribution.h"

namespace parcast::statistics {
namespace {

constexpr double kExact = 1e-10;
constexpr double kSmall = 1e-4;

/// Probability below a value, the density there, and the density's derivative; NaN: not known.
struct Below {
  double probability = 0, density = NAN, slope = NAN;
};

constexpr int kMostDegrees = 60;  // of the finite sums

/// What the finite sums for integer degrees share.
struct Constants {
  std::array<double, kMostDegrees + 2> ratio{};    // (k - 1) / k
  std::array<double, kMostDegrees + 2> root{};     // 1 / sqrt(k)
  std::array<double, kMostDegrees + 2> density{};  // at 0 for k degrees / product of the sum's ratios

  Constants() {
    for (int k = 1; k < static_cast<int>(ratio.size()); ++k) {
      const auto i = static_cast<std::size_t>(k);
      ratio[i] = (k - 1.0) / k;
      root[i] = 1 / std::sqrt(static_cast<double>(k));
      density[i] =
          std::exp(log_gamma((k + 1) / 2.0) - log_gamma(k / 2.0)) * root[i] * std::numbers::inv_sqrtpi;
      for (int j = k % 2 ? 3 : 2; j < k; j += 2) density[i] /= ratio[static_cast<std::size_t>(j)];
    }
  }
};

// Student's distribution for an integer number of degrees, two or more: a finite sum (Abramowitz and
// Stegun 26.7.3 and 26.7.4).
Below whole_student(double x, int degrees) {
  static const Constants constants;
  const auto n = static_cast<std::size_t>(degrees);
  const double tangent = x * constants.root[n];
  const double square = 1 / (1 + tangent * tangent), cosine = std::sqrt(square);
  double term = degrees % 2 ? cosine : 1;
  double sum = degrees > 1 ? term : 0;
  for (std::size_t k = degrees % 2 ? 3 : 2; k < n; k += 2) {
    term *= square * constants.ratio[k];
    sum += term;
  }
  const double inside = tangent * cosine * sum;
  const double density = constants.density[n] * term * cosine * square;  // cosine^(n + 1)
  return {0.5 + 0.5 * (degrees % 2 ? (std::atan(tangent) + inside) * 2 * std::numbers::inv_pi : inside),
          density, -density * (degrees + 1) * x * square / degrees};
}

// For other degrees, interpolates in their inverse between integers: within 6e-4 from two degrees on. This is
// much cheaper than the incomplete beta function, which a mixture would need hundreds of times.
Below student(double x, double degrees) {
  if (degrees < 2 || degrees > kMostDegrees) return {student_t_probability(x, degrees)};
  const int below = static_cast<int>(degrees);
  const Below exact = whole_student(x, below);
  if (degrees == below) return exact;
  const double share = (1.0 / below - 1 / degrees) / (1.0 / below - 1.0 / (below + 1));
  const Below above = whole_student(x, below + 1);
  const auto between = [&](double Below::*value) {
    return exact.*value + share * (above.*value - exact.*value);
  };
  return {between(&Below::probability), between(&Below::density), between(&Below::slope)};
}

Below below(std::span<const StudentComponent> mixture, double x) {
  Below out{0, 0, 0};
  for (const StudentComponent& c : mixture) {
    const Below of = student((x - c.location) / c.scale, c.degrees);
    out.probability += c.weight * of.probability;
    const double weight = c.weight / c.scale;
    out.density += weight * of.density;
    out.slope += weight / c.scale * of.slope;
  }
  return out;
}

struct Bracket {
  double low = INFINITY;
  double high = -INFINITY;
  double between = 0;  // mean of the components' quantiles
};

// Returns a bracket of the mixture's quantile: the quantiles of its components enclose it.
Bracket bracket(std::span<const StudentComponent> mixture, double p, const StudentQuantiles& quantiles) {
  Bracket b;
  // degrees, of which there are few, and their quantile
  std::vector<std::pair<double, double>> seen;
  for (const StudentComponent& c : mixture) {
    auto at = std::ranges::find(seen, c.degrees, &std::pair<double, double>::first);
    if (at == seen.end()) at = seen.insert(at, {c.degrees, quantiles(p, c.degrees)});
    b.low = std::min(b.low, c.location + c.scale * (at->second - 0.01));
    b.high = std::max(b.high, c.location + c.scale * (at->second + 0.01));
    b.between += c.weight * (c.location + c.scale * at->second);
  }
  return b;
}

}  // namespace

double probability_below(std::span<const StudentComponent> mixture, double x) {
  return below(mixture, x).probability;
}

double StudentQuantiles::operator()(double p, double degrees) const {
  {
    const std::lock_guard lock(guard_);
    if (const auto at = known_.find({p, degrees}); at != known_.end()) return at->second;
  }
  const double found = student_t_quantile(p, degrees);
  const std::lock_guard lock(guard_);
  constexpr std::size_t kMost = 1024;
  if (known_.size() < kMost) known_.try_emplace({p, degrees}, found);
  return found;
}

double mixture_quantile(std::span<const StudentComponent> mixture, double p,
                        const StudentQuantiles& quantiles) {
  auto [low, high, x] = bracket(mixture, p, quantiles);
  double finest = INFINITY;
  for (const StudentComponent& c : mixture) finest = std::min(finest, c.scale);
  for (int step = 1; step < 200 && high - low > kExact; ++step) {
    const Below at = below(mixture, x);
    (at.probability < p ? low : high) = x;
    const double off = at.probability - p;
    const double change = -2 * off * at.density / (2 * at.density * at.density - off * at.slope);  // Halley's
    // The error that remains after a step is its cube in units of the finest component.
    if (std::abs(change) <= std::max(kExact, kSmall * finest)) return x + change;
    // Bisect occasionally, since flat stretches between distant hypotheses lead nowhere.
    const bool is_inside = x + change > low && x + change < high;  // false without a density
    x = is_inside && step % 4 != 0 ? x + change : 0.5 * (low + high);
  }
  return 0.5 * (low + high);
}

}  // namespace parcast::statistics
