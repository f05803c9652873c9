// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the surroundings say of how processes are started and how many there may be: inside a job of Slurm its allocation, else this host.

#include <functional>
#include <string>

namespace parcast::calibrate {

struct Allocation {
  std::string launcher;  // "srun -n {p}"
  int processes = 1;     // the most that have a core each
};

/// `variable` gives an environment variable, or null. Inside a job (SLURM_JOB_ID) the processes are SLURM_NTASKS, else
/// SLURM_CPUS_ON_NODE times SLURM_NNODES, else `cores`; outside `cores`.
Allocation allocation(const std::function<const char*(const char*)>& variable, int cores);

}  // namespace parcast::calibrate
