// SPDX-License-Identifier: Apache-2.0
#pragma once
// The notices of a model about its recordings: what they do not show, and the run to record next.

#include <map>
#include <vector>

#include "build_model/next_recording.h"
#include "fit_counts/counts.h"
#include "model/model.h"
#include "observations/inputs.h"
#include "observations/sessions.h"
#include "observations/traces.h"
#include "recording/recording.h"

namespace parcast::program {

struct NoticeInputs {
  const std::vector<recording::Recording>& recordings;
  const Inputs& inputs;
  const Traces& traces;
  const Sessions& sessions;
  const Design& design;
  bool is_compiled_to_count = false;  // by parcast cc, cxx or fc
  const RecordedShares& shares;
  double disturbed_share = 0;  // of the computing: on more processes than cores
  double missed_share = 0;     // of the computing: times that no growth law gives
  double missed = 0;           // the largest relative error of these
  // By process count, for recordings with more processes than cores that decided between laws only: measured
  // time of computing / that of the model.
  std::map<double, double> crowded_ratios{};
};

/// Adds the notices to a model that is otherwise complete.
void add_notices(Model& model, const NoticeInputs& from);

}  // namespace parcast::program
