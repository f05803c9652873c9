// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a simulation gave, for a terminal and as JSON.

#include <string>
#include <vector>

#include "predict/simulate/critical_path.h"
#include "predict/simulate/pairs.h"
#include "predict/simulate/profile.h"
#include "predict/simulate/simulate.h"
#include "report/style.h"
#include "trace/trace.h"

namespace parcast::report {

struct Simulated {
  const trace::Trace& trace;
  const std::string& machine;
  const std::vector<std::string>& assumptions;  // of the machine
  const simulate::Outcome& outcome;
  // Where they were asked for (simulation_parts.h has their text).
  const simulate::Profile* profile = nullptr;
  const simulate::Pairs* pairs = nullptr;
  const simulate::CriticalPath* path = nullptr;  // of a run that ends
  bool has_ended = false;    // the trace is of a recorded run: a replay that hangs has a fault
};

/// Makespan, how it divides, and the ranks; where ranks hang, what each waits for.
std::string simulation_text(const Simulated& simulated, const Style& style, bool all_ranks);

/// parcast.simulation/1; `all_ranks`: the profile of each rank too.
std::string simulation_to_json(const Simulated& simulated, bool all_ranks = false);

}  // namespace parcast::report
