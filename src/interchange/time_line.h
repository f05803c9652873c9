// SPDX-License-Identifier: Apache-2.0
#pragma once
// Puts the ranks of a recording on one time line. Each rank counts from its own MPI_Init; its file also says what the
// host's monotonic clock read then, which all processes of a host share, and what its clock of the day read, which hosts
// share as far as they are synchronised.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace parcast::interchange {

struct TimeLine {
  std::vector<std::uint64_t> zero;     // per rank: nanoseconds at its MPI_Init's return
  std::uint64_t day = 0;               // nanoseconds since 1970, UTC, at 0 of the line; 0 unknown
  std::vector<std::string> warnings;   // how far times of different ranks may be compared
};

/// Reads the headers of the rank files in `folder`, which the recording was read from.
TimeLine time_line(const recording::Recording& recording, const std::filesystem::path& folder);

}  // namespace parcast::interchange
