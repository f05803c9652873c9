// SPDX-License-Identifier: Apache-2.0
#pragma once
// The place of a call in words:
//
//     halo.h:31
//     MPI_halo        of a program without debug data
//     wave+0x14f2     without symbols too

#include <string>

#include "recording/recording.h"

namespace parcast::report {

/// Returns file and line, or the function, or module and offset; empty if nothing is known.
std::string place_text(const recording::RankRecording& rank, const recording::Site& site);
/// Returns the file and line of a call that was inlined; empty if unknown.
std::string place_text(const recording::Frame& frame);

}  // namespace parcast::report
