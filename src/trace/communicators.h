// SPDX-License-Identifier: Apache-2.0
#pragma once
// The communicators of a recording in a trace: those that it uses, in order of first use. Of an intercommunicator both groups,
// one after the other.

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trace/communicator_table.h"
#include "trace/builder.h"

namespace parcast::trace {

class Communicators {
 public:
  Communicators(const recording::Recording& recording, Builder& builder);

  /// A rank's communicator, as the functions below call it; nothing when its members are not known.
  std::optional<std::uint32_t> find(std::int32_t rank, std::uint32_t index) const { return table_.number(rank, index); }
  /// Its index in the trace.
  std::uint32_t index(std::uint32_t communicator);
  /// That of another one with the same members, whose messages are no program's own.
  std::uint32_t private_index(std::uint32_t communicator);
  /// Of an intercommunicator: that of the root, first, and the group that it sends to or receives from. The processes beside the root take no
  /// part in its rooted collectives.
  std::uint32_t rooted_index(std::uint32_t communicator, std::int32_t root);
  std::size_t size(std::uint32_t communicator) const;
  bool inter(std::uint32_t communicator) const { return table_.all()[communicator].inter; }
  /// A process's rank in it; 0 where it is no member, or `world_rank` no process.
  std::int32_t rank_in(std::uint32_t communicator, std::int32_t world_rank) const;

 private:
  CommunicatorTable table_;
  Builder& builder_;
  std::uint32_t in_trace(std::uint32_t communicator, std::uint32_t& index);
  std::vector<std::uint32_t> indices_, private_;  // in the trace
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> rooted_;  // the same, by communicator and root
};

}  // namespace parcast::trace
