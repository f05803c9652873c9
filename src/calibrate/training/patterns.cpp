// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/patterns.h"

#include "calibrate/buffer_limit.h"

namespace parcast::training {
bool Buffers::hold(std::int64_t bytes) {
  if (bytes > limit_) return false;
  const auto size = static_cast<std::size_t>(bytes);
  if (send_.size() < size) send_.resize(size, '\1'), receive_.resize(size, '\2');
  return true;
}

void measure_patterns(Team& team, double memory, double seconds, calibrate::Measurements& into) {
  const std::int64_t mine =
      calibrate::buffer_limit(memory, team.ranks_on_my_node(), team.size(), kUsualLargest);
  std::int64_t limit = mine;
  MPI_Allreduce(&mine, &limit, 1, MPI_INT64_T, MPI_MIN, team.communicator());
  const auto buffers = std::make_shared<Buffers>(limit);
  std::vector<Table> tables;
  add_collectives(team, buffers, tables);
  add_neighbours(team, buffers, tables);
  measure(team, tables, seconds, into);
}

}  // namespace parcast::training
