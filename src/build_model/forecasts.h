// SPDX-License-Identifier: Apache-2.0
#pragma once
// The growth of the computing of the complete program, and of regions and loops, in addition to that of the
// segments.

#include <map>
#include <vector>

#include "fit_counts/costs.h"
#include "model/model.h"
#include "observations/inputs.h"
#include "observations/traces.h"
#include "recording/recording.h"

namespace parcast::program {

struct ForecastInputs {
  const std::vector<recording::Recording>& recordings;
  const Inputs& inputs;
  const Traces& traces;
  const std::vector<Factor>& distributions;
  const std::map<std::int32_t, NodeId>& node_of_key;
};

/// Adds the computing of the complete program, and of regions and loops with a large share of it, to a model
/// that has its nodes and segments. Fewer than three distinct runs give none.
void add_forecasts(Model& model, const ForecastInputs& from);

}  // namespace parcast::program
