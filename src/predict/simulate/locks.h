// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of windows that ranks lock, one of each member: who holds each, and who waits for it.

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace parcast::simulate {

/// Held by one rank alone, or by several that share.
struct LockedPart {
  std::set<std::int32_t> holders;      // ranks
  bool exclusive = false;              // held so
  std::deque<std::uint32_t> requests;  // messages that have come and are not granted, in their order
  bool admits(bool alone) const { return holders.empty() || !(alone || exclusive); }
  bool idle() const { return holders.empty() && requests.empty(); }
};

constexpr std::int32_t kAllParts = -1;
/// Communicator, window, owner's rank or kAllParts.
using PartKey = std::tuple<std::uint32_t, std::int32_t, std::int32_t>;
using LockedParts = std::map<PartKey, LockedPart>;
/// What one rank has locked and not given back, from its own calls' point of view.
using OwnLocks = std::set<PartKey>;

}  // namespace parcast::simulate
