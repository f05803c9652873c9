// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which parts of an event have a meaning, by the class of its call.

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

/// Whose communicator tells who took part, or among whom a partner's message was looked for.
inline bool names_communicator(recording::CallClass kind) {
  using enum recording::CallClass;
  return sends(kind) || receives(kind) || kind == poll || kind == communicator || kind == one_sided || kind == epoch;
}

/// MPI_Win_test is among the tests, which otherwise name no window.
inline bool is_epoch(recording::CallClass kind) {
  using enum recording::CallClass;
  return kind == epoch || kind == test;
}

inline bool joins(recording::CallClass kind) {
  using enum recording::CallClass;
  return kind == collective || kind == start_collective;
}

}  // namespace parcast::report
