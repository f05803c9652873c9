// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plain methods that extrapolate along one parameter, all others fixed. Any better method must have smaller
// errors.

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace parcast::bench {

/// Points of one parameter in ascending order, and their values.
struct Curve {
  std::vector<double> x, y;
};

/// Returns the value at x. Returns a number that is not finite if the method has too few points.
using Baseline = double (*)(const Curve& curve, double x);

struct NamedBaseline {
  std::string name;
  Baseline predict;
};

/// Last point, line through the last two points in logarithms, power law (least squares in logarithms), a +
/// b/p, a + b/p + c log2 p (nonnegative least squares, relative), and perfect scaling of the last point.
const std::vector<NamedBaseline>& baselines();

}  // namespace parcast::bench
