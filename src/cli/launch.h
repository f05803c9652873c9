// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the user's launch line with the recorder loaded into its processes. The output, input, signals and
// exit code of the launch line pass through unchanged.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/launcher.h"

namespace parcast::cli {

struct Launch {
  std::vector<std::string> command;
  std::filesystem::path recorder;  // libparcast-record.so
  std::filesystem::path folder;    // the ranks write their files here
  std::string classes;             // PARCAST_CLASSES; empty: not set
  // PARCAST_LOCAL: folder on their own nodes that the ranks write to; empty: not set
  std::filesystem::path local;
  Variables settings;  // further variables for the recorder
};

struct LaunchOutcome {
  int exit_code = 0;  // 128 + signal number if a signal ended it, as in shells
  double seconds = 0;
};

/// Returns the path of a library of Parcast: in this installation (../lib), or in the build tree. The error
/// names the places that were searched.
Result<std::filesystem::path> find_library(const std::string& name);

/// Returns the path of the recorder library.
Result<std::filesystem::path> find_recorder();

/// Runs the launch line to its end. Fails only if the program could not be started at all (exit code 127 or
/// 126 then).
Result<LaunchOutcome> run(const Launch& launch);

/// Runs another command with the recorder loaded. All its processes get these variables, nothing to read, and
/// stderr as output. Returns the exit code; not 0 if the command could not be run.
int run_beside(const std::vector<std::string>& command, const std::filesystem::path& recorder,
               const Variables& variables);

}  // namespace parcast::cli
