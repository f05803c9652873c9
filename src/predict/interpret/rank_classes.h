// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds classes of ranks that advance in step. Their items are equal except for the partners, and their
// partners belong to one class each, over routes of equal cost. One rank represents its class
// (docs/models/interpretation.md, "Rank classes").

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "predict/interpret/interpretation.h"

namespace parcast::interpret {

struct RankClasses {
  std::vector<std::int32_t> class_of;         // of each rank
  std::vector<std::int32_t> representatives;  // of each class, its lowest rank
  std::vector<std::int64_t> size;             // ranks of each class
  /// Numbers for the relation between sender and receiver: equal for a message at both of its ends, for all
  /// ranks of their classes. For the partners of representatives: key (sender, receiver).
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> channels;
};

/// Returns the coarsest classes. Returns nothing when there are too many to save time, or when collectives of
/// a subset of ranks, or scans, distinguish ranks.
std::optional<RankClasses> rank_classes(const trace::Trace& trace, const Costs& costs);

}  // namespace parcast::interpret
