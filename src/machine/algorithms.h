// SPDX-License-Identifier: Apache-2.0
#pragma once
// Algorithms by which MPI libraries do collectives, and from how many bytes on which one. docs/models/message_passing.md,
// "Schedules of collectives", says what each sends.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "recording/recording.h"

namespace parcast::machine {

enum class Algorithm : std::uint8_t { dissemination, binomial, recursive_doubling, ring, bruck, pairwise, linear, scatter_allgather, rabenseifner };

struct AlgorithmChoice {
  std::uint64_t from_bytes = 0;  // contributed by a member
  Algorithm algorithm = Algorithm::linear;
  bool operator==(const AlgorithmChoice&) const = default;
};
using AlgorithmChoices = std::vector<AlgorithmChoice>;  // ascending from_bytes, the first from 0

std::string_view algorithm_name(Algorithm algorithm);

/// Those that serve a pattern, for any number of members; empty for patterns that are not simulated by messages.
std::span<const Algorithm> algorithms_of(recording::Pattern pattern);

/// The names of patterns that algorithms_of() has some for.
const std::vector<std::string_view>& simulated_patterns();

/// Where a machine says nothing else; empty where algorithms_of() is.
const AlgorithmChoices& usual_algorithms(recording::Pattern pattern);

/// "recursive_doubling, ring from 64KiB", and back. The error names what is not known.
Result<AlgorithmChoices> algorithms_from(recording::Pattern pattern, std::string_view text);
std::string algorithms_text(const AlgorithmChoices& choices);

/// The one for so many bytes. Where members contribute different amounts (`uneven`) all take the last, since all must choose
/// alike. `choices` is not empty.
Algorithm algorithm_at(const AlgorithmChoices& choices, std::uint64_t bytes, bool uneven);

}  // namespace parcast::machine
