// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops in which some iterations do more than others: every tenth a reduction, every hundredth a file. The
// operations of a rank are cut into iterations by those that all iterations have.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "structure/token_cursor.h"

namespace parcast::program {

/// The iterations i = 0, 1, ... of a loop with i mod every = offset.
struct Occasion {
  std::int64_t every = 1, offset = 0;
  bool is_at(std::int64_t iteration) const { return iteration % every == offset; }
  auto operator<=>(const Occasion&) const = default;
};

/// Occasions of all runs: of every n-th iteration, n a number or a parameter of the program.
struct Recurrence {
  std::int64_t every = 1;
  std::int64_t offset = 0;  // with a parameter also < 0: from the end of a period, -1 is n - 1
  int parameter = -1;       // index of the parameter that is n; -1: `every` is

  /// `parameters`: values in the run, in the order of the names.
  Occasion in(const std::vector<double>& parameters) const;
  auto operator<=>(const Recurrence&) const = default;
};

/// By key.
using Occasions = std::map<std::uint32_t, Recurrence>;

/// Returns the values of the parameters in a run.
using ParametersOf = std::function<const std::vector<double>&(std::size_t run)>;

/// One rank's operations in a loop.
struct Iterations {
  std::size_t at = 0;  // the rank's position in the search
  std::size_t run = 0;
  std::vector<Token> all;    // operations, no loops
  std::vector<bool> always;  // per operation: whether all iterations have it
  // Operations at the end of `all` that belong to what follows the loop, e.g. an output after it by the call
  // that makes one every tenth iteration. find_occasions moves them here.
  std::vector<Token> surplus;
  TokenCursor rest;  // after `all` and `surplus`
  std::int64_t rounds = 0;
  // Operations of an iteration with everything that the rank ever does in one.
  std::vector<Token> body;
};

/// Finds three things: the number of iterations of each rank (equal in a run), the occasion of each key that
/// not all iterations have, and the bodies. Returns nothing if these do not reproduce the ranks' operations.
std::optional<Occasions> find_occasions(std::vector<Iterations>& of, const ParametersOf& parameters_of);

}  // namespace parcast::program
