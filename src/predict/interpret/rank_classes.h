// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranks that advance in step: their words are the same but for the partners, and their partners are of one class each, over ways that cost
// the same. One of a class stands for all (docs/models/interpretation.md, "Rank classes").

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "predict/interpret/interpretation.h"

namespace parcast::interpret {

struct RankClasses {
  std::vector<std::int32_t> class_of;          // of each rank
  std::vector<std::int32_t> representatives;   // of each class, its lowest rank
  std::vector<std::int64_t> size;              // ranks of each class
  /// What ranks of one class have in common that send to, or receive from, such partners: equal for a message at both of its ends, whichever
  /// ranks of the classes they are. Of the partners of representatives: (sender, receiver).
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> channels;
};

/// The coarsest classes; nothing where they are too many to gain by, or where collectives of some ranks only, or scans, tell
/// ranks apart.
std::optional<RankClasses> rank_classes(const trace::Trace& trace, const Costs& costs);

}  // namespace parcast::interpret
