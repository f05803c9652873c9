// SPDX-License-Identifier: Apache-2.0
#include "calibrate/allocation.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace parcast::calibrate {

Allocation allocation(const std::function<const char*(const char*)>& variable, int cores) {
  const auto number = [&](const char* name) -> long long {
    const char* const text = variable(name);
    const auto value = text ? parse_integer(text) : std::nullopt;
    return value && *value > 0 && *value <= std::numeric_limits<int>::max() ? *value : 0;
  };
  if (!variable("SLURM_JOB_ID")) return {"mpirun -n {p}", std::max(1, cores)};
  Allocation out{"srun -n {p}", std::max(1, cores)};
  const long long tasks = number("SLURM_NTASKS"),
                  processors = number("SLURM_CPUS_ON_NODE") * std::max(1LL, number("SLURM_NNODES"));
  if (tasks > 0) {
    out.processes = static_cast<int>(tasks);
  } else if (processors > 0) {
    out.processes = static_cast<int>(std::min<long long>(processors, std::numeric_limits<int>::max()));
  }
  return out;
}

}  // namespace parcast::calibrate
