// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings of one program, taken one after the other: of each the events become totals and a trace, and are
// then let go. So memory holds the events of one recording at a time, and a model of many long runs needs
// little more than one of them.
//
//     RecordedRuns runs;
//     for (const std::string& path : paths) runs.add(read(path));
//     Structure structure = runs.find_structure();  // first: it finds the process grids, too
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

/// A run, and what the events of its recording come to.
struct RecordedRun {
  Point point;
  std::size_t index = 0;
  bool crowded = false;             // processes shared cores
  double seconds = 0;               // MPI_Init's return to MPI_Finalize's entry, slowest rank
  const RunTotals* totals = nullptr;
  std::string digest = {};          // of the recording
};

class RecordedRuns {
 public:
  void add(recording::Recording recording);

  /// In the order in which they were added; without events.
  std::vector<recording::Recording>& recordings() { return recordings_; }
  const std::vector<recording::Recording>& recordings() const { return recordings_; }

  /// Makes a model of all recordings, with the structure and on the grids that find_structure() found.
  Result<Model> make_model() const;
  /// The same of some of them, by the order in which they were added.
  Result<Model> make_model_of(const std::vector<std::size_t>& chosen);
  /// Those that are whole, in the order in which they were added; `index` counts all that were.
  Result<std::vector<RecordedRun>> whole_runs() const;
  /// As find_structure() finds it in the whole recordings, or none where all together are beyond kMostTokens.
  /// Takes the traces: once.
  Structure find_structure();

 private:
  void take_trace(const recording::Recording& recording);
  Result<Structure> search_structure();

  std::vector<recording::Recording> recordings_;
  std::vector<RunTotals> totals_;
  std::vector<std::optional<Result<trace::FromRecording>>>
      traces_;  // none of runs that show no exchange, or once one is not to be had
  TokenBudget budget_;
  std::optional<Error> beyond_;
  bool wants_traces_ = true;
  std::optional<std::vector<ProcessGrid>> grids_;  // on which the structure was found
  std::optional<Structure> structure_;             // once it was found
};

/// Code "no-order", of a structure whose search gave up: what that means for the model.
std::optional<Notice> order_notice(const Structure& structure);

}  // namespace parcast::program
