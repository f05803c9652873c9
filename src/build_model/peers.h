// SPDX-License-Identifier: Apache-2.0
#pragma once
// The partners of a call, as one relation that holds for every process of every recording.

#include <cstdint>
#include <vector>

#include "model/model.h"
#include "model/place.h"
#include "observations/traces.h"

namespace parcast::program {

/// What one process did in the executions of a call.
struct PeerObservation {
  const CallTotals* totals = nullptr;
  Place place;
};

struct Relation {
  PeerRelation relation = PeerRelation::none;
  std::vector<std::int64_t> amounts;  // as Node::amounts; for `several`: peer - rank, most frequent first
};

/// `grids`: recorded Cartesian topologies. A shift in one of them is preferred to other relations.
Relation find_relation(const std::vector<PeerObservation>& observations,
                       const std::vector<ProcessGrid>& grids, bool collective);

/// Returns the partner's world rank by the relation at a place; kNoPeer if there is none. `execution` counts
/// from 0.
std::int32_t partner(const Relation& relation, const Place& place, std::int64_t execution);

}  // namespace parcast::program
