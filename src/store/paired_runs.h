// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pairs the runs of a store with the predictions of the same points. Unlike `validate`, it also shows
// predictions that were stored after the run, and names them so.

#include <functional>
#include <vector>

#include "store/entry.h"
#include "store/validate.h"

namespace parcast::store {

struct PairedPoint {
  ValidatedPoint point;
  bool was_before = false;   // the prediction was stored before the earliest run began, as far as known
  bool is_recorded = false;  // the runs are recordings, which a model may rest on
};

struct PairedRuns {
  std::vector<PairedPoint> points;  // by program, machine, processes, parameters
  std::vector<Entry> unanswered;    // runs without a prediction, oldest first
};

/// Returns whether a recording was made on the machine of a prediction; measurements name their machine.
using IsMachineOf = std::function<bool(const Entry& recording, const Entry& prediction)>;

/// Pairs runs (recordings and measurements) with predictions. Of several, the last one stored before the
/// earliest run counts, else the last one. Runs without a time are passed over.
PairedRuns paired_runs(const std::vector<Entry>& predictions, const std::vector<Entry>& runs,
                       const IsMachineOf& is_machine_of);

}  // namespace parcast::store
