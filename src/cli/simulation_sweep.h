// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast simulate --vary` and `--repeats`: simulates one trace on many machines that differ in a few
// parameters, or in the random noise.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/trace_inputs.h"
#include "cli/verb.h"
#include "machine/machine.h"
#include "predict/simulate/variants.h"
#include "report/style.h"

namespace parcast::cli {

/// The settings of a point that override the command line.
struct PlatformChange {
  std::vector<std::string> settings;    // for machine::set_parameter
  std::map<std::string, double> flags;  // e.g. "--compute-ratio"
  std::uint64_t repeat = 0;             // added to the seed
};
/// Returns the number after a flag, or the point's override of it.
Result<double> number_at(const Invocation& invocation, const PlatformChange& change, const std::string& flag,
                         double otherwise, double least);
/// Simulates a point; several threads call it at the same time. `made` becomes true once the point's platform
/// exists: earlier failures are errors in the question.
using SimulateAt = std::function<Result<simulate::Summary>(const PlatformChange&, bool& made)>;

/// Returns the flags --vary, --repeats and those that belong to them; asks_for_many(): whether one of the two
/// is given.
const std::vector<Flag>& simulation_sweep_flags();
bool asks_for_many(const Invocation& invocation);

/// Simulates every point as often as requested, prints the answer, and returns the exit code. `machine` lists
/// the parameters that can vary.
int sweep_simulation(const Invocation& invocation, const LoadedTrace& loaded, const machine::Machine& machine,
                     const SimulateAt& simulate_at, const report::Style& style);

}  // namespace parcast::cli
