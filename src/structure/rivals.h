// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several rules that hold for all recordings: which one is taken, and what that rests on.
// docs/models/structure.md.

#include <string>
#include <vector>

#include "model/binding.h"
#include "structure/rules.h"

namespace parcast::program {

/// Drops rules that say the same as another at every process count.
void drop_equal_rivals(Structure& structure, const std::vector<ProcessGrid>& grids);

/// Where rules over process grids of different dimensions hold, those over a grid that the program has for
/// certain come first: one that was recorded, or that the partners of another step need. Where there is none,
/// rules without a grid come first.
void prefer_known_grids(Structure& structure, const std::vector<ProcessGrid>& grids);

/// Puts first the rules with which calls of one place in the program exchange with different partners, and
/// what one sends another receives. Leaves rules as they are where none of those that hold do so.
void prefer_partners_that_fit(Structure& structure, const std::vector<ProcessGrid>& grids);

/// A step of which several rules hold for all recordings, and say different things at some process count.
struct Doubt {
  std::string step;          // "MPI_Send (halo.c:12, in main)"
  std::string taken, other;  // the rule that is taken, and the first of those that differ: "rank r + 1"
  bool messages = false;     // rules say with whom; else who
  std::int32_t rank = 0;     // for which they do
  std::int32_t settled = 0;  // the least process count that a recording would settle it with
};

/// Of all steps of the model's structure, in order.
std::vector<Doubt> doubts_at(const Model& model, const Point& point);

/// "MPI_Send (halo.c:12) is taken to be with rank r + 1, the simplest rule that holds for all recordings;
/// ...".
std::string to_text(const Doubt& doubt);

}  // namespace parcast::program
