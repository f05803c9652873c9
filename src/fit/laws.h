// SPDX-License-Identifier: Apache-2.0
#pragma once
// Laws for values at few points of one argument. Three points cannot rank laws of three terms: nearly all of
// them pass through the points. So the shares of a law's terms are not fitted. They come from a grid with
// prior weights, and only the scale is fitted. All laws that give the points back about equally well keep
// their weight, and the difference between them is the interval (docs/models/fit.md, Few values).
//
//   a + b / p             Amdahl: a part that scales, and one that does not
//   a + b / p + c log2 p  the same, and what grows with the depth of a tree; also c p^(1/2), c p
//   c p^s                 perfect scaling, the last value, and all between and somewhat beyond

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fit/shapes.h"

namespace parcast::fit {

/// Returns whether a parameter of that name counts what shares the work: processes, ranks, cores, threads.
bool counts_processes(const std::string& name);

/// A law, relative to its value at the largest point.
struct Law {
  std::size_t family = 0;                     // laws of a family have the same terms in other shares
  std::vector<statistics::GrowthTerm> terms;  // coefficients sum to one at the largest point
  double log_prior = 0;

  double at(double x) const;
};

/// Laws and their logarithms at points.
class Laws {
 public:
  /// The points have one coordinate each, > 0, and at least two values.
  Laws(const Points& points, std::vector<Law> laws);

  const std::vector<Law>& all() const { return laws_; }
  /// Returns the logarithms of law 0 at each point, then of law 1, ...
  std::span<const double> logarithms() const { return logarithms_; }

 private:
  std::vector<Law> laws_;
  std::vector<double> logarithms_;
};

/// Returns the laws of a time over processes. Their weights sum to one.
std::vector<Law> laws_of_processes(double largest);

/// Returns the laws of a value over a size. Their weights sum to one.
std::vector<Law> laws_of_sizes(double largest);

/// The exponents of the steepest and of the fastest growing law.
inline constexpr double kSteepestLaw = -1.5, kFastestLaw = 1.25;

/// The largest numbers of distinct values for which laws are used: of processes, and of any other argument.
inline constexpr std::size_t kFewValuesOfLaws = 5, kFewSizes = 3;

/// Returns the laws for points of one argument; null if it has too many values, or one that is not positive.
std::shared_ptr<const Laws> laws_for(const Points& points, bool processes);

}  // namespace parcast::fit
