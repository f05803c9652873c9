// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses among several rules that hold for all recordings, and reports on the choice.
// docs/models/structure.md.

#include <string>
#include <vector>

#include "model/binding.h"
#include "structure/rules.h"

namespace parcast::program {

/// Removes rules that are equal to another at every process count.
void drop_equal_alternatives(Structure& structure, const std::vector<ProcessGrid>& grids);

/// Orders rules over process grids of different dimensions. Rules over a grid that the program certainly has
/// come first: one that was recorded, or that the partners of another step need. Without such a grid, rules
/// without a grid come first.
void prefer_known_grids(Structure& structure, const std::vector<ProcessGrid>& grids);

/// Puts first the rules with which calls of one place in the program exchange with different partners, and
/// each send has a receive. Leaves rules as they are if no combination does so.
void prefer_partners_that_fit(Structure& structure, const std::vector<ProcessGrid>& grids);

/// A step for which several rules hold for all recordings and differ at some process count.
struct Doubt {
  std::string step;  // "MPI_Send (halo.c:12, in main)"
  // The chosen rule, and the first one that differs: "rank r + 1".
  std::string taken, other;
  bool messages = false;  // the rules give partners; otherwise ranks
  std::int32_t rank = 0;  // a rank for which they differ
  // The smallest process count whose recording would decide.
  std::int32_t resolved = 0;
};

/// Returns the doubts of all steps of the model's structure, in order.
std::vector<Doubt> doubts_at(const Model& model, const Point& point);

/// Returns "MPI_Send (halo.c:12) is taken to be with rank r + 1, the simplest rule that holds for all
/// recordings; ...".
std::string to_text(const Doubt& doubt);

}  // namespace parcast::program
