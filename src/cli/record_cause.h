// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds out why a launch line that ran left nothing to keep. The recorder prints nothing inside its hosts, so
// the reason is inferred afterwards:
//
//   mpirun -n 8 ./app: error: the launch line ended with exit code 1 before any process was recorded
//     its own message has the reason; if the program did start, parcast doctor PROGRAM checks whether it can
//     be recorded

#include <system_error>

#include "base/result.h"
#include "cli/launch.h"
#include "recording/recording.h"

namespace parcast::cli {

/// Returns the reason as an error. `room`: why a rank could not create its file, if so (record_folder.h).
/// `recording`: content of the ranks' files, which hold no event; null without any file.
Error why_nothing_was_recorded(const Launch& launch, int exit_code, std::error_code room,
                               const recording::Recording* recording);

/// Returns whether the recording holds events, phases, or the counts of a compiled program.
bool holds_events(const recording::Recording& recording);

}  // namespace parcast::cli
