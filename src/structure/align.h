// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ranks of all runs go through what they did side by side. Each step found is one that every rank does next to whom its
// rule applies, and no other rank: so the steps account for every operation of every rank, in order, or there is an error.
// docs/models/structure.md.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "model/structure.h"
#include "structure/tokens.h"

namespace parcast::program {

/// An operation that a rank did at a step.
struct Seen {
  std::uint32_t rank = 0;       // index into Tokens::ranks
  std::uint32_t round = 0, rounds = 1;  // of the innermost step with rounds
  const trace::Operation* operation = nullptr;
};

/// A step whose rule is known, and what its counts are to be found from.
struct Draft {
  Step step;                    // kind, guard, operation, place, partner, rivals
  std::uint32_t key = 0;        // of an operation
  std::vector<Seen> seen;
  std::vector<std::uint32_t> alone;  // ranks that do not do the collective because they are its communicator's only one
  std::vector<std::int64_t> rounds;  // of a loop: of each rank
  std::vector<bool> silent;          // of a loop: ranks whose recordings end before it; none: all come to it
  std::vector<Draft> body;
};

struct Alignment {
  std::vector<Draft> drafts;
  std::optional<Error> gave_up;  // the search met its bound, and this is where: no drafts then
};

/// Steps that the search tries, those that it takes back included.
inline constexpr int kMostAttempts = 2000;

/// The error names the first operation that no rule explains, and the recording that would help.
Result<Alignment> align(const Tokens& tokens, const std::vector<std::string>& parameters,
                        const std::vector<ProcessGrid>& grids, int most_attempts);

}  // namespace parcast::program
