// SPDX-License-Identifier: Apache-2.0
#pragma once
// What one message on a link takes, as numbers: docs/models/message_passing.md without waiting at interfaces and without the gap g between messages.
// docs/models/system_graph.md says how an engine puts the times together.

#include "machine/machine.h"

namespace parcast::machine {

struct MessageSeconds {
  bool eager = true;
  double departs_after = 0;    // o_s: from the call (rendezvous: from the answer 0) until the first byte may leave
  double sender_busy = 0;      // eager o_s + m O_s, rendezvous o_s: of the sending call
  double receiver_busy = 0;    // eager o_r + m O_r, rendezvous o_r: of the wait that takes it
  double latency = 0;          // from the departure until its head is there
  double flight = 0;           // from the departure until it can be received
  double request = 0;          // rendezvous: half the handshake, from the sender to the receiver
  double answer = 0;           // rendezvous: the other half, back
  double buffer_in_use = 0;    // from the departure until all of it has left the sender: m G, rendezvous m G'
};
/// `synchronous`: the sender asks for rendezvous whatever the size (MPI_Ssend). bytes >= 0.
MessageSeconds message_seconds(const Link& link, double bytes, bool synchronous);

}  // namespace parcast::machine
