// SPDX-License-Identifier: Apache-2.0
#pragma once
// Determines which operations of a rank are one call of the program: an exchange, for example, is a started
// receive, a started send, and a wait for both.

#include <cstdint>
#include <string_view>

#include "trace/trace.h"

namespace parcast::simulate {

/// Returns whether each call of this name starts one request. A call that starts several (MPI_Startall), or
/// that also waits for them (MPI_Sendrecv, neighbourhood collectives), is one call with all its operations.
inline bool starts_one(std::string_view call) {
  return (call.starts_with("MPI_I") && !call.starts_with("MPI_Ineighbor")) || call == "MPI_Start";
}

/// Returns whether `next`, without computing after `before`, belongs to the same call.
inline bool same_call(const trace::Trace& trace, const trace::Operation& before,
                      const trace::Operation& next) {
  using trace::Kind;
  if (before.place == trace::kNowhere || before.place != next.place) return false;
  if (before.kind != Kind::start_send && before.kind != Kind::start_receive) return false;
  return next.kind == Kind::wait || ((next.kind == Kind::start_send || next.kind == Kind::start_receive) &&
                                     !starts_one(trace.places[next.place].call));
}

}  // namespace parcast::simulate
