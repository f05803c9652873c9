// SPDX-License-Identifier: Apache-2.0
#pragma once
// A trace made ready for a platform: costs by operation and link, and channels numbered so that matching is an index.

#include <cstdint>
#include <utility>
#include <vector>

#include "predict/simulate/costs.h"
#include "trace/trace.h"

namespace parcast::simulate {

/// Of one sequence: which (partner, tag, communicator) its receives name.
class Slots {
 public:
  static constexpr std::uint32_t kMissing = 0xffffffff;
  explicit Slots(std::vector<std::uint32_t> signatures);
  /// 0 .. count-1, or kMissing.
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

/// What the engine does at an operation, in half a cache line.
struct alignas(32) Action {
  trace::Kind kind = trace::Kind::send;
  std::int32_t peer = 0;
  std::uint32_t cost = 0;       // of sends: see Compiled::cost_index
  std::uint32_t channel = 0;    // of messages: its number where a single rank does this, else ChannelNumbers::kSeveral
  std::uint32_t signature = 0;  // index; of a send that which its receiver would name
  std::uint32_t requests = 0;   // of a wait: index into Trace::request_sets
  std::uint64_t bytes = 0;
};
static_assert(sizeof(Action) == 32);

struct CompiledSequence {
  std::vector<std::uint32_t> operations;  // distinct ones
  Slots slots;
  bool ordered = false;       // receives from any source or of any tag, or probes: matched when envelopes arrive
  std::uint32_t window = 0;   // a wait names none of the requests begun before the last so many
  std::uint32_t longest = 2;  // requests awaited at once, at most; a collective awaits two
};

/// The channels of all ranks. Where few signatures are in use each rank has one for each, else for those it receives by.
class ChannelNumbers {
 public:
  static constexpr std::uint32_t kMissing = Slots::kMissing;
  static constexpr std::uint32_t kSeveral = 0xfffffffe;
  /// The trace's operations get their Action::channel.
  ChannelNumbers(const trace::Trace& trace, const std::vector<CompiledSequence>& sequences, std::vector<Action>& actions, std::uint32_t signatures);
  std::uint32_t count() const { return count_; }
  /// kMissing where the rank receives none such.
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
  std::vector<std::uint32_t> begins_;  // of each rank; empty: all signatures of all ranks

  /// Where there are not too many, all are in one table: a rank's own would be in other memory for each.
  struct Place {
    std::int32_t rank = -1;
    std::uint32_t signature = 0, number = kMissing;
  };
  static constexpr std::uint64_t kMostPlaces = 1 << 20;
  std::size_t place_of(std::int32_t rank, std::uint32_t signature) const {
    return ((static_cast<std::uint64_t>(static_cast<std::uint32_t>(rank)) << 32 | signature) * 0x9e3779b97f4a7c15ull) >> shift_;
  }
  std::uint32_t found(std::int32_t rank, std::uint32_t signature) const {
    for (std::size_t at = place_of(rank, signature);; ++at) {
      const Place& place = places_[at & (places_.size() - 1)];
      if (place.rank < 0 || (place.rank == rank && place.signature == signature)) return place.number;
    }
  }
  std::vector<Place> places_;  // empty: too many; else at least half are
  unsigned shift_ = 0;
};

struct Compiled {
  const trace::Trace* trace = nullptr;
  const Platform* platform = nullptr;
  CostBook costs;
  std::vector<Action> actions;            // of each operation
  std::vector<std::uint32_t> cost_of;     // of sends, by operation and link
  bool one_link = false;
  /// Into `costs`, of a send over a link.
  std::uint32_t cost_index(const Action& action, std::uint32_t link) const { return one_link ? action.cost : cost_of[action.cost + link]; }
  std::vector<Time> measured_time;        // of each operation: of collectives whose time was measured, else -1
  std::uint32_t signatures = 0;
  std::vector<std::uint8_t> contested;    // of each operation: of locks of a window that somebody locks exclusively
  std::vector<CompiledSequence> sequences;
  std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> members;  // of each communicator but the first: world rank and place, sorted
  bool interfaces = false;                // may be busy
  bool rendezvous = false;                // some send takes it
  bool envelopes = false;                 // the order in which envelopes arrive matters
  bool collectives = false;
  bool locks = false;
  bool accesses = false;                  // or locks
  bool loops = false;
  Time lookahead = 0;                     // what happens at a time makes no head arrive sooner than this much later

  /// A member's rank in a communicator.
  std::int32_t place_in(std::uint32_t communicator, std::int32_t rank) const;
  explicit Compiled(const Platform& of, Time least) : platform(&of), costs(of, least) {}
};

/// An error where the platform contradicts itself, or has no place for some rank of the trace.
Result<void> check_platform(const trace::Trace& trace, const Platform& platform);

/// The trace has passed trace::check().
Result<Compiled> compile(const trace::Trace& trace, const Platform& platform);

}  // namespace parcast::simulate
