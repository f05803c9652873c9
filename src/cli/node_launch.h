// SPDX-License-Identifier: Apache-2.0
#pragma once
// The launch line of a program as one that runs another program once on each node, told by each launcher's own means:
//
//   mpirun -n 64 -H a:32,b:32 ./app     mpirun -H a:32,b:32 --map-by ppr:1:node -n 2 ...
//   mpiexec -n 64 -f hosts ./app        mpiexec -f hosts -ppn 1 -n 64 ...          Hydra goes round: some hosts several times
//   srun -n 64 ./app                    srun -N 2 -n 2 --ntasks-per-node=1 ...     2: the nodes of the allocation

#include <optional>
#include <string>
#include <vector>

namespace parcast::cli {

struct NodeLaunch {
  std::vector<std::string> command;
  bool names_hosts = false;  // the line or a batch system says which hosts: there may be several
};

/// Nothing where the launcher is not known, the line starts several programs, or nothing tells the nodes (srun outside an
/// allocation would take others). `processes`: of the recording, 0 not known.
std::optional<NodeLaunch> once_per_node(const std::vector<std::string>& launch, int processes, const std::vector<std::string>& program);

}  // namespace parcast::cli
