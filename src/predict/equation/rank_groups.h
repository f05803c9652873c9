// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which ranks take equally long for the same reason: their places lead to the same counts.

#include <span>
#include <vector>

#include "symbolic/expression.h"

namespace parcast::predict {

/// The expressions through which `outputs` depend on the rank and its coordinates: every output is a function of these
/// and of symbols that all ranks share, so ranks on which they agree have equal outputs. Steps (floor, ceil, remainder,
/// extremes, conditions) are taken whole, since they map many ranks to few values.
std::vector<symbolic::Expression> rank_dependence(std::span<const symbolic::Expression> outputs);

/// Of `count` consecutive columns' entries from `first` on, the first of every set of equals. `values`: columns of `width`.
std::vector<std::size_t> distinct(std::span<const double> values, std::size_t width, std::size_t first, std::size_t count);

}  // namespace parcast::predict
