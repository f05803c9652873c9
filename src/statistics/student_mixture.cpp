// SPDX-License-Identifier: Apache-2.0
#include "statistics/student_mixture.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "statistics/distribution.h"

namespace parcast::statistics {
namespace {

// Student's distribution for an integer number of degrees, a finite sum (Abramowitz and Stegun 26.7.3 and
// 26.7.4).
double whole_student_probability(double x, int degrees) {
  const double tangent = x / std::sqrt(static_cast<double>(degrees));
  const double cosine = 1 / std::sqrt(1 + tangent * tangent);
  double term = degrees % 2 ? cosine : 1;
  double sum = degrees > 1 ? term : 0;
  for (int k = degrees % 2 ? 3 : 2; k < degrees; k += 2) {
    term *= cosine * cosine * (k - 1) / k;
    sum += term;
  }
  const double inside = tangent * cosine * sum;
  return 0.5 + 0.5 * (degrees % 2 ? (std::atan(tangent) + inside) * 2 * std::numbers::inv_pi : inside);
}

// For other degrees, interpolates in their inverse between integers: within 6e-4 from two degrees on. This is
// much cheaper than the incomplete beta function, which a mixture would need hundreds of times.
double student_probability(double x, double degrees) {
  if (degrees < 2 || degrees > 60) return student_t_probability(x, degrees);
  const int below = static_cast<int>(degrees);
  const double exact = whole_student_probability(x, below);
  if (degrees == below) return exact;
  const double share = (1.0 / below - 1 / degrees) / (1.0 / below - 1.0 / (below + 1));
  return exact + share * (whole_student_probability(x, below + 1) - exact);
}

struct Bracket {
  double low = INFINITY;
  double high = -INFINITY;
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
  }
  return b;
}

}  // namespace

double probability_below(std::span<const StudentComponent> mixture, double x) {
  double sum = 0;
  for (const StudentComponent& c : mixture)
    sum += c.weight * student_probability((x - c.location) / c.scale, c.degrees);
  return sum;
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

double mixture_quantile(std::span<const StudentComponent> mixture, double p, const StudentQuantiles& quantiles) {
  auto [low, high] = bracket(mixture, p, quantiles);
  double f_low = probability_below(mixture, low) - p;
  double f_high = probability_below(mixture, high) - p;
  int side = 0;
  for (int step = 0; step < 200 && high - low > 1e-7 && f_low < 0 && f_high > 0; ++step) {
    // Bisect occasionally, since flat stretches between distant hypotheses defeat the secant.
    const double x = step % 4 == 3 ? 0.5 * (low + high) : (low * f_high - high * f_low) / (f_high - f_low);
    const double f = probability_below(mixture, x) - p;
    if (f < 0) {
      low = x;
      f_low = f;
      if (side == -1) f_high /= 2;
      side = -1;
    } else {
      high = x;
      f_high = f;
      if (side == 1) f_low /= 2;
      side = 1;
    }
  }
  if (f_low >= 0) return low;
  return f_high <= 0 ? high : 0.5 * (low + high);
}

}  // namespace parcast::statistics
