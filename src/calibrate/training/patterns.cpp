// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/patterns.h"

#include <algorithm>

namespace parcast::training {
namespace {

constexpr std::int64_t kMostMemory = std::int64_t{64} << 20;  // bytes of a buffer

}  // namespace

Buffers::Buffers(int processes)
    : send_(static_cast<std::size_t>(std::min<std::int64_t>(kMostMemory, std::int64_t{kLargestMessage} * std::max(processes, 8))), '\1'),
      receive_(send_.size(), '\2') {}

void measure_patterns(Team& team, double seconds, calibrate::Measurements& into) {
  const auto buffers = std::make_shared<Buffers>(team.size());
  std::vector<Table> tables;
  add_collectives(team, buffers, tables);
  add_neighbours(team, buffers, tables);
  measure(team, tables, seconds, into);
}

}  // namespace parcast::training
