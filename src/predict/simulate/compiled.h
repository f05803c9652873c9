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

 private:
  struct Entry {
    std::uint32_t signature = 0, slot = kMissing;
  };
  static std::size_t hash(std::uint32_t signature) { return (signature * 0x9e3779b9u) >> 7; }
  std::vector<Entry> entries_;
  std::uint32_t count_ = 0;
};

/// What the engine does at an operation, in half a cache line.
struct Action {
  trace::Kind kind = trace::Kind::send;
  std::int32_t peer = 0;
  std::uint32_t cost = 0;       // of sends: index into Compiled::cost_of of the first link's
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
    const std::uint32_t slot = (*sequences_)[sequence].slots[signature];
    return slot == kMissing ? kMissing : begins_[static_cast<std::size_t>(rank)] + slot;
  }

 private:
  const std::vector<CompiledSequence>* sequences_ = nullptr;
  std::uint32_t signatures_ = 0, count_ = 0;
  void find_only(const trace::Trace& trace, std::vector<Action>& actions);
  std::vector<std::uint32_t> begins_;  // of each rank; empty: all signatures of all ranks
};

struct Compiled {
  const trace::Trace* trace = nullptr;
  const Platform* platform = nullptr;
  CostBook costs;
  std::vector<Action> actions;            // of each operation
  std::vector<std::uint32_t> cost_of;     // of sends, by operation and link
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

/// The trace has passed trace::check().
Result<Compiled> compile(const trace::Trace& trace, const Platform& platform);

}  // namespace parcast::simulate
