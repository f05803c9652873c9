// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model compared with the recordings that it was made from, and with those that it was made without.
// docs/models/checks.md.

#include "build_model/recorded_runs.h"
#include "model/checks.h"
#include "predict/prediction.h"

namespace parcast::predict {

/// Computing of a run by rank, region and segment, as recorded and as the model gives it. Calls are matched by their
/// regions, name and place.
Result<program::RunCheck> check_computing(const program::Model& model, const program::RecordedRun& run);

/// Every recording as `model`, which was made of them, gives it. Totals are predicted by the default engine on `machine`
/// where it has the processor of the recordings; null: none are.
Result<program::Checks> give_back(const program::Model& model, const std::vector<program::RecordedRun>& runs,
                                  const machine::Machine* machine, const Progress& progress = {});

/// Recordings at the largest value of a variable, and all others.
struct HeldOut {
  std::string without;                        // "p", or a parameter
  double largest = 0, remaining = 0;          // values: of what is left out, and the largest of the others
  std::vector<std::size_t> runs, others;      // indices
};
/// Of each variable that has three values or more.
std::vector<HeldOut> held_out(const std::vector<program::RecordedRun>& runs);

/// Computing of the runs that `held` leaves out, as a model of the others gives it.
Result<program::ForwardCheck> check_forward(program::RecordedRuns& recordings, const std::vector<program::RecordedRun>& runs,
                                            const HeldOut& held);

}  // namespace parcast::predict
