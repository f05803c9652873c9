// SPDX-License-Identifier: Apache-2.0
#include "cli/node_launch.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace parcast::cli {
namespace {

using Words = std::vector<std::string>;

Words nodes(const Words& launch, int processes = 0) {
  const auto out = once_per_node(launch, processes, {"/bin/true"});
  return out ? out->command : Words{};
}

TEST(OncePerNode, KeepsWhereAndNotHowMany) {
  EXPECT_EQ(nodes({"mpirun.openmpi", "-np", "64", "--bind-to", "core", "-H", "a:32,b:32", "--map-by",
                   "socket", "--mca", "plm_rsh_agent", "ssh -x", "-x", "HOME", "/bin/sh", "-H", "c"}),
            (Words{"mpirun.openmpi", "-H", "a:32,b:32", "--mca", "plm_rsh_agent", "ssh -x", "-x", "HOME",
                   "--map-by", "ppr:1:node", "/bin/true"}));
  EXPECT_EQ(nodes({"mpirun.openmpi", "--mca", "rmaps_base_mapping_policy", "core", "-n", "2", "/bin/sh"}),
            (Words{"mpirun.openmpi", "--map-by", "ppr:1:node", "/bin/true"}));
  EXPECT_EQ(nodes({"mpiexec.hydra", "-n", "8", "-ppn", "4", "-f", "hosts", "-launcher", "ssh", "/bin/sh"}),
            (Words{"mpiexec.hydra", "-f", "hosts", "-launcher", "ssh", "-ppn", "1", "-n", "8", "/bin/true"}));
  EXPECT_EQ(
      nodes({"srun", "-n", "64", "-wn[1-2]", "--export=NONE", "--cpu-bind=cores", "-p", "debug", "/bin/sh"}),
      (Words{"srun", "-wn[1-2]", "--export=NONE", "-p", "debug", "--ntasks-per-node=1", "--mpi=none",
             "/bin/true"}));
}

TEST(OncePerNode, OfSlurmGoesByTheAllocation) {
  ::unsetenv("SLURM_JOB_NUM_NODES");
  ::unsetenv("SLURM_NNODES");
  EXPECT_EQ(nodes({"srun", "-n", "64", "/bin/sh"}), Words{}) << "another allocation may be other nodes";
  ::setenv("SLURM_JOB_NUM_NODES", "16", 1);
  const auto launch = once_per_node({"srun", "-n", "64", "/bin/sh"}, 0, {"/bin/true"});
  ::unsetenv("SLURM_JOB_NUM_NODES");
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->command,
            (Words{"srun", "-N", "16", "-n", "16", "--ntasks-per-node=1", "--mpi=none", "/bin/true"}));
  EXPECT_TRUE(launch->names_hosts);
}

TEST(OncePerNode, IsNotKnownOfOtherLaunchersAndOfSeveralPrograms) {
  EXPECT_EQ(nodes({"jsrun", "-n", "2", "/bin/sh"}), Words{});
  EXPECT_EQ(nodes({"/bin/sh", "-c", "mpirun x"}), Words{});
  EXPECT_EQ(nodes({"mpirun.openmpi", "-H", "a", "/bin/sh", ":", "-H", "b", "/bin/ls"}), Words{});
  EXPECT_EQ(nodes({"mpiexec.hydra", "/bin/sh"}), Words{}) << "nor how many";
  EXPECT_EQ(nodes({"mpiexec.hydra", "/bin/sh"}, 4),
            (Words{"mpiexec.hydra", "-ppn", "1", "-n", "4", "/bin/true"}));
}

TEST(OncePerNode, SaysWhetherAnyoneNamesHosts) {
  ::setenv("PBS_NODEFILE", "/var/spool/pbs/nodes", 1);
  EXPECT_TRUE(once_per_node({"mpirun.openmpi", "-n", "2", "/bin/sh"}, 2, {"/bin/true"})->names_hosts);
  ::unsetenv("PBS_NODEFILE");
  EXPECT_FALSE(once_per_node({"mpirun.openmpi", "-n", "2", "/bin/sh"}, 2, {"/bin/true"})->names_hosts);
  EXPECT_TRUE(once_per_node({"mpirun.openmpi", "--hostfile", "h", "/bin/sh"}, 2, {"/bin/true"})->names_hosts);
}

}  // namespace
}  // namespace parcast::cli
