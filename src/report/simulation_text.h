// SPDX-License-Identifier: Apache-2.0
#pragma once
// The result of a simulation, as text and as JSON.

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
  // Set on request (simulation_parts.h has their text).
  const simulate::Profile* profile = nullptr;
  const simulate::Pairs* pairs = nullptr;
  const simulate::CriticalPath* path = nullptr;  // only for a run that ends
  bool has_ended = false;  // the trace is of a recorded run: a replay that deadlocks has a fault
};

/// Returns the makespan, its parts, and the ranks; if ranks deadlock, what each waits for.
std::string simulation_text(const Simulated& simulated, const Style& style, bool all_ranks);

/// Returns parcast.simulation/1; `all_ranks`: with the profile of each rank.
std::string simulation_to_json(const Simulated& simulated, bool all_ranks = false);

}  // namespace parcast::report
