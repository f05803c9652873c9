// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast simulate --vary` and `--repeats`: simulates a trace on many machines that differ in a few
// parameters, or in the random noise. Of a model, the run may vary, too: p and the sizes of the problem.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/trace_inputs.h"
#include "cli/verb.h"
#include "machine/machine.h"
#include "predict/prediction.h"
#include "predict/simulate/variants.h"
#include "report/repeats_text.h"
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

/// A run of a model, with those of its values that --vary names.
struct VariedRun {
  RunAsked asked;
  std::map<std::string, double> values;
};
struct VariedRuns {
  std::set<std::string> names;  // p and parameters of the model, as far as they vary
  std::vector<VariedRun> runs;  // at least one
};
/// Returns the runs that --vary asks for. Fails if a value is given twice, or if a name is of the model and
/// of the machine.
Result<VariedRuns> varied_runs(const Invocation& invocation, const RunAsked& asked,
                               const machine::Machine& machine);

/// The points of one answer: every run on every machine.
class SimulationSweep {
 public:
  /// `machine` lists the parameters that can vary; `names` are those of the run.
  static Result<SimulationSweep> create(const Invocation& invocation, const machine::Machine& machine,
                                        const std::set<std::string>& names);
  /// Simulates a run on all machines, as often as requested. Returns the exit code of what fails.
  int add(const VariedRun& run, const LoadedTrace& loaded, const SimulateAt& simulate_at);
  /// Prints the answer, and returns the exit code.
  int finish(const report::Style& style) const;

 private:
  using Point = std::map<std::string, predict::Varied>;
  struct Hanging {
    VariedRun run;
    Point point;
    std::vector<simulate::Summary> repeats;
  };
  SimulationSweep(const Invocation& invocation, const machine::Machine& machine)
      : invocation_(invocation), machine_(machine) {}
  int give_distribution(const report::Style& style) const;

  const Invocation& invocation_;
  const machine::Machine& machine_;
  std::vector<Point> points_;
  std::size_t repeats_ = 1;
  unsigned threads_ = 1;
  std::vector<predict::Prediction> predictions_;
  std::vector<Hanging> hanging_;
  std::optional<report::Repeats> distribution_;  // of the last run
  bool is_partial_ = false, is_recorded_ = false;
};

}  // namespace parcast::cli
