// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules for patterns, one function each. A function returns the pattern, or nothing if the pairs are not
// exactly that pattern. The rules apply to all ranks of the traffic, at least two, and to at least one pair.
// docs/models/patterns.md describes them.

#include <optional>

#include "patterns/classify.h"

namespace parcast::program {

std::optional<Classified> exchange_in(const Traffic& traffic);
std::optional<Classified> shift_in(const Traffic& traffic);
/// Finds shifts in one direction, or in one direction along each dimension of a grid.
std::optional<Classified> grid_shift_in(const Traffic& traffic);
std::optional<Classified> broadcast_in(const Traffic& traffic);
std::optional<Classified> reduction_in(const Traffic& traffic);
/// Finds messages to one rank and back from it, over the same tree.
std::optional<Classified> reduction_and_broadcast_in(const Traffic& traffic);
std::optional<Classified> doubling_in(const Traffic& traffic);
std::optional<Classified> dissemination_in(const Traffic& traffic);
std::optional<Classified> halo_in(const Traffic& traffic);
std::optional<Classified> transpose_in(const Traffic& traffic);

/// The rule with the most similar pairs, and the share of the messages that it explains.
struct Nearest {
  MessagePattern pattern = MessagePattern::none;
  double explained = 0;
};
Nearest nearest_to(const Traffic& traffic);

}  // namespace parcast::program
