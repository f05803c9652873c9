// SPDX-License-Identifier: Apache-2.0
#pragma once
// Communicators of all ranks as one list. In a recording each rank numbers its own; here the k-th communicator with the same
// members in the same order is one and the same on all of them, since making one is collective. Of an intercommunicator
// each side lists the other: two such lists that name each other make one.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "recording/recording.h"

namespace parcast::trace {

using WorldRanks = std::vector<std::int32_t>;

struct SharedCommunicator {
  WorldRanks members;                // world rank of each
  WorldRanks other;                  // of an intercommunicator: the second group
  bool inter = false;
  std::vector<std::int32_t> dimensions;  // of a Cartesian topology
  std::vector<bool> periodic;
};

class CommunicatorTable {
 public:
  explicit CommunicatorTable(const recording::Recording& recording);

  /// [0] is MPI_COMM_WORLD.
  std::span<const SharedCommunicator> all() const { return all_; }
  /// The number here of a rank's communicator; nothing when its members are not known.
  std::optional<std::uint32_t> number(std::int32_t rank, std::uint32_t index) const;
  /// How `rank` calls the process with that world rank in a communicator: its place in the group that messages of `rank` go to.
  std::optional<std::uint32_t> place(std::uint32_t number, std::int32_t rank, std::int32_t world_rank) const;
  /// Members of the group that `rank` communicates with.
  std::uint64_t size(std::uint32_t number, std::int32_t rank) const;
  /// Communicators with members that are not in MPI_COMM_WORLD: these are not among the members here.
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
