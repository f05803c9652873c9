// SPDX-License-Identifier: Apache-2.0
#pragma once
// The request of `parcast record`, checked before anything runs: a mistyped flag should not show after an
// hour of computing.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/launcher.h"
#include "cli/verb.h"
#include "recording/recording.h"

namespace parcast::cli {

struct RecordRequest {
  std::string program;           // --name, else the name of the launch line's executable
  bool is_named = false;         // by --name
  std::filesystem::path output;  // -o; empty: PROGRAM-1.recording, -2, ... whichever is free at the end
  std::string classes;           // --classes; empty: all
  std::filesystem::path local;   // --local, absolute; empty: ranks write to the recording itself
  std::map<std::string, double> parameters;  // --param
  // for the recorder: --param, --keep-times, --stack, --counters, --few-system-calls, --baton
  Variables settings;
};

/// Fails, with a usage error, on a name that cannot be part of a file's name, a reserved parameter, an
/// unknown class of events or kind of baton.
Result<RecordRequest> record_request(const Invocation& invocation);

/// Returns the recording's name: --name, else that of the recorded program. The launch line's name is used
/// instead if it names a script that the recorded program interprets, or if it is another name of the same
/// file.
std::string recorded_name(const RecordRequest& request, const std::vector<std::string>& launch,
                          const recording::Recording& recording);

/// Returns whether the program model reserves the name: p, r and the names of process grids.
bool is_reserved(const std::string& parameter);

}  // namespace parcast::cli
