// SPDX-License-Identifier: Apache-2.0
// Receives and probes of a rank: what they named, and which wildcards they used (docs/models/replay.md).
#include <array>

#include "trace/rank_events.h"

namespace parcast::trace {
namespace {

using recording::Asked;
using recording::CallClass;
using recording::Message;

bool is_matched_probe(std::string_view call) {
  return call == "MPI_Mprobe" || call == "MPI_Improbe";
}

}  // namespace

/// Returns the wildcards of a receive. A receive that names the message found by a probe has the probe's
/// wildcards, so that both get the same message. MPI_Mrecv and its relatives name no source or tag.
RankEvents::Open RankEvents::open_of(const Event& event, const Message& came) {
  const recording::Call& call = recording_.calls[event.call];
  const bool of_matched = call.name.starts_with("MPI_Mrecv") || call.name.starts_with("MPI_Imrecv");
  Open open{!of_matched && asks_any_source(call, event), !of_matched && asks_any_tag(call, event),
            of_matched || call.kind == CallClass::start_receive || call.asked != Asked::unknown};
  const auto found = found_.find(event.thread);
  if (found == found_.end() || found->second.communicator != event.communicator) return open;
  if (found->second.source != came.peer || found->second.tag != came.tag) return open;
  open.source |= found->second.open.source;
  open.tag |= found->second.open.tag;
  open.given = true;
  found_.erase(found);
  return open;
}

/// Counts wildcards, and leaves them in the operation when the simulation chooses the message.
void RankEvents::count_open(const Open& open, Operation& operation) {
  if (!open.source && !open.tag) return;
  if (matching_ == Matching::recorded) {
    if (open.source) ++left_out_.any_source;
    if (open.tag) ++left_out_.any_tag;
    return;
  }
  ++left_out_.by_arrival;
  if (open.source) operation.peer = kAny;
  if (open.tag) operation.tag = kAny;
}

/// `came`: the message that came, or the named source and tag when those are known to be equal.
std::optional<Operation> RankEvents::receive_of(const Event& event, Kind kind, const Message& came) {
  auto operation = message(event, kind, came);
  if (!operation) return std::nullopt;
  const Open open = open_of(event, came);
  if (!open.given) ++left_out_.blocking_receives;
  count_open(open, *operation);
  return operation;
}

void RankEvents::receive(const Event& event) {
  if (const auto operation = receive_of(event, Kind::receive, event.received)) words_.add(*operation);
}

void RankEvents::send_receive(const Event& event) {
  if (event.message.peer < 0) return receive(event);
  if (event.received.peer < 0) return send(event);
  const auto to = message(event, Kind::start_send, event.message);
  if (!to) return;
  const auto from = receive_of(event, Kind::start_receive, event.received);
  if (!from) return;
  words_.add(*from);
  words_.add(*to);
  const std::array<std::uint64_t, 2> both{words_.begun() - 1, words_.begun()};
  words_.add_wait(both, to->place);
}

void RankEvents::skip_arrival(const Event& event) {
  if (Arrivals::open(event)) arrivals_.next(event.request);
}

/// Leaves out a wildcard receive that no message ever completed, since it would take messages of other
/// receives.
void RankEvents::start_receive(const Event& event) {
  Message came = event.received;
  if (cancelled_.contains(event.request)) return ++left_out_.cancelled, skip_arrival(event);
  if (Arrivals::open(event)) {
    const auto arrival = arrivals_.next(event.request);
    if (!arrival) return ++left_out_.unmatched;
    came.peer = arrival->source;
    came.tag = arrival->tag;
  }
  const auto operation = receive_of(event, Kind::start_receive, came);
  if (!operation) return;
  const std::uint64_t before = words_.begun();
  words_.add(*operation);
  begin(event.request, before);
}

void RankEvents::remember_found(const Event& event) {
  const recording::Call& call = recording_.calls[event.call];
  if (is_matched_probe(call.name)) ++left_out_.matched_probes;
  found_[event.thread] = {event.received.peer,
                          event.received.tag,
                          event.communicator,
                          {asks_any_source(call, event), asks_any_tag(call, event)}};
}

void RankEvents::probe(const Event& event) {
  if (event.received.peer == recording::kNoPeer) return ++left_out_.probes;
  remember_found(event);
  auto operation = message(event, Kind::probe, event.received);
  if (!operation) return;
  operation->bytes = 0;
  count_open(found_[event.thread].open, *operation);
  words_.add(*operation);
}

/// Handles a poll that found a message: the receive that follows waits for the message.
void RankEvents::look(const Event& event) {
  if (event.received.peer != recording::kNoPeer) remember_found(event);
}

}  // namespace parcast::trace
