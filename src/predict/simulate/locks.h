// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parts of windows that ranks lock (one part per member): holders and outstanding requests.

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace parcast::simulate {

/// Held by one rank exclusively, or by several that share it.
struct LockedPart {
  std::set<std::int32_t> holders;      // ranks
  bool exclusive = false;              // whether it is held exclusively
  std::deque<std::uint32_t> requests;  // messages that have arrived and are not granted, in order
  bool admits(bool alone) const { return holders.empty() || !(alone || exclusive); }
  bool idle() const { return holders.empty() && requests.empty(); }
};

constexpr std::int32_t kAllParts = -1;
/// Communicator, window, owner's rank or kAllParts.
using PartKey = std::tuple<std::uint32_t, std::int32_t, std::int32_t>;
using LockedParts = std::map<PartKey, LockedPart>;
/// Locks that one rank has taken and not released, in the order of its own calls.
using OwnLocks = std::set<PartKey>;

}  // namespace parcast::simulate
