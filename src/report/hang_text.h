// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text about a deadlock, found by any engine: what each rank waits for.

#include <string>
#include <vector>

#include "predict/hang.h"
#include "report/style.h"
#include "trace/waiting.h"

namespace parcast::report {

struct Hang {
  const trace::Trace& trace;
  const std::vector<trace::Waiting>& waiting;
  // ranks that wait for each other; a single rank waits for ranks that have ended
  const std::vector<std::int32_t>& circle;
  bool by_choice = false;
  trace::Finished finished;
  bool has_ended = false;  // the trace is of a recorded run, which ended: only the replay deadlocks
};
std::string hang_text(const Hang& hang, const Style& style);
std::string hang_text(const predict::Hang& hang, const Style& style);

/// Returns e.g. "MPI_Recv from rank 3, tag 7, 400 bytes (halo.c:12)".
std::string operation_text(const trace::Trace& trace, std::int32_t rank, std::uint32_t operation);

}  // namespace parcast::report
