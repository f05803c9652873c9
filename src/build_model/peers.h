// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whom a call exchanges with, as one relation that every process of every recording confirms.

#include <cstdint>
#include <vector>

#include "model/model.h"
#include "model/place.h"
#include "observations/traces.h"

namespace parcast::program {

/// What one process did at a call.
struct PeerObservation {
  const CallTotals* totals = nullptr;
  Place place;
};

struct Relation {
  PeerRelation relation = PeerRelation::none;
  std::vector<std::int64_t> amounts;   // as Node::amounts; of `several`: peer - rank, most frequent first
};

/// `grids`: recorded Cartesian topologies; a shift in one of them is preferred to other explanations.
Relation find_relation(const std::vector<PeerObservation>& observations, const std::vector<ProcessGrid>& grids,
                       bool collective);

/// The world rank that the relation gives at a place; kNoPeer where it gives none. `execution` counts from 0.
std::int32_t partner(const Relation& relation, const Place& place, std::int64_t execution);

}  // namespace parcast::program
