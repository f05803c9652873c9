// SPDX-License-Identifier: Apache-2.0
#pragma once
// Iterations of a loop of which some do more than others: every tenth a reduction, every hundredth a file.
// What a rank did, operation after operation, is cut into iterations by the operations that all of them have.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "structure/token_cursor.h"

namespace parcast::program {

/// In which iterations i = 0, 1, ... of a loop: i mod every = offset.
struct Occasion {
  std::int64_t every = 1, offset = 0;
  bool is_at(std::int64_t iteration) const { return iteration % every == offset; }
  auto operator<=>(const Occasion&) const = default;
};

/// By key.
using Occasions = std::map<std::uint32_t, Occasion>;

/// One rank's way through a loop.
struct Iterations {
  std::size_t at = 0;  // the rank's position in the search
  std::size_t run = 0;
  std::vector<Token> all;    // operations, no loops
  std::vector<bool> always;  // of each, whether it is one that all iterations have
  TokenCursor rest;          // behind the loop
  std::int64_t rounds = 0;
  std::vector<Token> body;  // operations of an iteration in which all is done that the rank ever does
};

/// Finds the number of iterations of each rank, equal in a run, the occasion of each key that not all
/// iterations have, and the bodies. Nothing where these do not give back what the ranks did.
std::optional<Occasions> find_occasions(std::vector<Iterations>& of);

}  // namespace parcast::program
