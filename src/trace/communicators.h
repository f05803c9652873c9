// SPDX-License-Identifier: Apache-2.0
#pragma once
// The communicators of a recording in a trace: those that the recording uses, in order of first use. An
// intercommunicator has the members of both groups, one after the other.

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trace/builder.h"
#include "trace/communicator_table.h"

namespace parcast::trace {

class Communicators {
 public:
  Communicators(const recording::Recording& recording, Builder& builder);

  /// Returns the number of a rank's communicator that the functions below take; nothing when its members are
  /// unknown.
  std::optional<std::uint32_t> find(std::int32_t rank, std::uint32_t index) const {
    return table_.number(rank, index);
  }
  /// Returns the communicator's index in the trace.
  std::uint32_t index(std::uint32_t communicator);
  /// Returns the index of a private communicator with the same members. It carries messages that the program
  /// did not send itself.
  std::uint32_t private_index(std::uint32_t communicator);
  /// For an intercommunicator: returns the index of a communicator that contains the root, first, and the
  /// group that it sends to or receives from. The other processes of the root's group take no part in its
  /// rooted collectives.
  std::uint32_t rooted_index(std::uint32_t communicator, std::int32_t root);
  std::size_t size(std::uint32_t communicator) const;
  bool inter(std::uint32_t communicator) const { return table_.all()[communicator].inter; }
  /// Returns a process's rank in the communicator; 0 when it is no member or `world_rank` is no process.
  std::int32_t rank_in(std::uint32_t communicator, std::int32_t world_rank) const;

 private:
  CommunicatorTable table_;
  Builder& builder_;
  std::uint32_t in_trace(std::uint32_t communicator, std::uint32_t& index);
  std::vector<std::uint32_t> indices_, private_;  // indices in the trace
  // indices in the trace, by communicator and root
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> rooted_;
};

}  // namespace parcast::trace
