// SPDX-License-Identifier: Apache-2.0
#pragma once
// Algorithms by which MPI libraries carry out collectives, and the message size from which each is used.
// docs/models/message_passing.md, "Schedules of collectives", lists the messages of each.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "recording/recording.h"

namespace parcast::machine {

enum class Algorithm : std::uint8_t {
  dissemination,
  binomial,
  recursive_doubling,
  ring,
  bruck,
  pairwise,
  linear,
  scatter_allgather,
  rabenseifner
};

struct AlgorithmChoice {
  std::uint64_t from_bytes = 0;  // contributed by a member
  Algorithm algorithm = Algorithm::linear;
  bool operator==(const AlgorithmChoice&) const = default;
};
using AlgorithmChoices = std::vector<AlgorithmChoice>;  // ascending from_bytes, the first from 0

std::string_view algorithm_name(Algorithm algorithm);

/// Returns the algorithms for a pattern, for any number of members; empty for patterns that are not simulated
/// by messages.
std::span<const Algorithm> algorithms_of(recording::Pattern pattern);

/// Returns the names of patterns for which algorithms_of() is not empty.
const std::vector<std::string_view>& simulated_patterns();

/// Returns the default choices of machines; empty if algorithms_of() is.
const AlgorithmChoices& usual_algorithms(recording::Pattern pattern);

/// Converts to and from text such as "recursive_doubling, ring from 64KiB". The error gives the unknown name.
Result<AlgorithmChoices> algorithms_from(recording::Pattern pattern, std::string_view text);
std::string algorithms_text(const AlgorithmChoices& choices);

/// Returns the algorithm for `bytes`. If members contribute different amounts (`uneven`), all use the last
/// one, since all must choose alike. `choices` must not be empty.
Algorithm algorithm_at(const AlgorithmChoices& choices, std::uint64_t bytes, bool uneven);

}  // namespace parcast::machine
