// SPDX-License-Identifier: Apache-2.0
#include "build_model/recorded_runs.h"

#include <algorithm>

#include "build_model/build.h"
#include "build_model/off_processor.h"
#include "observations/grid_candidates.h"
#include "observations/inputs.h"
#include "structure/find.h"

namespace parcast::program {
namespace {

Result<trace::FromRecording> checked_trace(const recording::Recording& recording, trace::Matching matching) {
  PARCAST_ASSIGN(auto made, trace::from_recording(recording, matching));
  PARCAST_TRY(trace::check(made.trace));
  return made;
}

Error none_whole(std::size_t damaged) {
  const std::string runs = damaged == 1 ? "the only run" : "all " + std::to_string(damaged) + " runs";
  return {runs + " on two processes or more " + (damaged == 1 ? "is" : "are") +
              " not whole (killed, or events were lost), so nothing is known of what they exchange",
          "", "record at p = 2 or more, at three or more process counts, up to MPI_Finalize"};
}

}  // namespace

void RecordedRuns::add(recording::Recording recording) {
  recordings_.push_back(std::move(recording));  // first, because totals point into it
  totals_.push_back(totals_of(recordings_.back()));
  traces_.emplace_back();
  as_they_came_.emplace_back();
  if (recordings_.back().processes >= 2 && !is_damaged(recordings_.back())) take_trace(recordings_.back());
  for (recording::RankRecording& rank : recordings_.back().ranks) recording::release_events(rank);
}

/// If a structure is impossible, only the reason is kept. Which of several reasons is kept does not depend on
/// the order of adding.
void RecordedRuns::take_trace(const recording::Recording& recording) {
  auto made = checked_trace(recording, trace::Matching::arrival);
  if (!made) {
    traces_.back() = made.error();
    wants_traces_ = false;
  } else if (const auto fits = budget_.add(made->trace); !fits) {
    beyond_ = fits.error();
    wants_traces_ = false;
  } else {
    if (trace::leaves_open(made->trace))
      if (auto came = checked_trace(recording, trace::Matching::recorded);
          came && budget_as_they_came_.add(came->trace))
        as_they_came_.back() = {std::move(came->trace), std::move(came->uncounted)};
    traces_.back() = std::move(made);
  }
  if (wants_traces_) return;
  for (auto& trace : traces_)
    if (trace && *trace) trace.reset();
  for (auto& came : as_they_came_) came.reset();
}

Result<Model> RecordedRuns::make_model() const {
  return build_model(recordings_, totals_, grids_, structure_ ? &*structure_ : nullptr);
}

// Recordings are moved, not copied: the counters of programs are large, and totals point to them.
Result<Model> RecordedRuns::make_model_of(const std::vector<std::size_t>& chosen) {
  std::vector<recording::Recording> recordings;
  std::vector<RunTotals> totals;
  for (const std::size_t i : chosen) {
    recordings.push_back(std::move(recordings_[i]));
    totals.push_back(totals_[i]);
  }
  auto model = build_model(recordings, std::move(totals), grids_);
  for (std::size_t k = 0; k < chosen.size(); ++k) recordings_[chosen[k]] = std::move(recordings[k]);
  return model;
}

Result<std::vector<RecordedRun>> RecordedRuns::whole_runs() const {
  PARCAST_ASSIGN(const Inputs inputs, check_inputs(recordings_));
  std::vector<RecordedRun> out;
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    if (is_damaged(recordings_[i])) continue;
    const auto source = std::ranges::find(inputs.order, i) - inputs.order.begin();
    RecordedRun run{{{}, inputs.runs[i].processes},
                    i,
                    recordings_[i].oversubscribed(),
                    off_processor_share(recordings_[i], totals_[i]) >= kMuchOffProcessor,
                    inputs.sources[static_cast<std::size_t>(source)].seconds,
                    &totals_[i],
                    recordings_[i].digest};
    for (std::size_t v = 0; v < inputs.parameters.size(); ++v)
      run.point.parameters[inputs.parameters[v]] = inputs.runs[i].parameters[v];
    out.push_back(std::move(run));
  }
  return out;
}

Structure RecordedRuns::find_structure() {
  auto found = search_structure();
  if (!found) return Structure{.missing = found.error()};
  if (found->found()) structure_ = *found;
  return std::move(*found);
}

Result<Structure> RecordedRuns::search_structure() {
  PARCAST_ASSIGN(const Inputs inputs, check_inputs(recordings_));
  std::vector<TracedRun> runs;
  std::size_t damaged = 0;
  for (const std::size_t i : inputs.order) {
    if (recordings_[i].processes < 2) continue;
    if (is_damaged(recordings_[i])) ++damaged;
    auto& made = traces_[i];
    if (!made) continue;
    if (!*made) return made->error();
    trace::FromRecording& from = **made;
    runs.push_back({inputs.runs[i], recordings_[i].oversubscribed(), std::move(from.trace),
                    std::move(from.alone), std::move(from.uncounted), std::move(as_they_came_[i])});
  }
  if (beyond_) return Structure{.missing = *beyond_, .gave_up = true};
  if (runs.empty() && damaged > 0) return none_whole(damaged);
  PARCAST_ASSIGN(auto found,
                 find_structure_and_grids(std::move(runs), inputs.parameters,
                                          grid_candidates(inputs.runs, inputs.grids), inputs.grids));
  if (found.structure.found()) grids_ = std::move(found.grids);
  return std::move(found.structure);
}

std::optional<Notice> order_notice(const Structure& structure) {
  if (!structure.gave_up || structure.has_steps()) return std::nullopt;
  return Notice{"no-order",
                "the model does not hold what the ranks do in order, only how often and how long: " +
                    structure.missing.what,
                structure.missing.hint};
}

}  // namespace parcast::program
