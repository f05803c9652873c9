// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compares a model with the recordings from which it was made, and with recordings that were left out.
// docs/models/checks.md.

#include <map>
#include <string>
#include <vector>

#include "build_model/recorded_runs.h"
#include "model/checks.h"
#include "predict/prediction.h"

namespace parcast::predict {

/// Compares the computing of a run by rank, region and segment, recorded and as predicted by the model. Calls
/// are matched by their regions, name and place.
Result<program::RunCheck> check_computing(const program::Model& model, const program::RecordedRun& run);

/// Compares every recording with `model`, which was made from them. The default engine predicts totals on
/// `machine` when it has the processor of the recordings; with a null machine there are no totals.
Result<program::Checks> give_back(const program::Model& model, const std::vector<program::RecordedRun>& runs,
                                  const machine::Machine* machine, const Progress& progress = {});

/// Recordings at the largest value of a variable, and all other recordings.
struct HeldOut {
  std::string without;                    // "p", or a parameter
  double largest = 0, remaining = 0;      // largest value, and the largest value of the others
  std::vector<std::size_t> runs, others;  // indices
};
/// Returns one entry for each variable that has three values or more.
std::vector<HeldOut> held_out(const std::vector<program::RecordedRun>& runs);

/// Logarithms of recorded / predicted computing of runs that were left out, per doubling beyond the other
/// runs. By node (labels and places of the nodes around it): of its forecast, and of the sum of its segments.
struct ForwardErrors {
  struct OfNode {
    std::vector<double> whole, parts;
  };
  std::map<std::string, OfNode> nodes;
};

/// Compares the computing of the runs that `held` leaves out with a model of the other runs, and adds the
/// errors of its forecasts.
Result<program::ForwardCheck> check_forward(program::RecordedRuns& recordings,
                                            const std::vector<program::RecordedRun>& runs,
                                            const HeldOut& held, ForwardErrors& errors);

/// Gives the model's forecasts these errors (program::Forecast).
void weigh_forecasts(program::Model& model, const ForwardErrors& errors);

/// What could not be compared, in words, and why.
struct Unchecked {
  std::string what;
  Error why;
};
/// Sets model.checks: all of the above, the left-out runs only with `forward`. Returns what is missing there.
/// `show` receives the completed fraction and the current step.
Result<std::vector<Unchecked>> check_model(program::RecordedRuns& recordings, program::Model& model,
                                           const machine::Machine* machine, bool forward,
                                           const std::function<void(double, std::string_view)>& show);

}  // namespace parcast::predict
