// SPDX-License-Identifier: Apache-2.0
#pragma once
// Determines from the environment how processes are started and how many there may be: inside a Slurm job
// from its allocation, otherwise from this host.

#include <functional>
#include <string>

namespace parcast::calibrate {

struct Allocation {
  std::string launcher;  // "srun -n {p}"
  int processes = 1;     // largest number with a core each
};

/// `variable` returns the value of an environment variable, or null. Inside a job (SLURM_JOB_ID) the number
/// of processes is SLURM_NTASKS; if that is not set, SLURM_CPUS_ON_NODE times SLURM_NNODES; and otherwise
/// `cores`. Outside it is `cores`.
Allocation allocation(const std::function<const char*(const char*)>& variable, int cores);

}  // namespace parcast::calibrate
