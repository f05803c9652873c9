// SPDX-License-Identifier: Apache-2.0
#pragma once
// The communicators of all ranks as one list. In a recording each rank numbers its own communicators. Here
// the k-th communicator with the same members in the same order is the same one on all ranks, since creating
// a communicator is collective. For an intercommunicator each side lists the other group; two lists that name
// each other form one intercommunicator.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "recording/recording.h"

namespace parcast::trace {

using WorldRanks = std::vector<std::int32_t>;

struct SharedCommunicator {
  WorldRanks members;  // world rank of each member
  WorldRanks other;    // of an intercommunicator: world ranks of the second group
  bool inter = false;
  std::vector<std::int32_t> dimensions;  // of a Cartesian topology
  std::vector<bool> periodic;
};

class CommunicatorTable {
 public:
  explicit CommunicatorTable(const recording::Recording& recording);

  /// [0] is MPI_COMM_WORLD.
  std::span<const SharedCommunicator> all() const { return all_; }
  /// Returns the number, in this table, of a rank's communicator; nothing when its members are unknown.
  std::optional<std::uint32_t> number(std::int32_t rank, std::uint32_t index) const;
  /// Returns the rank that `rank` uses in a communicator to address the process with that world rank: its
  /// position in the group that receives messages from `rank`.
  std::optional<std::uint32_t> place(std::uint32_t number, std::int32_t rank, std::int32_t world_rank) const;
  /// Number of members of the group that `rank` communicates with.
  std::uint64_t size(std::uint32_t number, std::int32_t rank) const;
  /// Number of communicators that have members outside MPI_COMM_WORLD. Those members are not listed here.
  std::uint64_t with_outsiders() const { return with_outsiders_; }

 private:
  struct Places {
    std::unordered_map<std::int32_t, std::uint32_t> members, other;
  };
  std::uint32_t add(SharedCommunicator communicator);
  void pair_sides(const recording::Recording& recording);
  bool in_first(std::uint32_t number, std::int32_t rank) const;

  std::vector<SharedCommunicator> all_;
  std::vector<Places> places_;
  std::vector<std::vector<std::uint32_t>> numbers_;  // [rank][index]
  std::uint64_t with_outsiders_ = 0;
};

}  // namespace parcast::trace
