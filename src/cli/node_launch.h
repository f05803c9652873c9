// SPDX-License-Identifier: Apache-2.0
#pragma once
// Derives a launch line that runs another program once on each node, with the options of each launcher:
//
//   mpirun -n 64 -H a:32,b:32 ./app     mpirun -H a:32,b:32 --map-by ppr:1:node -n 2 ...
//   mpiexec -n 64 -f hosts ./app        mpiexec -f hosts -ppn 1 -n 64 ...
//   srun -n 64 ./app                    srun -N 2 -n 2 --ntasks-per-node=1 ...
//
// Hydra cycles through the hosts, so it visits some of them several times. -N 2: the number of nodes of the
// allocation.

#include <optional>
#include <string>
#include <vector>

namespace parcast::cli {

struct NodeLaunch {
  std::vector<std::string> command;
  bool names_hosts = false;  // the line or a batch system names the hosts: there may be several
};

/// Returns nothing if the launcher is unknown, if the line starts several programs, or if the nodes are
/// unknown (outside an allocation srun would use other nodes). `processes`: number of processes of the
/// recording, 0: not known.
std::optional<NodeLaunch> once_per_node(const std::vector<std::string>& launch, int processes,
                                        const std::vector<std::string>& program);

}  // namespace parcast::cli
