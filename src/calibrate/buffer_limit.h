// SPDX-License-Identifier: Apache-2.0
#pragma once
// Limits the memory of the training set for the buffers of its calls.

#include <algorithm>
#include <cstdint>

namespace parcast::calibrate {

/// Returns the largest size in bytes of each of a process's two buffers. `on_node` of `processes` processes
/// share a node with `memory` bytes. The limit for the blocks of all processes at usual sizes (up to `usual`
/// bytes) is 64 MiB. All buffers of a node together may then take an eighth of its memory. The limit for
/// larger messages is 1 GiB, and a thirty-second of the memory for all buffers together. A single message of
/// a usual size always fits.
inline std::int64_t buffer_limit(double memory, int on_node, int processes, double usual) {
  constexpr double kMiB = 1 << 20;
  const double each = memory / (2. * on_node);
  const double blocks = std::min({64 * kMiB, usual * processes, each / 8}),
               larger = std::min(1024 * kMiB, each / 32);
  return static_cast<std::int64_t>(std::max({usual, blocks, larger}));
}

}  // namespace parcast::calibrate
