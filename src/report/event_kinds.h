// SPDX-License-Identifier: Apache-2.0
#pragma once
// The meaningful fields of an event, by the class of its call.

#include "recording/recording.h"

namespace parcast::report {

inline bool sends(recording::CallClass kind) {
  using enum recording::CallClass;
  return kind == send || kind == start_send || kind == send_receive;
}

inline bool receives(recording::CallClass kind) {
  using enum recording::CallClass;
  return kind == receive || kind == start_receive || kind == send_receive || kind == probe;
}

/// Calls whose communicator defines the participants, or the group in which a partner's message was searched.
inline bool names_communicator(recording::CallClass kind) {
  using enum recording::CallClass;
  return sends(kind) || receives(kind) || kind == poll || kind == communicator || kind == one_sided ||
         kind == epoch;
}

/// MPI_Win_test is one of the tests; the other tests refer to no window.
inline bool is_epoch(recording::CallClass kind) {
  using enum recording::CallClass;
  return kind == epoch || kind == test;
}

inline bool joins(recording::CallClass kind) {
  using enum recording::CallClass;
  return kind == collective || kind == start_collective;
}

}  // namespace parcast::report
