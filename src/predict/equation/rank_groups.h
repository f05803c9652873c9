// SPDX-License-Identifier: Apache-2.0
#pragma once
// Groups ranks that take equally long for the same reason: their places lead to the same counts.

#include <span>
#include <vector>

#include "symbolic/expression.h"

namespace parcast::predict {

/// Returns the expressions through which `outputs` depend on the rank and its coordinates. Every output is a
/// function of these and of symbols common to all ranks, so ranks with equal values have equal outputs. Step
/// functions (floor, ceil, remainder, extremes, conditions) are returned as complete expressions, since they
/// map many ranks to few values.
std::vector<symbolic::Expression> rank_dependence(std::span<const symbolic::Expression> outputs);

/// Returns, among `count` consecutive entries of the columns from `first` on, the first of every set of equal
/// ones. `values`: columns of `width`.
std::vector<std::size_t> distinct(std::span<const double> values, std::size_t width, std::size_t first,
                                  std::size_t count);

}  // namespace parcast::predict
