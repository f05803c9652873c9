// SPDX-License-Identifier: Apache-2.0
// Turns the records between a call's Enter and Leave into the parts of its event.

#include "interchange/otf2_location.h"

namespace parcast::interchange {
namespace {

using recording::CallClass;
using recording::Pattern;

Pattern pattern_of(OTF2_CollectiveOp operation) {
  switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
      return Pattern::barrier;
    case OTF2_COLLECTIVE_OP_BCAST:
      return Pattern::broadcast;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
      return Pattern::gather;
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
      return Pattern::scatter;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
      return Pattern::allgather;
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
      return Pattern::alltoall;
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
      return Pattern::allreduce;
    case OTF2_COLLECTIVE_OP_REDUCE:
      return Pattern::reduce;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
      return Pattern::reduce_scatter;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
      return Pattern::scan;
    default:
      return Pattern::none;
  }
}

bool is_collective(CallClass kind) {
  return kind == CallClass::collective || kind == CallClass::start_collective;
}

/// Returns whether the call makes a request: MPI_Rput, MPI_Rget, MPI_Raccumulate, ...
bool makes_request(const MpiCall& call) {
  return call.kind == CallClass::one_sided && call.name.starts_with("MPI_R");
}

}  // namespace

/// Returns the first event of the open call. Returns null, and counts the record, if no call is open.
LocationReader::Part* LocationReader::open_part() {
  if (!parts_.empty()) return &parts_.front();
  ++totals_.outside;
  return nullptr;
}

/// Returns an event for a further request: a call that starts several requests has an event for each.
LocationReader::Part* LocationReader::start_part(std::uint64_t request) {
  Part* first = open_part();
  if (!first) return nullptr;
  Part* part = first;
  if (first->event.request != 0) {
    part = &parts_.emplace_back();
    part->event.call = call_;
    part->event.region = parts_.front().event.region;
    part->event.site = parts_.front().event.site;
  }
  part->event.request = request_number(request);
  return part;
}

void LocationReader::take_communicator(OTF2_CommRef communicator, Part& part) {
  if (part.given_communicator) return;
  part.given_communicator = true;
  part.event.communicator = state_.communicators.number(communicator);
}

void LocationReader::send(OTF2_CommRef communicator, std::uint32_t receiver, std::uint32_t tag,
                          std::uint64_t bytes) {
  Part* part = open_part();
  if (!part) return;
  part->event.message = {state_.communicators.peer(communicator, receiver), static_cast<std::int32_t>(tag),
                         bytes};
  take_communicator(communicator, *part);
}

void LocationReader::start_send(OTF2_CommRef communicator, std::uint32_t receiver, std::uint32_t tag,
                                std::uint64_t bytes, std::uint64_t request) {
  Part* part = start_part(request);
  if (!part) return;
  part->event.message = {state_.communicators.peer(communicator, receiver), static_cast<std::int32_t>(tag),
                         bytes};
  take_communicator(communicator, *part);
}

void LocationReader::start_receive(std::uint64_t request, const OTF2_AttributeList* list) {
  Part* part = start_part(request);
  if (!part) return;
  const RecordAttributes attributes = attributes_of(archive_, list);
  part->event.call = &receiving(*part->event.call);
  part->event.received = attributes.received.value_or(recording::Message{recording::kAnySource, 0, 0});
  part->waits = !attributes.received;
}

void LocationReader::start_collective(std::uint64_t request, const OTF2_AttributeList* list) {
  Part* part = start_part(request);
  if (!part) return;
  const RecordAttributes attributes = attributes_of(archive_, list);
  if (attributes.sent) part->event.message = *attributes.sent;
  if (attributes.received) part->event.received = *attributes.received;
  part->waits = !attributes.sent;
}

void LocationReader::receive(OTF2_CommRef communicator, std::uint32_t sender, std::uint32_t tag,
                             std::uint64_t bytes) {
  Part* part = open_part();
  if (!part) return;
  part->event.received = {state_.communicators.peer(communicator, sender), static_cast<std::int32_t>(tag),
                          bytes};
  take_communicator(communicator, *part);
}

std::int32_t LocationReader::root_of(OTF2_CommRef communicator, std::uint32_t root) {
  if (root == OTF2_COLLECTIVE_ROOT_NONE || root == OTF2_COLLECTIVE_ROOT_THIS_GROUP) return recording::kNoPeer;
  return root == OTF2_COLLECTIVE_ROOT_SELF ? state_.rank : state_.communicators.peer(communicator, root);
}

void LocationReader::take_collective(Part& part, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                                     std::uint32_t root, CollectiveBytes moved) {
  take_communicator(communicator, part);
  const Pattern pattern = pattern_of(operation);
  if (!is_collective(part.event.call->kind) || pattern == Pattern::none) return;
  const std::int32_t from = root_of(communicator, root);
  const Place place{pattern, operation == OTF2_COLLECTIVE_OP_EXSCAN, from == state_.rank,
                    state_.communicators.size(communicator), state_.communicators.own_place(communicator)};
  const CollectiveBytes own = contributed(place, moved);
  part.event.message = {from, 0, own.sent};
  part.event.received = {recording::kNoPeer, 0, own.received};
}

void LocationReader::collective(OTF2_CollectiveOp operation, OTF2_CommRef communicator, std::uint32_t root,
                                CollectiveBytes moved) {
  if (Part* part = open_part()) take_collective(*part, operation, communicator, root, moved);
}

void LocationReader::access(OTF2_RmaWinRef window, std::uint32_t remote, std::optional<std::uint64_t> sent,
                            std::optional<std::uint64_t> received, std::uint64_t id) {
  Part* part = open_part();
  if (!part) return;
  const auto at = archive_.windows.find(window);
  const OTF2_CommRef communicator = at == archive_.windows.end() ? OTF2_UNDEFINED_COMM : at->second;
  const std::int32_t peer = state_.communicators.peer(communicator, remote);
  if (sent) part->event.message = {peer, 0, *sent};
  if (received) part->event.received = {peer, 0, *received};
  take_communicator(communicator, *part);
  if (makes_request(*part->event.call) && id != 0) part->event.request = request_number(id);
}

void LocationReader::begin_file_access(bool writes, std::uint64_t bytes, std::uint64_t id) {
  if (call_ && call_->kind == CallClass::input_output) file_accesses_[id] = {writes, bytes};
}

void LocationReader::end_file_access(std::uint64_t bytes, std::uint64_t id) {
  const auto at = file_accesses_.find(id);
  if (at == file_accesses_.end()) return;
  const auto [writes, asked] = at->second;
  file_accesses_.erase(at);
  if (parts_.empty()) return;
  recording::Message& side = writes ? parts_.front().event.message : parts_.front().event.received;
  side.bytes += bytes == OTF2_UNDEFINED_UINT64 ? asked : bytes;
}

void LocationReader::add_completion(const recording::Completion& completion) {
  if (Part* part = open_part()) part->event.completions.push_back(completion);
}

void LocationReader::complete(std::uint64_t request) {
  add_completion({request_number(request), recording::kNoPeer, 0, 0});
}

void LocationReader::complete_receive(OTF2_CommRef communicator, std::uint32_t sender, std::uint32_t tag,
                                      std::uint64_t bytes, std::uint64_t request) {
  const std::uint32_t number = request_number(request);
  const std::int32_t source = state_.communicators.peer(communicator, sender);
  add_completion({number, source, static_cast<std::int32_t>(tag), bytes});
  if (Part* part = awaited(number)) {
    part->event.received = {source, static_cast<std::int32_t>(tag), bytes};
    take_communicator(communicator, *part);
    part->waits = false;
    flush(false);
  }
}

void LocationReader::complete_collective(OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                                         std::uint32_t root, CollectiveBytes moved, std::uint64_t request) {
  const std::uint32_t number = request_number(request);
  add_completion({number, recording::kNoPeer, 0, 0});
  if (Part* part = awaited(number)) {
    take_collective(*part, operation, communicator, root, moved);
    part->waits = false;
    flush(false);
  }
}

/// Completes an access inside waits and tests. Elsewhere the record only reports that the access is over.
void LocationReader::complete_access(std::uint64_t id) {
  if (call_ && id != 0 && (call_->kind == CallClass::wait || call_->kind == CallClass::test)) complete(id);
}

void LocationReader::cancel(std::uint64_t request, const OTF2_AttributeList* list) {
  const RecordAttributes attributes = attributes_of(archive_, list);
  const recording::Message given = attributes.received.value_or(recording::Message{});
  const std::uint32_t number = request_number(request);
  add_completion({number, given.peer, given.tag, given.bytes});
  if (Part* part = awaited(number)) {
    part->waits = false;
    flush(false);
  }
}

}  // namespace parcast::interchange
