// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plain ways to extrapolate along one parameter, all others fixed: what any better method has to beat.

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace parcast::bench {

/// Points of one parameter in ascending order, and their values.
struct Curve {
  std::vector<double> x, y;
};

/// The value at x, or a number that is not finite where the method has none (too few points).
using Baseline = double (*)(const Curve& curve, double x);

struct NamedBaseline {
  std::string name;
  Baseline predict;
};

/// Last point, line through the last two points in logarithms, power law (least squares in logarithms), a + b/p, a + b/p + c log2 p
/// (nonnegative least squares, relative), and perfect scaling of the last point.
const std::vector<NamedBaseline>& baselines();

}  // namespace parcast::bench
