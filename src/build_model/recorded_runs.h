// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings of one program, added one after the other. The events of each become totals and a trace, and are
// then released. Memory therefore holds the events of one recording at a time, and a model of many long runs
// needs little more than one of them.
//
//     RecordedRuns runs;
//     for (const std::string& path : paths) runs.add(read(path));
//     Structure structure = runs.find_structure();  // first, because it also finds the process grids
//     Result<Model> model = runs.make_model();

#include <optional>
#include <vector>

#include "model/binding.h"
#include "model/model.h"
#include "observations/traces.h"
#include "recording/recording.h"
#include "structure/tokens.h"
#include "trace/from_recording.h"

namespace parcast::program {

/// A run and the totals of its recording's events.
struct RecordedRun {
  Point point;
  std::size_t index = 0;
  bool crowded = false;    // more processes than cores
  bool disturbed = false;  // its ranks were off the processor for much of it (off_processor.h)
  double seconds = 0;      // from MPI_Init's return to MPI_Finalize's entry, on the slowest rank
  const RunTotals* totals = nullptr;
  std::string digest = {};  // digest of the recording
};

class RecordedRuns {
 public:
  void add(recording::Recording recording);

  /// Returns the recordings without events, in the order in which they were added.
  std::vector<recording::Recording>& recordings() { return recordings_; }
  const std::vector<recording::Recording>& recordings() const { return recordings_; }

  /// Makes a model of all recordings, with the structure and on the grids that find_structure() found.
  Result<Model> make_model() const;
  /// Builds it from some of the recordings, given by their positions in the order of adding.
  Result<Model> make_model_of(const std::vector<std::size_t>& chosen);
  /// Returns the complete runs in the order in which they were added. `index` counts incomplete ones too.
  Result<std::vector<RecordedRun>> whole_runs() const;
  /// Returns the structure as find_structure() finds it in complete recordings; none if they have together
  /// more than kMostTokens. Moves the traces out, so it may be called only once.
  Structure find_structure();

 private:
  void take_trace(const recording::Recording& recording);
  Result<Structure> search_structure();

  std::vector<recording::Recording> recordings_;
  std::vector<RunTotals> totals_;
  std::vector<std::optional<Result<trace::FromRecording>>>
      traces_;  // empty for runs without messages, and once a structure is impossible
  std::vector<std::optional<TracedRun::AsItCame>> as_they_came_;  // of the same runs
  TokenBudget budget_, budget_as_they_came_;
  std::optional<Error> beyond_;
  bool wants_traces_ = true;
  std::optional<std::vector<ProcessGrid>> grids_;  // on which the structure was found
  std::optional<Structure> structure_;             // once it was found
};

/// Returns the notice with code "no-order" for a structure whose search gave up: the consequences for the
/// model.
std::optional<Notice> order_notice(const Structure& structure);

}  // namespace parcast::program
