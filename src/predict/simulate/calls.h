// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which operations of a rank are one call of the program: an exchange is a receive and a send that are started, and their wait.

#include <cstdint>
#include <string_view>

#include "trace/trace.h"

namespace parcast::simulate {

/// Each call of these starts one request; what starts several (MPI_Startall), or waits for them itself (MPI_Sendrecv,
/// neighbourhoods), is one call with all its operations.
inline bool starts_one(std::string_view call) {
  return (call.starts_with("MPI_I") && !call.starts_with("MPI_Ineighbor")) || call == "MPI_Start";
}

/// Whether `next`, with no computing since `before`, goes on in the same call.
inline bool same_call(const trace::Trace& trace, const trace::Operation& before, const trace::Operation& next) {
  using trace::Kind;
  if (before.place == trace::kNowhere || before.place != next.place) return false;
  if (before.kind != Kind::start_send && before.kind != Kind::start_receive) return false;
  return next.kind == Kind::wait || ((next.kind == Kind::start_send || next.kind == Kind::start_receive) && !starts_one(trace.places[next.place].call));
}

}  // namespace parcast::simulate
