// SPDX-License-Identifier: Apache-2.0
#pragma once
// A trace prepared for a platform: costs by operation and link, and channels numbered so that matching is an
// index.

#include <cstdint>
#include <utility>
#include <vector>

#include "predict/simulate/costs.h"
#include "trace/trace.h"

namespace parcast::simulate {

/// Numbers the signatures (partner, tag, communicator) that the receives of one sequence name.
class Slots {
 public:
  static constexpr std::uint32_t kMissing = 0xffffffff;
  explicit Slots(std::vector<std::uint32_t> signatures);
  /// Returns 0 .. count-1, or kMissing.
  std::uint32_t operator[](std::uint32_t signature) const {
    for (std::size_t at = hash(signature);; ++at) {
      const Entry& entry = entries_[at & (entries_.size() - 1)];
      if (entry.signature == signature || entry.slot == kMissing) return entry.slot;
    }
  }
  std::uint32_t count() const { return count_; }
  template <class Take>
  void for_each(Take take) const {
    for (const Entry& entry : entries_)
      if (entry.slot != kMissing) take(entry.signature, entry.slot);
  }

 private:
  struct Entry {
    std::uint32_t signature = 0, slot = kMissing;
  };
  static std::size_t hash(std::uint32_t signature) { return (signature * 0x9e3779b9u) >> 7; }
  std::vector<Entry> entries_;
  std::uint32_t count_ = 0;
};

/// The part of an operation that the engine needs, in half a cache line.
struct alignas(32) Action {
  trace::Kind kind = trace::Kind::send;
  std::int32_t peer = 0;
  std::uint32_t cost = 0;  // of sends: see Compiled::cost_index
  // Number of the message's channel when a single rank performs this operation, otherwise
  // ChannelNumbers::kSeveral.
  std::uint32_t channel = 0;
  std::uint32_t signature = 0;  // index; of a send, the signature that its receiver would name
  std::uint32_t requests = 0;   // of a wait: index into Trace::request_sets
  std::uint64_t bytes = 0;
};
static_assert(sizeof(Action) == 32);

struct CompiledSequence {
  std::vector<std::uint32_t> operations;  // without duplicates
  Slots slots;
  // It receives from any source or with any tag, or probes: messages are matched when their envelopes arrive.
  bool ordered = false;
  std::uint32_t window = 0;   // number of most recent requests that its waits can name
  std::uint32_t longest = 2;  // largest number of requests awaited at once; a collective awaits two
};

/// Numbers the channels of all ranks. When few signatures are in use, each rank has a channel for every one;
/// otherwise only for those by which it receives.
class ChannelNumbers {
 public:
  static constexpr std::uint32_t kMissing = Slots::kMissing;
  static constexpr std::uint32_t kSeveral = 0xfffffffe;
  /// Sets Action::channel of the trace's operations.
  ChannelNumbers(const trace::Trace& trace, const std::vector<CompiledSequence>& sequences,
                 std::vector<Action>& actions, std::uint32_t signatures);
  std::uint32_t count() const { return count_; }
  /// Returns kMissing when the rank has no receive with this signature.
  std::uint32_t operator()(std::int32_t rank, std::uint32_t sequence, std::uint32_t signature) const {
    if (begins_.empty()) return static_cast<std::uint32_t>(rank) * signatures_ + signature;
    if (!places_.empty()) return found(rank, signature);
    const std::uint32_t slot = (*sequences_)[sequence].slots[signature];
    return slot == kMissing ? kMissing : begins_[static_cast<std::size_t>(rank)] + slot;
  }

 private:
  const std::vector<CompiledSequence>* sequences_ = nullptr;
  std::uint32_t signatures_ = 0, count_ = 0;
  void find_only(const trace::Trace& trace, std::vector<Action>& actions);
  void make_places(const trace::Trace& trace, std::uint64_t needed);
  std::vector<std::uint32_t> begins_;  // of each rank; empty: each rank has all signatures

  /// When there are not too many channels, one table holds them all; a table per rank would be elsewhere in
  /// memory for each rank.
  struct Place {
    std::int32_t rank = -1;
    std::uint32_t signature = 0, number = kMissing;
  };
  static constexpr std::uint64_t kMostPlaces = 1 << 20;
  std::size_t place_of(std::int32_t rank, std::uint32_t signature) const {
    return ((static_cast<std::uint64_t>(static_cast<std::uint32_t>(rank)) << 32 | signature) *
            0x9e3779b97f4a7c15ull) >>
           shift_;
  }
  std::uint32_t found(std::int32_t rank, std::uint32_t signature) const {
    for (std::size_t at = place_of(rank, signature);; ++at) {
      const Place& place = places_[at & (places_.size() - 1)];
      if (place.rank < 0 || (place.rank == rank && place.signature == signature)) return place.number;
    }
  }
  std::vector<Place> places_;  // empty: too many channels; otherwise at least half of the entries are unused
  unsigned shift_ = 0;
};

struct Compiled {
  const trace::Trace* trace = nullptr;
  const Platform* platform = nullptr;
  CostBook costs;
  std::vector<Action> actions;         // of each operation
  std::vector<std::uint32_t> cost_of;  // of sends, by operation and link
  bool one_link = false;
  /// Returns the index into `costs` of a send over a link.
  std::uint32_t cost_index(const Action& action, std::uint32_t link) const {
    return one_link ? action.cost : cost_of[action.cost + link];
  }
  std::vector<Time> measured_time;  // of each operation; -1 except for collectives with a measured time
  std::uint32_t signatures = 0;
  // Of each operation: whether it locks a window that some rank locks exclusively.
  std::vector<std::uint8_t> contested;
  std::vector<CompiledSequence> sequences;
  // Of each communicator except the first: world rank and place, sorted.
  std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> members;
  bool interfaces = false;  // interfaces may be busy
  bool rendezvous = false;  // some send uses it
  bool envelopes = false;   // the order in which envelopes arrive matters
  bool collectives = false;
  bool locks = false;
  bool accesses = false;  // or locks
  bool loops = false;
  Time lookahead = 0;  // an event at time t makes no head arrive before t + lookahead

  /// Returns a member's rank in a communicator.
  std::int32_t place_in(std::uint32_t communicator, std::int32_t rank) const;
  explicit Compiled(const Platform& of, Time least) : platform(&of), costs(of, least) {}
};

/// Fails when the platform is inconsistent, or has no place for some rank of the trace.
Result<void> check_platform(const trace::Trace& trace, const Platform& platform);

/// The trace must have passed trace::check().
Result<Compiled> compile(const trace::Trace& trace, const Platform& platform);

}  // namespace parcast::simulate
