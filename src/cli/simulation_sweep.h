// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast simulate --vary` and `--repeats`: one trace on many machines that differ in a few parameters, or in the noise that
// is drawn.

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

/// What a point has otherwise than the command line says.
struct PlatformChange {
  std::vector<std::string> settings;    // for machine::set_parameter
  std::map<std::string, double> flags;  // "--compute-ratio"
  std::uint64_t repeat = 0;             // to be added to the seed
};
/// The number behind a flag, or the one that a point has instead.
Result<double> number_at(const Invocation& invocation, const PlatformChange& change, const std::string& flag, double otherwise, double least);
/// A point's simulation, asked for by several threads at a time. `made` becomes true once its platform is: what fails before
/// is wrong with the question.
using SimulateAt = std::function<Result<simulate::Summary>(const PlatformChange&, bool& made)>;

/// --vary, --repeats and what goes with them; whether one of them is asked for.
const std::vector<Flag>& simulation_sweep_flags();
bool asks_for_many(const Invocation& invocation);

/// Simulates every point as often as asked and gives the answer; the exit code. `machine` tells which parameters there are.
int sweep_simulation(const Invocation& invocation, const LoadedTrace& loaded, const machine::Machine& machine, const SimulateAt& simulate_at, const report::Style& style);

}  // namespace parcast::cli
