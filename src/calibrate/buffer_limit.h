// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much memory the training set may take for what its calls send and receive.

#include <algorithm>
#include <cstdint>

namespace parcast::calibrate {

/// Bytes that either of a process's two buffers may hold, where so many of `processes` share a node of `memory` bytes. For the blocks of all processes
/// at the sizes that every table has (`usual` bytes at most) up to 64 MiB, but all buffers of a node together no more than an eighth of its memory; for
/// larger messages up to 1 GiB, but together no more than a thirty-second. A single message of a usual size always has room.
inline std::int64_t buffer_limit(double memory, int on_node, int processes, double usual) {
  constexpr double kMiB = 1 << 20;
  const double each = memory / (2. * on_node);
  const double blocks = std::min({64 * kMiB, usual * processes, each / 8}), larger = std::min(1024 * kMiB, each / 32);
  return static_cast<std::int64_t>(std::max({usual, blocks, larger}));
}

}  // namespace parcast::calibrate
