// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings of one program, taken one after the other: of each the events become totals and a trace, and are
// then let go. So memory holds the events of one recording at a time, and a model of many long runs needs
// little more than one of them.
//
//     RecordedRuns runs;
//     for (const std::string& path : paths) runs.add(read(path));
//     Result<Model> model = runs.make_model();
//     model->structure = runs.find_structure();

#include <optional>
#include <vector>

#include "program/model.h"
#include "program/structure/tokens.h"
#include "program/traces.h"
#include "recording/recording.h"
#include "trace/from_recording.h"

namespace parcast::program {

class RecordedRuns {
 public:
  void add(recording::Recording recording);

  /// In the order in which they were added; without events.
  std::vector<recording::Recording>& recordings() { return recordings_; }
  const std::vector<recording::Recording>& recordings() const { return recordings_; }

  /// As build_model() makes it of the whole recordings. Takes the totals: once.
  Result<Model> make_model();
  /// As find_structure() finds it in the whole recordings, or none where all together are beyond kMostTokens.
  /// Takes the traces: once.
  Structure find_structure();

 private:
  void take_trace(const recording::Recording& recording);
  Result<Structure> structure();

  std::vector<recording::Recording> recordings_;
  std::vector<RunTotals> totals_;
  std::vector<std::optional<Result<trace::FromRecording>>>
      traces_;  // none of runs that show no exchange, or once one is not to be had
  TokenBudget budget_;
  std::optional<Error> beyond_;
  bool wants_traces_ = true;
};

/// Code "no-order", of a structure whose search gave up: what that means for the model.
std::optional<Notice> order_notice(const Structure& structure);

}  // namespace parcast::program
