// SPDX-License-Identifier: Apache-2.0
// Writes the records between a call's Enter and Leave: messages, requests, collectives, one-sided accesses.

#include <algorithm>

#include "interchange/otf2_events.h"

namespace parcast::interchange {
namespace {

using recording::CallClass;
using recording::Completion;
using recording::Event;
using recording::Message;

bool rooted(recording::Pattern pattern) {
  using recording::Pattern;
  return pattern == Pattern::broadcast || pattern == Pattern::reduce || pattern == Pattern::gather ||
         pattern == Pattern::scatter;
}

OTF2_CollectiveOp operation_of(const recording::Call& call) {
  using recording::Pattern;
  const bool parts_differ = call.name.ends_with("v");
  switch (call.pattern) {
    case Pattern::barrier:
      return OTF2_COLLECTIVE_OP_BARRIER;
    case Pattern::broadcast:
      return OTF2_COLLECTIVE_OP_BCAST;
    case Pattern::reduce:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case Pattern::allreduce:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case Pattern::gather:
      return parts_differ ? OTF2_COLLECTIVE_OP_GATHERV : OTF2_COLLECTIVE_OP_GATHER;
    case Pattern::scatter:
      return parts_differ ? OTF2_COLLECTIVE_OP_SCATTERV : OTF2_COLLECTIVE_OP_SCATTER;
    case Pattern::allgather:
      return parts_differ ? OTF2_COLLECTIVE_OP_ALLGATHERV : OTF2_COLLECTIVE_OP_ALLGATHER;
    case Pattern::reduce_scatter:
      return call.name.ends_with("block") ? OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK
                                          : OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case Pattern::scan:
      return is_exclusive(call.name) ? OTF2_COLLECTIVE_OP_EXSCAN : OTF2_COLLECTIVE_OP_SCAN;
    default:
      return call.name.ends_with("w") ? OTF2_COLLECTIVE_OP_ALLTOALLW
             : parts_differ           ? OTF2_COLLECTIVE_OP_ALLTOALLV
                                      : OTF2_COLLECTIVE_OP_ALLTOALL;
  }
}

bool given_by_archive(recording::Pattern pattern) {
  return pattern != recording::Pattern::none && pattern != recording::Pattern::neighbourhood;
}

}  // namespace

/// Returns MPI_COMM_WORLD if the members of the event's communicator are unknown.
std::uint32_t RankEvents::communicator_of(const Event& event) const {
  return communicators_.number(rank_.rank, event.communicator).value_or(0);
}

std::optional<std::uint32_t> RankEvents::partner(const Event& event, std::int32_t peer) const {
  if (peer < 0) return std::nullopt;
  return communicators_.place(communicator_of(event), rank_.rank, peer);
}

/// Returns whether a record of the archive can hold this side of the event.
bool RankEvents::expressed(const Event& event, const Message& message, bool sends) const {
  const CallClass kind = recording_.calls[event.call].kind;
  if (!partner(event, message.peer)) return false;
  switch (kind) {
    case CallClass::send:
    case CallClass::start_send:
      return sends;
    case CallClass::receive:
      return !sends;
    case CallClass::send_receive:
      return true;
    case CallClass::one_sided:
      return is_nothing_else(event, sends);
    default:
      return false;
  }
}

/// Returns whether a record names the request.
bool RankEvents::request_expressed(const Event& event) const {
  const recording::Call& call = recording_.calls[event.call];
  if (call.kind == CallClass::start_receive) return true;
  if (call.kind == CallClass::start_collective) return given_by_archive(call.pattern);
  return expressed(event, event.message, true) || expressed(event, event.received, false);
}

/// Returns whether the record of an access holds the message completely. It has one partner, so a second one
/// does not fit.
bool RankEvents::is_nothing_else(const Event& event, bool sends) const {
  const Message& other = sends ? event.received : event.message;
  const Message& own = sends ? event.message : event.received;
  return own.tag == 0 && (other.peer == own.peer || other.peer == recording::kNoPeer);
}

Place RankEvents::place_of(const Event& event) const {
  const recording::Call& call = recording_.calls[event.call];
  const std::uint32_t number = communicator_of(event);
  return {call.pattern, is_exclusive(call.name), event.message.peer == rank_.rank,
          communicators_.size(number, rank_.rank),
          communicators_.place(number, rank_.rank, rank_.rank).value_or(0)};
}

std::uint32_t RankEvents::root_of(const Event& event) const {
  if (!rooted(recording_.calls[event.call].pattern)) return OTF2_COLLECTIVE_ROOT_NONE;
  if (const auto root = partner(event, event.message.peer)) return *root;
  if (event.message.peer == rank_.rank) return OTF2_COLLECTIVE_ROOT_SELF;
  return event.message.peer == recording::kNoPeer ? OTF2_COLLECTIVE_ROOT_THIS_GROUP
                                                  : OTF2_COLLECTIVE_ROOT_NONE;
}

void RankEvents::write_message(Thread& on, const Event& event, std::uint64_t at) {
  const auto partner_rank = partner(event, event.message.peer);
  if (!partner_rank) {
    totals_.outside += event.message.peer != recording::kNoPeer;
    if (event.request != 0) requests_[event.request] = {};
    return;
  }
  const auto tag = static_cast<std::uint32_t>(event.message.tag);
  if (event.request == 0) {
    outcome_(OTF2_EvtWriter_MpiSend(on.writer, nullptr, at, *partner_rank, communicator_of(event), tag,
                                    event.message.bytes));
    return count("MpiSend");
  }
  requests_[event.request] = {Kind::send, 0, {}, 0, {}};
  outcome_(OTF2_EvtWriter_MpiIsend(on.writer, nullptr, at, *partner_rank, communicator_of(event), tag,
                                   event.message.bytes, event.request));
  count("MpiIsend");
}

void RankEvents::write_collective(Thread& on, const Event& event, std::uint64_t at, bool begins) {
  const recording::Call& call = recording_.calls[event.call];
  if (!given_by_archive(call.pattern)) {
    if (begins && event.request != 0) requests_[event.request] = {};
    return;
  }
  const CollectiveBytes moved = exchanged(place_of(event), {event.message.bytes, event.received.bytes});
  if (call.kind == CallClass::start_collective) {
    if (!begins) return;
    requests_[event.request] = {Kind::collective, communicator_of(event), operation_of(call), root_of(event),
                                moved};
    describe_message(Attribute::sent_peer, event.message);
    describe_message(Attribute::received_peer, event.received);
    outcome_(OTF2_EvtWriter_NonBlockingCollectiveRequest(on.writer, attributes_, at, event.request));
    return count("NonBlockingCollectiveRequest");
  }
  outcome_(begins ? OTF2_EvtWriter_MpiCollectiveBegin(on.writer, nullptr, at)
                  : OTF2_EvtWriter_MpiCollectiveEnd(on.writer, nullptr, at, operation_of(call),
                                                    communicator_of(event), root_of(event), moved.sent,
                                                    moved.received));
  count(begins ? "MpiCollectiveBegin" : "MpiCollectiveEnd");
}

/// Writes a put, a get, or both at once.
void RankEvents::write_access(Thread& on, const Event& event, std::uint64_t at) {
  const bool puts = expressed(event, event.message, true), gets = expressed(event, event.received, false);
  if (event.request != 0) requests_[event.request] = {};
  if (!puts && !gets) return;
  const std::uint32_t number = communicator_of(event);
  const OTF2_RmaWinRef window = names_.window(number);
  const std::uint32_t remote = *partner(event, puts ? event.message.peer : event.received.peer);
  const std::uint64_t sent = event.message.bytes, received = event.received.bytes;
  if (event.request != 0) requests_[event.request] = {Kind::put, window, {}, 0, {}};
  outcome_(puts && gets ? OTF2_EvtWriter_RmaAtomic(on.writer, nullptr, at, window, remote,
                                                   OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, sent, received,
                                                   event.request)
           : puts       ? OTF2_EvtWriter_RmaPut(on.writer, nullptr, at, window, remote, sent, event.request)
                  : OTF2_EvtWriter_RmaGet(on.writer, nullptr, at, window, remote, received, event.request));
  count(puts && gets ? "RmaAtomic" : puts ? "RmaPut" : "RmaGet");
}

/// Writes the records at the call's entry.
void RankEvents::write_start(Thread& on, const Event& event, std::uint64_t at) {
  switch (recording_.calls[event.call].kind) {
    case CallClass::send:
    case CallClass::send_receive:
    case CallClass::start_send:
      return write_message(on, event, at);
    case CallClass::start_receive:
      requests_[event.request] = {Kind::receive, communicator_of(event), {}, 0, {}};
      describe_message(Attribute::received_peer, event.received);
      outcome_(OTF2_EvtWriter_MpiIrecvRequest(on.writer, attributes_, at, event.request));
      return count("MpiIrecvRequest");
    case CallClass::collective:
    case CallClass::start_collective:
      return write_collective(on, event, at, true);
    case CallClass::one_sided:
      return write_access(on, event, at);
    default:
      if (event.request != 0) requests_[event.request] = {};
  }
}

/// Writes the records at the call's exit.
void RankEvents::write_end(Thread& on, const Event& event, std::uint64_t at) {
  const CallClass kind = recording_.calls[event.call].kind;
  if (kind == CallClass::collective) write_collective(on, event, at, false);
  if (kind == CallClass::receive || kind == CallClass::send_receive) {
    if (const auto source = partner(event, event.received.peer)) {
      outcome_(OTF2_EvtWriter_MpiRecv(on.writer, nullptr, at, *source, communicator_of(event),
                                      static_cast<std::uint32_t>(event.received.tag), event.received.bytes));
      count("MpiRecv");
    } else {
      totals_.outside += event.received.peer != recording::kNoPeer;
    }
  }
  for (const Completion& completion : completions_) complete(on, completion, at);
}

void RankEvents::complete(Thread& on, const Completion& completion, std::uint64_t at) {
  const auto found = requests_.find(completion.request);
  if (found == requests_.end()) {
    ++totals_.orphans;
    return;
  }
  const Request request = found->second;
  requests_.erase(found);
  const auto source = request.kind == Kind::receive && completion.source >= 0
                          ? communicators_.place(request.communicator, rank_.rank, completion.source)
                          : std::nullopt;
  if (request.kind == Kind::send) {
    outcome_(OTF2_EvtWriter_MpiIsendComplete(on.writer, nullptr, at, completion.request));
    return count("MpiIsendComplete");
  }
  if (source) {
    outcome_(OTF2_EvtWriter_MpiIrecv(on.writer, nullptr, at, *source, request.communicator,
                                     static_cast<std::uint32_t>(completion.tag), completion.bytes,
                                     completion.request));
    return count("MpiIrecv");
  }
  if (request.kind == Kind::collective) {
    outcome_(OTF2_EvtWriter_NonBlockingCollectiveComplete(
        on.writer, nullptr, at, request.operation, request.communicator, request.root, request.bytes.sent,
        request.bytes.received, completion.request));
    return count("NonBlockingCollectiveComplete");
  }
  if (request.kind == Kind::put) {
    outcome_(OTF2_EvtWriter_RmaOpCompleteNonBlocking(on.writer, nullptr, at, request.communicator,
                                                     completion.request));
    return count("RmaOpCompleteNonBlocking");
  }
  if (completion.source != recording::kNoPeer || completion.bytes != 0)
    describe_message(Attribute::received_peer, {completion.source, completion.tag, completion.bytes});
  outcome_(OTF2_EvtWriter_MpiRequestCancelled(on.writer, attributes_, at, completion.request));
  count("MpiRequestCancelled");
}

}  // namespace parcast::interchange
