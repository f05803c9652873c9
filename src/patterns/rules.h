// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of patterns, one function each: what was found, or nothing where the pairs are not exactly that pattern. They are of all
// ranks of the traffic, of which there are two or more, and of at least one pair; docs/models/patterns.md has them in words.

#include <optional>

#include "patterns/classify.h"

namespace parcast::program {

std::optional<Classified> exchange_in(const Traffic& traffic);
std::optional<Classified> shift_in(const Traffic& traffic);
/// Of one direction, or of one in each dimension of a grid.
std::optional<Classified> grid_shift_in(const Traffic& traffic);
std::optional<Classified> broadcast_in(const Traffic& traffic);
std::optional<Classified> reduction_in(const Traffic& traffic);
/// To one rank and back from it, over the same tree.
std::optional<Classified> reduction_and_broadcast_in(const Traffic& traffic);
std::optional<Classified> doubling_in(const Traffic& traffic);
std::optional<Classified> dissemination_in(const Traffic& traffic);
std::optional<Classified> halo_in(const Traffic& traffic);
std::optional<Classified> transpose_in(const Traffic& traffic);

/// The rule whose pairs come nearest, and which share of the messages it explains.
struct Nearest {
  MessagePattern pattern = MessagePattern::none;
  double explained = 0;
};
Nearest nearest_to(const Traffic& traffic);

}  // namespace parcast::program
