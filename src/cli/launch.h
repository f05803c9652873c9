// SPDX-License-Identifier: Apache-2.0
#pragma once
// Running somebody's launch line with the recorder loaded into its processes: the line's own output, input, signals and
// exit code pass through untouched.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/launcher.h"

namespace parcast::cli {

struct Launch {
  std::vector<std::string> command;
  std::filesystem::path recorder;   // libparcast-record.so
  std::filesystem::path folder;     // where the ranks write
  std::string classes;              // PARCAST_CLASSES; empty: not set
  std::filesystem::path local;      // PARCAST_LOCAL: where the ranks write on their own nodes; empty: not set
  Variables settings;               // further ones of the recorder
};

struct LaunchOutcome {
  int exit_code = 0;                // 128 + signal when a signal ended it, as shells say it
  double seconds = 0;
};

/// A library of Parcast: beside this installation (../lib), or in the build tree. The error says where it was looked for.
Result<std::filesystem::path> find_library(const std::string& name);

/// The recorder library.
Result<std::filesystem::path> find_recorder();

/// Runs it to its end. An error only when the program could not be started at all (exit code 127 or 126 then).
Result<LaunchOutcome> run(const Launch& launch);

/// Runs another command with the recorder loaded and these variables told to all its processes, with nothing to read and its
/// output on stderr. Its exit code; not 0 where it could not be run.
int run_beside(const std::vector<std::string>& command, const std::filesystem::path& recorder, const Variables& variables);

}  // namespace parcast::cli
