// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much of a transfer computing hides. docs/models/communication.md, "Overlap".

#include <algorithm>

namespace parcast::calibrate {

/// Of a transfer alone, computing alone and both together (seconds, each > 0), the part of the shorter one that the longer one hides: 0 where the
/// two follow each other, 1 where the shorter costs nothing; noise takes it beyond either.
inline double overlap_of(double transfer, double computing, double both) {
  return (transfer + computing - both) / std::min(transfer, computing);
}

}  // namespace parcast::calibrate
