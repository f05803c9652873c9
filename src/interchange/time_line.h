// SPDX-License-Identifier: Apache-2.0
#pragma once
// Puts the ranks of a recording on one time line. Each rank counts time from its own MPI_Init. Its file also
// records two clocks at that moment: the host's monotonic clock, which all processes of a host share, and the
// time of day, which hosts share as far as they are synchronised.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace parcast::interchange {

struct TimeLine {
  std::vector<std::uint64_t> zero;    // per rank: nanoseconds when its MPI_Init returned
  std::uint64_t day = 0;              // nanoseconds since 1970, UTC, at 0 of the line; 0 if unknown
  std::vector<std::string> warnings;  // how far times of different ranks may be compared
  bool is_comparable = true;          // times of all ranks may be
};

/// Reads the headers of the rank files in `folder`, from which the recording was read.
TimeLine time_line(const recording::Recording& recording, const std::filesystem::path& folder);

}  // namespace parcast::interchange
