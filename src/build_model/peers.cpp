// SPDX-License-Identifier: Apache-2.0
#include "build_model/peers.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/checked.h"

namespace parcast::program {
namespace {

using recording::kNoPeer;

bool holds(const Relation& relation, const std::vector<PeerObservation>& observations) {
  for (const PeerObservation& o : observations)
    for (const auto& [peer, times] : o.totals->peers)
      if (peer != partner(relation, o.place, 0)) return false;
  return true;
}

std::set<std::int64_t> differences(const std::vector<PeerObservation>& observations) {
  std::set<std::int64_t> all;
  for (const PeerObservation& o : observations)
    for (const auto& [peer, times] : o.totals->peers)
      if (peer >= 0) all.insert(peer - o.place.r);
  return all;
}

// Returns the smallest ring distances that a difference of ranks may represent.
std::vector<std::int64_t> ring_candidates(const std::vector<PeerObservation>& observations) {
  std::set<std::int64_t> all;
  for (const PeerObservation& o : observations)
    for (const auto& [peer, times] : o.totals->peers) {
      if (peer < 0) continue;
      const std::int64_t forward = floor_modulo<std::int64_t>(peer - o.place.r, o.place.p);
      all.insert(forward);
      all.insert(forward - o.place.p);
    }
  std::vector<std::int64_t> list(all.begin(), all.end());
  std::stable_sort(list.begin(), list.end(), [](auto a, auto b) { return std::abs(a) < std::abs(b); });
  constexpr std::size_t kMost = 32;
  if (list.size() > kMost) list.resize(kMost);
  return list;
}

void add_shifts(std::vector<Relation>& candidates, int dimensions) {
  for (int dimension = 0; dimension < dimensions; ++dimension)
    for (const std::int64_t shift : {1, -1, 2, -2})
      for (const std::int64_t periodic : {1, 0})
        candidates.push_back({PeerRelation::grid_shift, {dimension, shift, dimensions, periodic}});
}

std::vector<Relation> candidates(const std::vector<PeerObservation>& observations,
                                 const std::vector<ProcessGrid>& grids) {
  std::vector<Relation> all;
  for (const ProcessGrid& grid : grids)
    if (grid.dimensions >= 1 && grid.dimensions <= kMostDimensions) add_shifts(all, grid.dimensions);
  const auto apart = differences(observations);
  if (apart.size() == 1) all.push_back({PeerRelation::offset, {*apart.begin()}});
  for (const std::int64_t k : ring_candidates(observations)) all.push_back({PeerRelation::offset_ring, {k}});
  std::set<std::int64_t> exclusive;
  for (const PeerObservation& o : observations)
    for (const auto& [peer, times] : o.totals->peers)
      if (peer >= 0) exclusive.insert(peer ^ o.place.r);
  if (exclusive.size() == 1) all.push_back({PeerRelation::exclusive_or, {*exclusive.begin()}});
  for (int d = 2; d <= kMostDimensions; ++d) add_shifts(all, d);
  return all;
}

std::optional<std::int64_t> only_peer(const std::vector<PeerObservation>& observations) {
  std::set<std::int64_t> peers;
  for (const PeerObservation& o : observations)
    for (const auto& [peer, times] : o.totals->peers) peers.insert(peer);
  if (peers.size() != 1 || *peers.begin() < 0) return std::nullopt;
  return *peers.begin();
}

bool roots_advance(const std::vector<PeerObservation>& observations) {
  std::set<std::int64_t> first;
  bool several = false;
  for (const PeerObservation& o : observations) {
    if (!o.totals->roots_advance || o.totals->first_root < 0) return false;
    if (o.place.p > 1) first.insert(o.totals->first_root);
    several |= o.totals->peers.size() > 1;
  }
  return several && first.size() == 1;
}

Relation irregular(const std::vector<PeerObservation>& observations) {
  std::map<std::int64_t, std::int64_t> times_of;
  for (const PeerObservation& o : observations)
    for (const auto& [peer, times] : o.totals->peers)
      if (peer >= 0) times_of[peer - o.place.r] += times;
  std::vector<std::pair<std::int64_t, std::int64_t>> list;
  for (const auto& [difference, times] : times_of) list.push_back({-times, difference});
  std::sort(list.begin(), list.end());
  Relation relation{PeerRelation::several, {}};
  constexpr std::size_t kMost = 8;
  for (std::size_t i = 0; i < std::min(list.size(), kMost); ++i) relation.amounts.push_back(list[i].second);
  return relation;
}

std::int64_t shifted(const Relation& relation, const Place& place) {
  const auto dimension = static_cast<std::size_t>(relation.amounts[0]);
  const auto dimensions = static_cast<std::size_t>(relation.amounts[2]);
  const auto& extents = place.extents[dimensions];
  auto coordinates = place.coordinates[dimensions];
  const std::int64_t moved = coordinates[dimension] + relation.amounts[1];
  const bool outside = moved < 0 || moved >= extents[dimension];
  if (outside && relation.amounts[3] == 0) return kNoPeer;
  coordinates[dimension] = floor_modulo(moved, extents[dimension]);
  std::int64_t rank = 0;
  for (std::size_t k = 0; k < dimensions; ++k) rank = rank * extents[k] + coordinates[k];
  return rank;
}

}  // namespace

std::int32_t partner(const Relation& relation, const Place& place, std::int64_t execution) {
  std::int64_t rank = kNoPeer;
  switch (relation.relation) {
    case PeerRelation::none:
    case PeerRelation::several:
      return kNoPeer;
    case PeerRelation::offset:
      rank = place.r + relation.amounts[0];
      break;
    case PeerRelation::offset_ring:
      rank = floor_modulo(place.r + relation.amounts[0], place.p);
      break;
    case PeerRelation::exclusive_or:
      rank = place.r ^ relation.amounts[0];
      break;
    case PeerRelation::grid_shift:
      rank = shifted(relation, place);
      break;
    case PeerRelation::fixed:
      rank = relation.amounts[0];
      break;
    case PeerRelation::cyclic_root:
      rank = floor_modulo(execution + relation.amounts[0], place.p);
      break;
  }
  return rank >= 0 && rank < place.p ? static_cast<std::int32_t>(rank) : kNoPeer;
}

Relation find_relation(const std::vector<PeerObservation>& observations,
                       const std::vector<ProcessGrid>& grids, bool collective) {
  const bool any = std::any_of(observations.begin(), observations.end(), [](const PeerObservation& o) {
    return std::any_of(o.totals->peers.begin(), o.totals->peers.end(),
                       [](const auto& p) { return p.first != kNoPeer; });
  });
  if (!any) return {};
  const auto same = only_peer(observations);
  std::set<std::int64_t> ranks;
  for (const PeerObservation& o : observations) ranks.insert(o.place.r);
  if (same && (collective || ranks.size() > 1)) return {PeerRelation::fixed, {*same}};
  if (collective) {
    if (!roots_advance(observations)) return irregular(observations);
    for (const PeerObservation& o : observations)
      if (o.place.p > 1) return {PeerRelation::cyclic_root, {o.totals->first_root}};
  }
  for (const Relation& candidate : candidates(observations, grids))
    if (holds(candidate, observations)) return candidate;
  if (same) return {PeerRelation::fixed, {*same}};
  return irregular(observations);
}

}  // namespace parcast::program
