// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a call stands, in words:
//
//     halo.h:31
//     MPI_halo        of a program without debug data
//     wave+0x14f2     without symbols too

#include <string>

#include "recording/recording.h"

namespace parcast::report {

/// File and line, or the function, or module and offset; empty when nothing is known.
std::string place_text(const recording::RankRecording& rank, const recording::Site& site);
/// The file and line of a call that was inlined, or nothing.
std::string place_text(const recording::Frame& frame);

}  // namespace parcast::report
