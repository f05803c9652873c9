// SPDX-License-Identifier: Apache-2.0
#pragma once
// The command that makes a recording.

#include <string>
#include <vector>

#include "build_model/next_recording.h"
#include "recording/recording.h"

namespace parcast::program {

/// Returns a command to copy into a shell: "parcast record --param N=61 -- mpirun -n 2 ./app 61". `like`: a
/// recording of the same program.
std::string record_line(const NextRecording& next, const std::vector<std::string>& parameters,
                        const recording::Recording& like);

}  // namespace parcast::program
