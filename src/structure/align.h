// SPDX-License-Identifier: Apache-2.0
#pragma once
// Advances the ranks of all runs together through their operations. Each step found is one that every rank
// selected by its rule executes next, and no other rank. So the steps account for every operation of every
// rank, in order, or the result is an error. docs/models/structure.md.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "model/structure.h"
#include "structure/tokens.h"

namespace parcast::program {

/// An operation that a rank executed at a step.
struct Seen {
  std::uint32_t rank = 0;               // index into Tokens::ranks
  std::uint32_t round = 0, rounds = 1;  // of the innermost step with rounds
  const trace::Operation* operation = nullptr;
};

/// A step whose rule is known, with the data from which its counts are found.
struct Draft {
  Step step;              // kind, guard, operation, place, partner, alternatives
  std::uint32_t key = 0;  // of an operation
  std::vector<Seen> seen;
  // Ranks without the collective because they are the only members of its communicator.
  std::vector<std::uint32_t> alone;
  std::vector<std::int64_t> rounds;  // of a loop: of each rank
  // Of a loop: ranks whose recordings end before it; empty: all reach it.
  std::vector<bool> silent;
  std::vector<Draft> body;
};

struct Alignment {
  std::vector<Draft> drafts;
  // The search reached its limit here; no drafts then.
  std::optional<Error> gave_up;
};

/// Limit on the steps that the search tries, including those that it undoes.
inline constexpr int kMostAttempts = 2000;

/// Returns the steps. The error names the first operation that no rule explains, and the recording that would
/// help.
Result<Alignment> align(const Tokens& tokens, const std::vector<ProcessGrid>& grids, int most_attempts);

}  // namespace parcast::program
