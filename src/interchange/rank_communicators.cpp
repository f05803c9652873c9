// SPDX-License-Identifier: Apache-2.0
#include "interchange/rank_communicators.h"

#include <algorithm>

namespace parcast::interchange {
namespace {

bool counts_up(const std::vector<std::int32_t>& ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != static_cast<std::int32_t>(i)) return false;
  return true;
}

}  // namespace

ArchiveCommunicators::ArchiveCommunicators(const Otf2Archive& archive, const Otf2Ranks& ranks)
    : archive_(archive) {
  for (std::size_t i = 0; i < ranks.ranks.size(); ++i) alone_.push_back({static_cast<std::int32_t>(i)});
  OTF2_CommRef whole = OTF2_UNDEFINED_COMM;
  for (const auto& [number, about] : archive.communicators) {
    Members members;
    const auto group = archive.groups.find(about.group);
    members.self = group != archive.groups.end() && group->second.type == OTF2_GROUP_TYPE_COMM_SELF;
    members.inter = about.inter;
    members.first = ranks_in(about.group, ranks);
    if (about.inter) members.second = ranks_in(about.other, ranks);
    const bool all = !about.inter && members.first.size() == ranks.ranks.size() && counts_up(members.first);
    if (all && whole == OTF2_UNDEFINED_COMM) whole = number;
    if (all && about.name == "MPI_COMM_WORLD" && world_ == OTF2_UNDEFINED_COMM) world_ = number;
    members_.emplace(number, std::move(members));
  }
  if (world_ == OTF2_UNDEFINED_COMM) world_ = whole;
}

/// Returns the world ranks of a group's members; empty if one of them is not a rank.
std::vector<std::int32_t> ArchiveCommunicators::ranks_in(OTF2_GroupRef number, const Otf2Ranks& ranks) const {
  const auto group = archive_.groups.find(number);
  std::vector<std::int32_t> out;
  if (group == archive_.groups.end()) return out;
  const bool locations = group->second.global || group->second.type == OTF2_GROUP_TYPE_LOCATIONS ||
                         group->second.type == OTF2_GROUP_TYPE_COMM_LOCATIONS;
  for (const std::uint64_t member : group->second.members) {
    const auto at = locations ? ranks.rank_of.find(member) : ranks.rank_of.end();
    if (locations ? at == ranks.rank_of.end() : member >= ranks.ranks.size()) return {};
    out.push_back(locations ? at->second : static_cast<std::int32_t>(member));
  }
  return out;
}

const std::vector<std::int32_t>& ArchiveCommunicators::peers(OTF2_CommRef communicator,
                                                             std::int32_t rank) const {
  static const std::vector<std::int32_t> none;
  const auto at = members_.find(communicator);
  if (at == members_.end()) return none;
  if (at->second.self) return alone_[static_cast<std::size_t>(rank)];
  return is_inter(communicator, rank) ? at->second.second : at->second.first;
}

/// Returns whether the rank is in the first of two groups, and so communicates with the second.
bool ArchiveCommunicators::is_inter(OTF2_CommRef communicator, std::int32_t rank) const {
  const auto at = members_.find(communicator);
  if (at == members_.end() || !at->second.inter) return false;
  return std::find(at->second.first.begin(), at->second.first.end(), rank) != at->second.first.end();
}

const ArchiveGrid* ArchiveCommunicators::grid(OTF2_CommRef communicator) const {
  const auto at = archive_.grids.find(communicator);
  return at == archive_.grids.end() ? nullptr : &at->second;
}

std::uint32_t RankCommunicators::number(OTF2_CommRef communicator) {
  if (communicator == OTF2_UNDEFINED_COMM || all_.is_world(communicator)) return 0;
  const auto [at, is_new] = numbers_.emplace(communicator, static_cast<std::uint32_t>(numbers_.size() + 1));
  if (!is_new) return at->second;
  recording::Communicator out;
  out.world_ranks = all_.peers(communicator, rank_);
  const bool remote =
      std::find(out.world_ranks.begin(), out.world_ranks.end(), rank_) == out.world_ranks.end();
  const ArchiveGrid* grid = all_.grid(communicator);
  const auto place = grid ? grid->coordinates.find(static_cast<std::uint32_t>(own_place(communicator)))
                          : decltype(grid->coordinates.end()){};
  if (grid && place != grid->coordinates.end()) {
    out.dimensions = grid->extents;
    out.periodic = grid->periodic;
    out.coordinates.assign(place->second.begin(), place->second.end());
  }
  writer_.communicator(at->second, out, remote && !out.world_ranks.empty());
  return at->second;
}

std::int32_t RankCommunicators::peer(OTF2_CommRef communicator, std::uint32_t rank) {
  const auto& peers = all_.peers(communicator, rank_);
  if (rank < peers.size()) return peers[rank];
  ++unknown_peers_;
  return recording::kNoPeer;
}

std::uint64_t RankCommunicators::own_place(OTF2_CommRef communicator) const {
  const auto& peers = all_.peers(communicator, rank_);
  const auto at = std::find(peers.begin(), peers.end(), rank_);
  return at == peers.end() ? 0 : static_cast<std::uint64_t>(at - peers.begin());
}

}  // namespace parcast::interchange
