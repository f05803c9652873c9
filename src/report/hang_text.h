// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run that never ends, whoever found it: what each rank waits for.

#include <string>
#include <vector>

#include "predict/hang.h"
#include "report/style.h"
#include "trace/waiting.h"

namespace parcast::report {

struct Hang {
  const trace::Trace& trace;
  const std::vector<trace::Waiting>& waiting;
  const std::vector<std::int32_t>& circle;   // ranks that wait for each other; of one alone: it waits for ranks that have ended
  bool by_choice = false;
  trace::Finished finished;
  bool has_ended = false;   // the run that was recorded did: it is the replay that stops
};
std::string hang_text(const Hang& hang, const Style& style);
std::string hang_text(const predict::Hang& hang, const Style& style);

/// "MPI_Recv from rank 3, tag 7, 400 bytes (halo.c:12)"
std::string operation_text(const trace::Trace& trace, std::int32_t rank, std::uint32_t operation);

}  // namespace parcast::report
