// SPDX-License-Identifier: Apache-2.0
#pragma once
// A study: from a launch line to an answer. Each step is skipped if its result lies in the folder and was
// made from the same; a killed study goes on where it was.
//
//   build -> runs of the design -> machine -> model -> prediction -> next run, until it is precise enough
//         -> measured runs to compare with their predictions -> graph

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explain/explain.h"
#include "machine/machine.h"
#include "model/model.h"
#include "predict/prediction.h"
#include "study/description.h"
#include "study/folder.h"
#include "study/journal.h"
#include "study/runner.h"

namespace parcast::study {

/// What a study needs of the program around it.
struct Host {
  std::filesystem::path parcast;  // this program
  int cores = 1;
  std::map<std::string, std::string> properties;  // what times depend on: host name, processor
  std::string version;                            // of Parcast
  std::function<Result<machine::Machine>(const std::string& name)> load_machine;
  std::function<std::vector<predict::Warning>(const machine::Machine&, const machine::Machine* recorded_on)>
      machine_warnings;
  /// Returns the file that a launch line starts, after its launcher.
  std::function<std::filesystem::path(const std::vector<std::string>& launch)> program_in;
  std::function<void(const std::string& line)> say;  // what is done, a line each
  /// Receives the current step, also while it lasts; `seconds_left` is negative if it is unknown.
  std::function<void(double fraction, const std::string& text, double seconds_left)> progress;
};

/// Why no further run was made.
enum class Stop {
  not_asked,      // neither a precision nor a budget was given
  precision,      // the interval is narrow enough
  budget,         // the time for runs is used up
  nothing_worth,  // no allowed run is expected to narrow the answer by 5 %, or the last ones did not
  not_known,      // the time of another run does not follow from the runs
};
std::string_view to_string(Stop stop);
std::optional<Stop> stop_from(std::string_view name);

/// A measured run and its prediction.
struct Checked {
  Values values;
  predict::Prediction prediction;
  std::optional<Run> run;  // nothing: not made
  bool holds() const {
    return run && run->is_done && run->seconds >= prediction.seconds.low &&
           run->seconds <= prediction.seconds.high;
  }
};

struct Outcome {
  Description description;
  Design design;
  std::vector<Run> runs;  // that the model is made of
  std::vector<Run> failed;
  std::size_t not_made = 0;        // runs of the design for which no time was left
  machine::Machine machine;        // of the runs' model checks
  machine::Machine asked_machine;  // the same, with the parameters that the description changes
  program::Model model;
  std::filesystem::path model_file, machine_file, asked_machine_file;
  std::vector<std::filesystem::path> replayed;  // recordings that answer by themselves; empty: the model does
  predict::Prediction prediction;
  std::optional<explain::Explanation> explanation;  // nothing: the closed form has no answer
  Stop stop = Stop::not_asked;
  std::string stop_reason;  // for not_known
  double spent = 0;         // seconds of all runs
  std::vector<Checked> checks;
  std::vector<predict::Prediction> graph;
  std::vector<std::string> notes;  // what was assumed or is missing, a sentence each
  bool is_partial = false;         // a run failed or a recording is damaged
};

/// Fails on what is wrong with the description before anything is written or run.
Result<void> check(const Description& description, const Host& host);

/// Nothing if a signal ended the study; all that was done is kept.
using Ran = std::optional<Outcome>;
Result<Ran> run_study(const Description& description, const Folder& folder, const Host& host, Runner& runner);

}  // namespace parcast::study
