// SPDX-License-Identifier: Apache-2.0
#pragma once
// The times of one message on a link, as numbers: docs/models/message_passing.md without waiting at
// interfaces and without the gap g between messages. docs/models/system_graph.md describes how an engine
// combines the times.

#include "machine/machine.h"

namespace parcast::machine {

struct MessageSeconds {
  bool eager = true;
  // o_s: from the call (rendezvous: from the answer) until the first byte may leave
  double departs_after = 0;
  double sender_busy = 0;    // eager o_s + m O_s, rendezvous o_s: during the sending call
  double receiver_busy = 0;  // eager o_r + m O_r, rendezvous o_r: during the wait that receives the message
  double latency = 0;        // from the departure until the head arrives
  double flight = 0;         // from the departure until the message can be received
  double request = 0;        // rendezvous: half the handshake, from the sender to the receiver
  double answer = 0;         // rendezvous: the other half, from the receiver to the sender
  // from the departure until all of the message has left the sender: m G, rendezvous m G'
  double buffer_in_use = 0;
};
/// Returns the times of a message of bytes >= 0. `synchronous`: the sender uses rendezvous for any size
/// (MPI_Ssend).
MessageSeconds message_seconds(const Link& link, double bytes, bool synchronous);

}  // namespace parcast::machine
