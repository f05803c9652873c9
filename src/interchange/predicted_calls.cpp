// SPDX-License-Identifier: Apache-2.0
#include "interchange/predicted_calls.h"

#include <algorithm>

#include "predict/simulate/calls.h"

namespace parcast::interchange {
namespace {

using recording::CallClass;
using recording::Pattern;
using trace::Kind;
using trace::Mode;
using trace::Operation;

bool fits(const MpiCall& call, const Operation& operation) {
  const bool neighbours = call.kind == CallClass::collective && call.pattern == Pattern::neighbourhood;
  switch (operation.kind) {
    case Kind::send:
      return call.kind == CallClass::send || call.kind == CallClass::send_receive;
    case Kind::receive:
      return call.kind == CallClass::receive || call.kind == CallClass::send_receive;
    case Kind::start_send:
      return call.kind == CallClass::start_send || call.kind == CallClass::send_receive || neighbours;
    case Kind::start_receive:
      return call.kind == CallClass::start_receive || call.kind == CallClass::send_receive || neighbours;
    case Kind::wait:
      return call.kind == CallClass::wait || call.kind == CallClass::test ||
             call.kind == CallClass::send_receive || neighbours;
    case Kind::read:
    case Kind::write:
    case Kind::start_read:
    case Kind::start_write:
    case Kind::lock_shared:
    case Kind::lock_exclusive:
    case Kind::unlock:
      return false;  // runs with accesses or locks are not observed
    case Kind::probe:
      return call.kind == CallClass::probe;
    case Kind::collective:
      return (call.kind == CallClass::collective && call.pattern == operation.pattern) ||
             call.kind == CallClass::communicator;
  }
  return false;
}

const char* collective_name(Pattern pattern) {
  switch (pattern) {
    case Pattern::broadcast:
      return "MPI_Bcast";
    case Pattern::reduce:
      return "MPI_Reduce";
    case Pattern::allreduce:
      return "MPI_Allreduce";
    case Pattern::gather:
      return "MPI_Gather";
    case Pattern::scatter:
      return "MPI_Scatter";
    case Pattern::allgather:
      return "MPI_Allgather";
    case Pattern::alltoall:
      return "MPI_Alltoall";
    case Pattern::reduce_scatter:
      return "MPI_Reduce_scatter";
    case Pattern::scan:
      return "MPI_Scan";
    default:
      return "MPI_Barrier";
  }
}

const char* plain_name(const Operation& operation) {
  switch (operation.kind) {
    case Kind::send:
      return operation.mode == Mode::synchronous ? "MPI_Ssend"
             : operation.mode == Mode::buffered  ? "MPI_Bsend"
                                                 : "MPI_Send";
    case Kind::receive:
      return "MPI_Recv";
    case Kind::start_send:
      return operation.mode == Mode::synchronous ? "MPI_Issend"
             : operation.mode == Mode::buffered  ? "MPI_Ibsend"
                                                 : "MPI_Isend";
    case Kind::start_receive:
      return "MPI_Irecv";
    case Kind::wait:
      return "MPI_Waitall";
    case Kind::read:
    case Kind::start_read:
      return "MPI_Get";
    case Kind::write:
    case Kind::start_write:
      return "MPI_Put";
    case Kind::probe:
      return "MPI_Probe";
    case Kind::lock_shared:
    case Kind::lock_exclusive:
      return "MPI_Win_lock";
    case Kind::unlock:
      return "MPI_Win_unlock";
    case Kind::collective:
      break;
  }
  return collective_name(operation.pattern);
}

std::int32_t asked_peer(std::int32_t rank, const Operation& operation) {
  return operation.peer == trace::kAny ? recording::kAnySource : rank + operation.peer;
}
std::int32_t asked_tag(const Operation& operation) {
  return operation.tag == trace::kAny ? -1 : operation.tag;
}

}  // namespace

const MpiCall& predicted_call(const trace::Trace& trace, const Operation& operation) {
  if (operation.place != trace::kNowhere) {
    const MpiCall* call = find_mpi_call(trace.places[operation.place].call);
    if (call && operation.kind == Kind::start_receive) call = &receiving(*call);
    if (call && fits(*call, operation)) return *call;
  }
  return *find_mpi_call(plain_name(operation));
}

const MpiCall& starting_call(const MpiCall& call, const PredictedRequest& request) {
  const MpiCall& own = request.receive ? receiving(call) : call;
  if (own.kind == (request.receive ? CallClass::start_receive : CallClass::start_send)) return own;
  return *find_mpi_call(request.receive ? "MPI_Irecv" : "MPI_Isend");
}

PredictedCalls::PredictedCalls(const trace::Trace& trace)
    : trace_(trace), ranks_(static_cast<std::size_t>(trace.ranks)) {
  for (const Operation& operation : trace.operations) call_of_.push_back(&predicted_call(trace, operation));
}

void PredictedCalls::close(Rank& self) {
  if (!self.has_open) return;
  self.has_open = false;
  self.idle_from = self.open.to;
  call(self.open);
}

void PredictedCalls::computed(std::int32_t rank, Time, Time to) {
  close(of(rank));
  of(rank).end = to;
}

void PredictedCalls::entered(std::int32_t rank, std::uint32_t index, Time at) {
  Rank& self = of(rank);
  const Operation& operation = trace_.operations[index];
  if (!self.has_open || !simulate::same_call(trace_, trace_.operations[self.last], operation)) {
    close(self);
    self.open = {.rank = rank,
                 .call = call_of_[index],
                 .operation = index,
                 .idle_from = self.idle_from,
                 .from = at,
                 .to = at};
    self.has_open = true;
  }
  self.last = index;
  if (operation.kind == Kind::send)
    self.open.sent = {asked_peer(rank, operation), asked_tag(operation), operation.bytes};
  if (operation.kind == Kind::start_send || operation.kind == Kind::start_receive)
    begin_request(self, rank, operation);
}

/// An exchange also waits for the requests that it starts, so no other call sees them.
void PredictedCalls::begin_request(Rank& self, std::int32_t rank, const Operation& operation) {
  const PredictedRequest request{++self.begun,
                                 operation.kind == Kind::start_receive,
                                 operation.communicator,
                                 {asked_peer(rank, operation), asked_tag(operation), operation.bytes}};
  const bool own =
      self.open.call->kind == CallClass::send_receive || self.open.call->kind == CallClass::collective;
  if (own && !request.receive)
    self.open.sent = {
        self.open.call->kind == CallClass::collective ? recording::kNoPeer : request.message.peer,
        request.message.tag, self.open.sent.bytes + request.message.bytes};
  if (!own) self.open.begun.push_back(request);
  self.outstanding.emplace(request.number, request);
}

void PredictedCalls::stayed(const simulate::Stay& stay) {
  Rank& self = of(stay.rank);
  const Operation& operation = trace_.operations[stay.operation];
  if (operation.kind == Kind::wait && stay.finished) complete_requests(self, operation);
  self.open.to = self.end = stay.to;
  self.open.waiting += stay.waiting();
  self.open.finished = stay.finished;
}

void PredictedCalls::complete_requests(Rank& self, const Operation& wait) {
  const bool own =
      self.open.call->kind == CallClass::send_receive || self.open.call->kind == CallClass::collective;
  for (const std::uint32_t distance : trace_.request_sets[wait.requests]) {
    const auto found = self.outstanding.find(self.begun - distance + 1);
    if (found == self.outstanding.end()) continue;
    if (!own) self.open.completed.push_back(found->second);
    self.outstanding.erase(found);
  }
  std::sort(self.open.completed.begin(), self.open.completed.end(),
            [](const PredictedRequest& a, const PredictedRequest& b) { return a.number < b.number; });
}

void PredictedCalls::sent(const simulate::Sent& sent) {
  Rank& self = of(sent.sender);
  const std::uint64_t number = static_cast<std::uint64_t>(sent.sender) << 32 | self.sent++;
  messages_[sent.message] = {number, sent.sender, trace_.operations[sent.operation].tag, sent.bytes,
                             sent.of_collective};
  if (!sent.of_collective) self.open.messages_out.push_back(number);
}

void PredictedCalls::taken(const simulate::Taken& taken) {
  const auto found = messages_.find(taken.message);
  const UnderWay message = found->second;
  messages_.erase(found);
  if (message.of_collective) return;
  Rank& self = of(taken.receiver);
  self.open.messages_in.push_back(message.number);
  const recording::Message arrived{message.sender, message.tag, message.bytes};
  const bool exchange = self.open.call->kind == CallClass::send_receive;
  if (taken.request < 0 || exchange)
    self.open.received = arrived;
  else if (self.open.call->kind == CallClass::collective)
    self.open.received.bytes += arrived.bytes;
  if (taken.request < 0) return;
  const auto request = self.outstanding.find(static_cast<std::uint32_t>(taken.request) + 1);
  if (request != self.outstanding.end()) request->second.message = arrived;
}

void PredictedCalls::ended(std::int32_t rank, Time at) {
  Rank& self = of(rank);
  close(self);
  rank_ended(rank, self.idle_from, at);
}

void PredictedCalls::finish() {
  Time last = 0;
  for (const Rank& rank : ranks_) last = std::max(last, rank.end);
  for (Rank& rank : ranks_) {
    if (!rank.has_open) continue;
    rank.open.to = std::max(rank.open.to, last);
    close(rank);
  }
}

}  // namespace parcast::interchange
