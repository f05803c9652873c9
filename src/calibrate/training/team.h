// SPDX-License-Identifier: Apache-2.0
#pragma once
// The processes of the training program: where they run, their clocks, and calls that all of them start at
// the same moment.

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "calibrate/measurements.h"
#include "calibrate/training/clock.h"
#include "calibrate/training/table.h"

namespace parcast::training {

class Team {
 public:
  /// Collective. Finds where each process runs and the clock offsets between hosts.
  explicit Team(MPI_Comm communicator);

  MPI_Comm communicator() const { return communicator_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool leads() const { return rank_ == 0; }
  const std::vector<calibrate::Place>& places() const { return places_; }
  int ranks_on_my_node() const;
  /// The node with the fewest processors per process, according to their affinity.
  calibrate::Bound bound() const { return bound_; }

  /// Collective. Runs `operation` `repeats` times. All processes start at the same moment, every `window`
  /// nanoseconds.
  Batch run(const std::function<void()>& operation, int repeats, Nanoseconds window);

  /// Collective. Returns rank 0's value on all processes.
  template <class T>
  T share(T value) const {
    MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, communicator_);
    return value;
  }

 private:
  void find_places();
  void find_bound();
  void synchronise();

  MPI_Comm communicator_;
  int rank_ = 0, size_ = 1;
  std::vector<calibrate::Place> places_;
  calibrate::Bound bound_;
  bool one_clock_ = true;
  Nanoseconds offset_ = 0;  // this clock minus rank 0's
  Nanoseconds synchronised_at_ = 0;
  double overhead_ = 0;
};

/// Properties of the host of a process.
struct Host {
  std::string processor;
  int cores = 1, sockets = 1, threads_per_core = 1, memories = 1, socket = -1;
  double memory = 0, page = 4096, cache_line = 64;
  double memory_allowed = 0;  // limit of a control group, if it is lower than the memory
  std::vector<calibrate::Cache> caches;
};
Host this_host();

/// Collective. The mean of the processes' values.
inline double mean_over(const Team& team, double value) {
  double sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, team.communicator());
  return sum / team.size();
}

}  // namespace parcast::training
