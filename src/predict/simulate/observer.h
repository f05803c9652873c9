// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who watches a simulation: profiles, the critical path, predicted traces. The engine knows none of them.
//
// What one rank does is told in its order: computing and stays in calls tile [0, end] of each rank. Ranks run ahead of each
// other, so their stories come interleaved in no order of time; but a cause is always told before what it causes.

#include <cstdint>

#include "predict/simulate/platform.h"
#include "trace/trace.h"

namespace parcast::simulate {

/// A rank in an operation, from its entry until it goes on. Of a hang: until the rank's last move.
struct Stay {
  std::int32_t rank = 0;
  std::uint32_t operation = 0;   // index into Trace::operations
  Time from = 0, to = 0;
  Time busy = 0;                 // the processor with messages; the rest is waiting
  bool finished = true;          // false: the rank waits here for ever
  Time waiting() const { return to - from - busy; }
};

/// A message as it is handed over by its sender. `message` names it until it is taken; then the number is used again.
struct Sent {
  std::uint32_t message = 0;
  std::int32_t sender = 0, receiver = 0;
  std::uint32_t operation = 0;   // of the sender: a send, or the collective that the message is part of
  bool of_collective = false;
  std::uint64_t bytes = 0;
  Time at = 0, until = 0;        // the sender is busy with it
  MessageCost cost;
};

/// A message that its receiver takes in a wait: the processor is busy with it from `from` to `to`.
struct Taken {
  std::uint32_t message = 0;
  std::int32_t receiver = 0;
  std::uint32_t operation = 0;   // of the receiver: that in which it stays (a receive, a wait, a collective)
  std::int64_t request = -1;     // of the receiver's requests, numbered from 0 as they are begun; -1: a receive, or in a collective
  Time available = 0;            // it could be taken from here on
  Time from = 0, to = 0;
};

/// What a run tells its observers. What is not wanted is left as it is.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void computed(std::int32_t /*rank*/, Time /*from*/, Time /*to*/) {}
  virtual void entered(std::int32_t /*rank*/, std::uint32_t /*operation*/, Time /*at*/) {}
  virtual void stayed(const Stay& /*stay*/) {}
  virtual void ended(std::int32_t /*rank*/, Time /*at*/) {}

  // A message's way: sent, (announced, answered, asked: of rendezvous and where many meet,) departed, served, taken.
  virtual void sent(const Sent& /*sent*/) {}
  /// Its envelope arrives at `at`; later than `own`, where it would be by itself, if it may not overtake an earlier one.
  virtual void announced(std::uint32_t /*message*/, Time /*own*/, Time /*at*/) {}
  /// A receive was posted, as `request`.
  virtual void posted(std::uint32_t /*request*/, std::int32_t /*rank*/, Time /*at*/) {}
  /// The receiver answers the request of a rendezvous that its own `request` fits; the sender has the answer at `there`.
  virtual void answered(std::uint32_t /*message*/, std::uint32_t /*request*/, Time /*at*/, Time /*there*/) {}
  /// It asks for the sending interface once its turn comes.
  virtual void asked(std::uint32_t /*message*/, Time /*at*/) {}
  /// It leaves through the sending interface, for which it asked at `asked`; its head arrives at `head`. `request`: the sender's that this completes
  /// after the interface's service; kNobody: none.
  static constexpr std::uint32_t kNobody = 0xffffffff;
  virtual void departed(std::uint32_t /*message*/, std::uint32_t /*request*/, Time /*asked*/, Time /*at*/, Time /*head*/) {}
  /// The receiving interface begins with it at `at`.
  virtual void served(std::uint32_t /*message*/, Time /*at*/, Time /*available*/) {}
  /// On shared links: it was served, but its last byte comes so much later that it can be taken from here on only.
  virtual void delayed(std::uint32_t /*message*/, Time /*available*/) {}
  virtual void taken(const Taken& /*taken*/) {}
  /// A probe ends with the arrival of that message's envelope; not told where it was there when the probe began.
  virtual void found(std::int32_t /*rank*/, std::uint32_t /*message*/, Time /*at*/) {}
  /// A wait lasts until the send that is `request` is complete.
  virtual void awaited_send(std::int32_t /*rank*/, std::uint32_t /*request*/, Time /*until*/) {}

  // A collective that takes the time measured for it; `call` is the same for all members of one call.
  virtual void came(std::int32_t /*rank*/, std::uint64_t /*call*/, std::int32_t /*place*/, Time /*at*/) {}
  /// Those whom the member needs had come at `at`; it goes on `took` later.
  virtual void released(std::int32_t /*rank*/, std::uint64_t /*call*/, Time /*at*/, Time /*took*/) {}
};

}  // namespace parcast::simulate
