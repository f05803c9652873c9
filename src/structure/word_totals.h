// SPDX-License-Identifier: Apache-2.0
#pragma once
// How often a rank's sequence (trace/trace.h) executes chosen operations, and how often one of them follows
// another. Loops are not unfolded.

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace parcast::program {

/// A number that the caller gives to an operation, or kNotCounted.
using Mark = std::int32_t;
inline constexpr Mark kNotCounted = -1;

struct WordTotals {
  std::map<Mark, std::int64_t> executions;
  std::map<std::pair<Mark, Mark>, std::int64_t> followed;  // one mark, then the next
  Mark first = kNotCounted, last = kNotCounted;            // kNotCounted: no operation is counted
};

/// Returns the totals of a sequence. `marks`: one for each operation of the trace.
WordTotals totals_of_words(std::span<const trace::Item> words, const std::vector<Mark>& marks);

}  // namespace parcast::program
