// SPDX-License-Identifier: Apache-2.0
#pragma once
// Why a launch line that ran left nothing to keep. The recorder is silent in its hosts, so this is concluded from what is
// to be seen afterwards:
//
//   mpirun -n 8 ./app: error: the launch line ended with exit code 1 before any process was recorded
//     its own message tells why; if the program did start, parcast doctor PROGRAM tells whether it can be recorded

#include <system_error>

#include "base/result.h"
#include "cli/launch.h"
#include "recording/recording.h"

namespace parcast::cli {

/// `room`: why a rank could not begin its file, if so (record_folder.h). `recording`: what the ranks' files hold, none of
/// them an event; null without any file.
Error why_nothing_was_recorded(const Launch& launch, int exit_code, std::error_code room,
                               const recording::Recording* recording);

/// Events, phases, or what a compiled program counted.
bool holds_events(const recording::Recording& recording);

}  // namespace parcast::cli
