// SPDX-License-Identifier: Apache-2.0
// The table of docs/models/message_passing.md, Parameters of a link.
#include "machine/message_seconds.h"

#include <algorithm>

#include "machine/fields.h"

namespace parcast::machine {
namespace {

/// Returns w: the latency plus the correction of the piece that the bytes fall in.
double way_of(const Link& link, double bytes) {
  const Link::Correction* piece = nullptr;
  for (const Link::Correction& correction : link.corrections)
    if (bytes >= correction.from_bytes) piece = &correction;
  return link.latency.value + (piece ? piece->startup.value + bytes * piece->per_byte.value : 0);
}

}  // namespace

MessageSeconds message_seconds(const Link& link, double bytes, bool synchronous) {
  MessageSeconds out;
  out.eager = !synchronous && (!known(link.eager_limit) || bytes <= link.eager_limit.value);
  const double gap_per_byte = out.eager || !known(link.rendezvous_gap_per_byte)
                                  ? link.gap_per_byte.value
                                  : link.rendezvous_gap_per_byte.value;
  const double stream = bytes * gap_per_byte;
  const double sent = out.eager ? bytes * link.send_overhead_per_byte.value : 0;
  const double received = out.eager ? bytes * link.receive_overhead_per_byte.value : 0;
  const double way = way_of(link, bytes);
  out.departs_after = link.send_overhead.value;
  out.sender_busy = link.send_overhead.value + sent;
  out.receiver_busy = link.receive_overhead.value + received;
  out.latency = std::max(0.0, way);
  out.flight = out.latency + std::max(0.0, stream - received + std::min(0.0, way));
  out.buffer_in_use = stream;
  if (out.eager) return out;
  const double handshake =
      known(link.rendezvous_latency) ? link.rendezvous_latency.value : 2 * link.latency.value;
  out.request = out.answer = handshake / 2;
  return out;
}

}  // namespace parcast::machine
