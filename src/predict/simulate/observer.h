// SPDX-License-Identifier: Apache-2.0
#pragma once
// The interface for observers of a simulation: profiles, the critical path, predicted traces. The engine does
// not depend on any of them.
//
// Events of one rank are reported in its order: computing and stays in calls tile [0, end] of each rank.
// Ranks run ahead of each other, so events of different ranks are not in order of time. A cause is always
// reported before its effect.

#include <cstdint>

#include "predict/simulate/platform.h"
#include "trace/trace.h"

namespace parcast::simulate {

/// A rank in an operation, from its entry until it continues. In a deadlock: until the rank's last progress.
struct Stay {
  std::int32_t rank = 0;
  std::uint32_t operation = 0;  // index into Trace::operations
  Time from = 0, to = 0;
  Time busy = 0;         // the processor's time with messages; the rest is waiting
  bool finished = true;  // false: the rank never leaves
  Time waiting() const { return to - from - busy; }
};

/// A message when its sender hands it over. `message` identifies it until it is taken; then the number is
/// reused.
struct Sent {
  std::uint32_t message = 0;
  std::int32_t sender = 0, receiver = 0;
  std::uint32_t operation = 0;  // of the sender: a send, or the collective to which the message belongs
  bool of_collective = false;
  std::uint64_t bytes = 0;
  Time at = 0, until = 0;  // the sender is busy with it in between
  MessageCost cost;
};

/// A message that its receiver takes in a wait. The processor is busy with it from `from` to `to`.
struct Taken {
  std::uint32_t message = 0;
  std::int32_t receiver = 0;
  // of the receiver: the one in which it stays (a receive, a wait, a collective)
  std::uint32_t operation = 0;
  // Number of the receiver's request, from 0 in the order in which they begin; -1: a receive, or inside a
  // collective.
  std::int64_t request = -1;
  Time available = 0;  // the earliest time at which it can be taken
  Time from = 0, to = 0;
};

/// Receives the events of a run. The default implementations do nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Whether it needs computing and stays alone, which runs with one-sided accesses have, too.
  virtual bool takes_accesses() const { return false; }

  virtual void computed(std::int32_t /*rank*/, Time /*from*/, Time /*to*/) {}
  virtual void entered(std::int32_t /*rank*/, std::uint32_t /*operation*/, Time /*at*/) {}
  virtual void stayed(const Stay& /*stay*/) {}
  virtual void ended(std::int32_t /*rank*/, Time /*at*/) {}

  // The events of a message, in order: sent, (announced, answered, asked: for rendezvous and for receives
  // whose order of arrivals matters,) departed, served, taken.
  virtual void sent(const Sent& /*sent*/) {}
  /// Its envelope arrives at `at`. That is later than `own`, its own arrival time, when it may not overtake
  /// an earlier one.
  virtual void announced(std::uint32_t /*message*/, Time /*own*/, Time /*at*/) {}
  /// A receive was posted, as `request`.
  virtual void posted(std::uint32_t /*request*/, std::int32_t /*rank*/, Time /*at*/) {}
  /// The receiver answers the rendezvous request that its own `request` matches; the sender has the answer at
  /// `there`.
  virtual void answered(std::uint32_t /*message*/, std::uint32_t /*request*/, Time /*at*/, Time /*there*/) {}
  /// It requests the sending interface once its turn comes.
  virtual void asked(std::uint32_t /*message*/, Time /*at*/) {}
  /// It leaves through the sending interface, which it requested at `asked`; its head arrives at `head`.
  /// `request` is the sender's request that completes after the interface's service; kNobody: none.
  static constexpr std::uint32_t kNobody = 0xffffffff;
  virtual void departed(std::uint32_t /*message*/, std::uint32_t /*request*/, Time /*asked*/, Time /*at*/,
                        Time /*head*/) {}
  /// The receiving interface begins to serve it at `at`.
  virtual void served(std::uint32_t /*message*/, Time /*at*/, Time /*available*/) {}
  /// On shared links: it was already served, but its last byte comes so late that it can be taken only from
  /// `available` on.
  virtual void delayed(std::uint32_t /*message*/, Time /*available*/) {}
  virtual void taken(const Taken& /*taken*/) {}
  /// A probe ends when the envelope of that message arrives; not called when it was there before the probe
  /// began.
  virtual void found(std::int32_t /*rank*/, std::uint32_t /*message*/, Time /*at*/) {}
  /// A wait lasts until the send `request` is complete.
  virtual void awaited_send(std::int32_t /*rank*/, std::uint32_t /*request*/, Time /*until*/) {}

  // A collective with a measured time; `call` is the same for all members of one call.
  virtual void came(std::int32_t /*rank*/, std::uint64_t /*call*/, std::int32_t /*place*/, Time /*at*/) {}
  /// The members for which it waits had entered at `at`; the member continues `took` later.
  virtual void released(std::int32_t /*rank*/, std::uint64_t /*call*/, Time /*at*/, Time /*took*/) {}
};

}  // namespace parcast::simulate
