// SPDX-License-Identifier: Apache-2.0
#include "build_model/call_roles.h"

namespace parcast::program {

using recording::CallClass;
using recording::Pattern;

Synchronisation synchronisation_of(CallClass kind, Pattern pattern) {
  switch (kind) {
    case CallClass::receive:
    case CallClass::send_receive:
    case CallClass::wait:
    case CallClass::probe:
      return Synchronisation::neighbour;
    case CallClass::communicator:
    case CallClass::finalise:
      return Synchronisation::global;
    case CallClass::epoch:
      return pattern == Pattern::barrier ? Synchronisation::global : Synchronisation::none;
    case CallClass::collective:
      break;
    default:
      return Synchronisation::none;
  }
  switch (pattern) {
    case Pattern::broadcast:
    case Pattern::scatter:
      return Synchronisation::from_root;
    case Pattern::reduce:
    case Pattern::gather:
      return Synchronisation::to_root;
    case Pattern::neighbourhood:
    case Pattern::scan:
      return Synchronisation::neighbour;
    case Pattern::none:
      return Synchronisation::none;
    default:
      return Synchronisation::global;
  }
}

bool sends(CallClass kind) {
  return kind == CallClass::send || kind == CallClass::send_receive || kind == CallClass::start_send;
}

bool receives(CallClass kind) {
  return kind == CallClass::receive || kind == CallClass::send_receive || kind == CallClass::start_receive ||
         kind == CallClass::wait || kind == CallClass::test;
}

bool is_region_mark(CallClass kind) {
  return kind == CallClass::region_begin || kind == CallClass::region_end;
}

bool is_once_by_the_standard(const std::string& call) {
  return call == "MPI_Init" || call == "MPI_Init_thread" || call == "MPI_Finalize";
}

}  // namespace parcast::program
