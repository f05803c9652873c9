// SPDX-License-Identifier: Apache-2.0
#include "trace/communicator_table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace parcast::trace {
namespace {

constexpr std::uint32_t kUnknown = UINT32_MAX;

/// Members, topology, and the number of earlier communicators with the same members and topology on the same
/// rank.
using CommunicatorKey = std::tuple<WorldRanks, std::vector<std::int32_t>, std::vector<bool>, std::uint32_t>;

bool holds(const WorldRanks& ranks, std::int32_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

WorldRanks sorted(WorldRanks ranks) {
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::vector<CommunicatorKey> keys_of(const recording::RankRecording& rank) {
  std::map<CommunicatorKey, std::uint32_t> seen;
  std::vector<CommunicatorKey> keys;
  for (const recording::Communicator& each : rank.communicators) {
    const CommunicatorKey base{each.world_ranks, each.dimensions, each.periodic, 0};
    const std::uint32_t before = seen[base]++;
    keys.emplace_back(each.world_ranks, each.dimensions, each.periodic, before);
  }
  return keys;
}

}  // namespace

std::uint32_t CommunicatorTable::add(SharedCommunicator communicator) {
  const auto outside = [](std::int32_t rank) { return rank < 0; };
  with_outsiders_ +=
      std::erase_if(communicator.members, outside) + std::erase_if(communicator.other, outside) > 0;
  Places places;
  for (std::uint32_t i = 0; i < communicator.members.size(); ++i)
    places.members.emplace(communicator.members[i], i);
  for (std::uint32_t i = 0; i < communicator.other.size(); ++i)
    places.other.emplace(communicator.other[i], i);
  all_.push_back(std::move(communicator));
  places_.push_back(std::move(places));
  return static_cast<std::uint32_t>(all_.size() - 1);
}

CommunicatorTable::CommunicatorTable(const recording::Recording& recording) {
  SharedCommunicator world;
  world.members.resize(static_cast<std::size_t>(std::max(recording.processes, 0)));
  std::iota(world.members.begin(), world.members.end(), 0);
  std::map<CommunicatorKey, std::uint32_t> known{{CommunicatorKey{world.members, {}, {}, 0}, add(world)}};
  for (const auto& rank : recording.ranks) {
    std::vector<std::uint32_t>& numbers = numbers_.emplace_back();
    for (const CommunicatorKey& key : keys_of(rank)) {
      const auto& [members, dimensions, periodic, before] = key;
      if (numbers.empty()) {
        numbers.push_back(0);  // the first one is MPI_COMM_WORLD, even when its list is damaged
      } else if (members.empty() || !holds(members, rank.rank)) {
        numbers.push_back(kUnknown);
      } else {
        const auto at = known.find(key);
        numbers.push_back(at != known.end() ? at->second : add({members, {}, false, dimensions, periodic}));
        if (at == known.end()) known.emplace(key, numbers.back());
      }
    }
  }
  pair_sides(recording);
}

/// Pairs the lists that do not contain the rank that holds them: the two sides of intercommunicators.
void CommunicatorTable::pair_sides(const recording::Recording& recording) {
  // list of the far side -> (rank, index) of its holders
  std::map<CommunicatorKey, std::vector<std::pair<std::size_t, std::size_t>>> sides;
  for (std::size_t r = 0; r < recording.ranks.size(); ++r) {
    const std::vector<CommunicatorKey> keys = keys_of(recording.ranks[r]);
    for (std::size_t c = 1; c < keys.size(); ++c) {
      const WorldRanks& members = std::get<0>(keys[c]);
      if (numbers_[r][c] == kUnknown && !members.empty() && !holds(members, recording.ranks[r].rank))
        sides[keys[c]].emplace_back(r, c);
    }
  }
  const auto holders = [&](const auto& places) {
    WorldRanks out;
    for (const auto& [r, c] : places) out.push_back(recording.ranks[r].rank);
    return sorted(out);
  };
  // near and far side, in order of rank
  std::map<std::tuple<WorldRanks, WorldRanks, std::uint32_t>, std::uint32_t> made;
  for (const auto& [key, places] : sides) {
    const WorldRanks& far = std::get<0>(key);
    const WorldRanks near = holders(places);
    WorldRanks ordered = near;  // in the order in which the far side lists it, if it does
    for (const auto& [other, others] : sides)
      if (std::get<3>(other) == std::get<3>(key) && sorted(std::get<0>(other)) == near &&
          holders(others) == sorted(far))
        ordered = std::get<0>(other);
    const auto twin = made.find({sorted(far), near, std::get<3>(key)});
    const std::uint32_t number = twin != made.end() ? twin->second : add({ordered, far, true, {}, {}});
    if (twin == made.end()) made.emplace(std::tuple(near, sorted(far), std::get<3>(key)), number);
    for (const auto& [r, c] : places) numbers_[r][c] = number;
  }
}

std::optional<std::uint32_t> CommunicatorTable::number(std::int32_t rank, std::uint32_t index) const {
  const auto r = static_cast<std::size_t>(rank);
  if (r >= numbers_.size() || index >= numbers_[r].size())
    return index == 0 ? std::optional<std::uint32_t>(0) : std::nullopt;
  if (numbers_[r][index] == kUnknown) return std::nullopt;
  return numbers_[r][index];
}

bool CommunicatorTable::in_first(std::uint32_t number, std::int32_t rank) const {
  return places_[number].members.contains(rank);
}

std::optional<std::uint32_t> CommunicatorTable::place(std::uint32_t number, std::int32_t rank,
                                                      std::int32_t world_rank) const {
  const bool to_other = all_[number].inter && in_first(number, rank);
  const auto& group = to_other ? places_[number].other : places_[number].members;
  const auto at = group.find(world_rank);
  if (at == group.end()) return std::nullopt;
  return at->second;
}

std::uint64_t CommunicatorTable::size(std::uint32_t number, std::int32_t rank) const {
  const SharedCommunicator& communicator = all_[number];
  return communicator.inter && in_first(number, rank) ? communicator.other.size()
                                                      : communicator.members.size();
}

}  // namespace parcast::trace
