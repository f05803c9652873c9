// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `parcast record` was asked for, checked before anything runs: an hour of computing is a dear place to learn of a
// mistyped flag.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/launcher.h"
#include "cli/verb.h"
#include "recording/recording.h"

namespace parcast::cli {

struct RecordRequest {
  std::string program;                       // --name, else of the launch line's executable
  bool is_named = false;                     // by --name
  std::filesystem::path output;              // -o; empty: PROGRAM-1.recording, -2, ... whichever is free at the end
  std::string classes;                       // --classes; empty: all
  std::filesystem::path local;               // --local, absolute; empty: ranks write to the recording itself
  std::map<std::string, double> parameters;  // --param
  Variables settings;                        // for the recorder: --param, --keep-times, --stack, --counters, --few-system-calls, --baton
};

/// Errors are of usage: a name that cannot be part of a file's name, a reserved parameter, an unknown class of events or kind of baton.
Result<RecordRequest> record_request(const Invocation& invocation);

/// The recording's name: --name, else that of the program which was recorded. A script that the recorded program interprets, and another
/// name of the same file, are what the launch line says.
std::string recorded_name(const RecordRequest& request, const std::vector<std::string>& launch, const recording::Recording& recording);

/// Names that the program model gives a meaning of its own: p, r and those of process grids.
bool is_reserved(const std::string& parameter);

}  // namespace parcast::cli
