// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only, a part of the plain interpreter (test_reference.h): the actions of a rank, with loops unrolled
// and collectives replaced by the messages of their schedules, and the costs of a message.

#include <cstdint>
#include <vector>

#include "predict/simulate/platform.h"
#include "trace/trace.h"

namespace parcast::simulate::reference {

enum class Act { compute, enter, post, probe, send, read, write, lock, unlock, barrier, wait, leave };

struct Action {
  Act act = Act::compute;
  Time time = 0;                      // compute: on this platform
  bool stays = false;                 // enter, leave: a call in which the rank attends until it leaves
  std::int32_t partner = 0, tag = 0;  // post, probe, send, read, write: world rank
  std::uint32_t communicator = 0;
  bool collective = false;
  std::uint64_t bytes = 0;
  trace::Mode mode = trace::Mode::standard;
  // post, send, read, write: a request that later waits name; otherwise one of this call alone.
  bool named = false;
  std::uint32_t operation = 0;                // index in the trace of the call that contains this action
  std::vector<std::uint32_t> distances = {};  // wait: the named requests; empty: all requests of this call
  std::vector<std::int32_t> owners = {};      // lock, unlock: of the parts of window `tag` of `communicator`
  bool alone = false;                         // lock
};

/// `barriers_apart`: a barrier is an action of its own, for machines whose barrier is not a schedule of
/// messages.
std::vector<Action> unroll(const trace::Trace& trace, const Platform& platform, std::int32_t rank,
                           bool barriers_apart = false);
std::vector<std::int32_t> members_of(const trace::Trace& trace, std::uint32_t communicator);

/// Returns 0 or 1 ps, depending on the trace and the machine.
Time least_latency(const trace::Trace& trace, const Platform& platform);
/// "floor((m X + 2^31) / 2^32)", limited to the range of times.
Time rounded_product(std::uint64_t m, Rate x);
MessageCost message_cost(const Link& link, std::uint64_t bytes, trace::Mode mode, Time least);

}  // namespace parcast::simulate::reference
