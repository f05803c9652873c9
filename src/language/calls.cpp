// SPDX-License-Identifier: Apache-2.0
#include "language/calls.h"

#include <algorithm>

namespace parcast::program::written {
namespace {

using Operation = Statement::Operation;
using recording::CallClass;
using recording::Pattern;

std::string_view name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::barrier:
      return "MPI_Barrier";
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
      return "MPI_Reduce_scatter_block";
    case Pattern::scan:
      return "MPI_Scan";
    case Pattern::none:
    case Pattern::neighbourhood:
      break;
  }
  return "";
}

}  // namespace

std::string_view call_name(const Statement& operation) {
  switch (operation.operation) {
    case Operation::send:
      return "MPI_Send";
    case Operation::receive:
      return "MPI_Recv";
    case Operation::start_send:
      return "MPI_Isend";
    case Operation::start_receive:
      return "MPI_Irecv";
    case Operation::wait:
      return "MPI_Waitall";
    case Operation::exchange:
      return "MPI_Sendrecv";
    case Operation::collective:
      break;
  }
  return name_of(operation.pattern);
}

CallClass call_class(const Statement& operation) {
  switch (operation.operation) {
    case Operation::send:
      return CallClass::send;
    case Operation::receive:
      return CallClass::receive;
    case Operation::start_send:
      return CallClass::start_send;
    case Operation::start_receive:
      return CallClass::start_receive;
    case Operation::wait:
      return CallClass::wait;
    case Operation::exchange:
      return CallClass::send_receive;
    case Operation::collective:
      break;
  }
  return CallClass::collective;
}

/// As build_model/build.cpp does for recorded calls.
Synchronisation synchronisation(const Statement& operation) {
  switch (operation.operation) {
    case Operation::send:
    case Operation::start_send:
    case Operation::start_receive:
      return Synchronisation::none;
    case Operation::receive:
    case Operation::wait:
    case Operation::exchange:
      return Synchronisation::neighbour;
    case Operation::collective:
      break;
  }
  switch (operation.pattern) {
    case Pattern::broadcast:
    case Pattern::scatter:
      return Synchronisation::from_root;
    case Pattern::reduce:
    case Pattern::gather:
      return Synchronisation::to_root;
    case Pattern::scan:
      return Synchronisation::neighbour;
    default:
      return Synchronisation::global;
  }
}

std::pair<PeerRelation, std::vector<std::int64_t>> relation(const Statement& operation) {
  if (operation.operation == Operation::collective)
    return operation.fixed_root
               ? std::pair{PeerRelation::fixed, std::vector<std::int64_t>{*operation.fixed_root}}
               : std::pair{PeerRelation::none, std::vector<std::int64_t>{}};
  if (operation.operation == Operation::wait) return {PeerRelation::none, {}};
  const Partner& partner = operation.partner;
  if (partner.change != Change::none) return {PeerRelation::several, {}};
  switch (partner.kind) {
    case Partner::Kind::fixed:
      return {PeerRelation::fixed, {partner.amount}};
    case Partner::Kind::offset:
      return {PeerRelation::offset, {partner.amount}};
    case Partner::Kind::ring:
      return {PeerRelation::offset_ring, {partner.amount}};
    case Partner::Kind::exclusive_or:
      return {PeerRelation::exclusive_or, {partner.amount}};
    case Partner::Kind::grid:
      break;
    default:
      return {PeerRelation::several, {}};
  }
  if (std::ranges::count_if(partner.shift, [](int shift) { return shift != 0; }) != 1)
    return {PeerRelation::several, {}};
  const auto k =
      std::ranges::find_if(partner.shift, [](int shift) { return shift != 0; }) - partner.shift.begin();
  return {PeerRelation::grid_shift,
          {k, partner.shift[static_cast<std::size_t>(k)], partner.dimensions, partner.periodic >> k & 1}};
}

}  // namespace parcast::program::written
