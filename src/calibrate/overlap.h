// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much of a transfer is hidden by computing. docs/models/communication.md, "Overlap".

#include <algorithm>

namespace parcast::calibrate {

/// Returns the part of the shorter activity that the longer one hides, from the seconds (each > 0) of a
/// transfer, of computing, and of both together. 0: one follows the other. 1: the shorter one costs nothing.
/// Noise may give values beyond this range.
inline double overlap_of(double transfer, double computing, double both) {
  return (transfer + computing - both) / std::min(transfer, computing);
}

}  // namespace parcast::calibrate
