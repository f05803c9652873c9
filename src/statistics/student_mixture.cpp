// SPDX-License-Identifier: Apache-2.0
#include "statistics/student_mixture.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "statistics/distribution.h"
#include "statistics/student_table.h"

namespace parcast::statistics {
namespace {

constexpr double kExact = 1e-10;
constexpr double kSmall = 1e-3;  // in units of the finest component that is near
constexpr double kNear = 16;     // scales; a component farther away is flat

/// Probability below a value, the density there, and the density's derivative; NaN: not known.
using Below = StudentValue;

/// One component of a mixture, with the tables of the integers around its degrees of freedom.
class Component {
 public:
  explicit Component(const StudentComponent& c)
      : weight_(c.weight), location_(c.location), inverse_(1 / c.scale), degrees_(c.degrees) {
    if (!(degrees_ == 1 || degrees_ >= 2) || degrees_ > StudentTable::kMostDegrees) return;
    const int below = static_cast<int>(degrees_);
    below_ = &StudentTable::of(below);
    if (degrees_ == below) return;
    above_ = &StudentTable::of(below + 1);
    share_ = (1.0 / below - 1 / degrees_) / (1.0 / below - 1.0 / (below + 1));
  }

  void add_at(double x, Below& out) const {
    const Below of = at((x - location_) * inverse_);
    const double weight = weight_ * inverse_;
    out.probability += weight_ * of.probability;
    out.density += weight * of.density;
    out.slope += weight * inverse_ * of.slope;
  }

 private:
  // Between integer degrees, interpolates in their inverse: within 6e-4 from two degrees on. The incomplete
  // beta function would cost much more, and a mixture needs hundreds of values.
  Below at(double x) const {
    if (!below_) return {student_t_probability(x, degrees_), NAN, NAN};
    const Below low = below_->at(x);
    if (!above_) return low;
    const Below high = above_->at(x);
    return {low.probability + share_ * (high.probability - low.probability),
            low.density + share_ * (high.density - low.density),
            low.slope + share_ * (high.slope - low.slope)};
  }

  double weight_, location_, inverse_, degrees_, share_ = 0;
  const StudentTable *below_ = nullptr, *above_ = nullptr;
};

Below below(std::span<const Component> mixture, double x) {
  Below out{0, 0, 0};
  for (const Component& each : mixture) each.add_at(x, out);
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

/// Returns the least scale of the components that are not flat between x and x + change; 0 if all are.
double finest_near(std::span<const StudentComponent> mixture, double x, double change) {
  double finest = INFINITY;
  for (const StudentComponent& c : mixture)
    if (std::abs(x - c.location) <= kNear * c.scale + std::abs(change)) finest = std::min(finest, c.scale);
  return std::isfinite(finest) ? finest : 0;
}

}  // namespace

double probability_below(std::span<const StudentComponent> mixture, double x) {
  const std::vector<Component> components(mixture.begin(), mixture.end());
  return below(components, x).probability;
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
  const std::vector<Component> components(mixture.begin(), mixture.end());
  for (int step = 1; step < 200 && high - low > kExact; ++step) {
    const Below at = below(components, x);
    (at.probability < p ? low : high) = x;
    const double off = at.probability - p;
    const double change = -2 * off * at.density / (2 * at.density * at.density - off * at.slope);  // Halley's
    // The error that remains after a step is its cube in units of the finest component.
    if (std::abs(change) <= std::max(kExact, kSmall * finest_near(mixture, x, change))) return x + change;
    // Bisect occasionally, since flat stretches between distant hypotheses lead nowhere.
    const bool is_inside = x + change > low && x + change < high;  // false without a density
    x = is_inside && step % 4 != 0 ? x + change : 0.5 * (low + high);
  }
  return 0.5 * (low + high);
}

}  // namespace parcast::statistics
