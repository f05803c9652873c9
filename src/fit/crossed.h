// SPDX-License-Identifier: Apache-2.0
#pragma once
// Few numbers of processes crossed with sizes. Three values of each cannot rank all products of powers: the
// step from one process, which sends no message, to two looks like growth of all parts. So terms are those of
// a parallel program (docs/models/fit.md, Crossed):
//
//   computing   c n^d / p, c n^d
//   messages    c n^e times log2(p) / p, log2(p) (none on one process), p
//
// The nats of a sum are least where the processes share the computing that grows fastest with a size, and
// where messages grow no faster than computing. No power of p is fractional.

#include <span>
#include <vector>

#include "fit/shapes.h"

namespace parcast::fit {

/// The largest number of distinct numbers of processes for which these terms replace all products.
inline constexpr std::size_t kFewCrossed = 3;

/// Returns whether few numbers of processes are crossed with at least one size. `processes` has an entry per
/// argument: whether it counts processes.
bool is_crossed(const Points& points, const std::vector<bool>& processes);

/// Returns the factors of one argument; the first is the empty one.
std::vector<Factor> crossed_factors(const Points& points, std::size_t argument,
                                    const std::vector<bool>& processes);

/// Returns the cost of a sum in nats, at least that of all its terms. `shapes.processes` is not empty.
double cost_of_crossed(const Shapes& shapes, std::span<const std::size_t> terms);

}  // namespace parcast::fit
