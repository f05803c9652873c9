// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loads a run that was recorded, by Parcast or by another tool, or predicted: a recording or an archive of
// OTF2.

#include <string>
#include <vector>

#include "cli/output.h"
#include "interchange/time_line.h"
#include "recording/recording.h"

namespace parcast::cli {

struct RecordedRun {
  recording::Recording recording;
  interchange::TimeLine line;         // puts the clocks of its ranks on one line
  std::vector<std::string> warnings;  // what is missing or assumed, one sentence each
  bool partial = false;
  std::string path;  // of the recording or the archive
  bool is_archive = false;
};

/// Returns whether the name refers to a recording (NAME or NAME.recording) or an archive of OTF2.
bool names_recorded_run(const std::string& name);
/// Loads it. An archive is read as a temporary recording, which is removed.
Result<RecordedRun> load_recorded_run(const std::string& name, Progress& progress);

}  // namespace parcast::cli
