// SPDX-License-Identifier: Apache-2.0
#include "calibrate/allocation.h"

#include <gtest/gtest.h>

#include <map>

namespace parcast::calibrate {
namespace {

Allocation in(const std::map<std::string, std::string>& environment, int cores) {
  return allocation(
      [&](const char* name) {
        const auto at = environment.find(name);
        return at == environment.end() ? nullptr : at->second.c_str();
      },
      cores);
}

TEST(Allocation, OutsideAJobItIsThisHost) {
  EXPECT_EQ(in({}, 8).launcher, "mpirun -n {p}");
  EXPECT_EQ(in({}, 8).processes, 8);
  // left over from elsewhere, because there is no job
  EXPECT_EQ(in({{"SLURM_NTASKS", "64"}}, 8).processes, 8);
  EXPECT_EQ(in({}, 0).processes, 1);
}

TEST(Allocation, InsideAJobItIsThatOfSlurm) {
  const std::map<std::string, std::string> job{
      {"SLURM_JOB_ID", "17"}, {"SLURM_NTASKS", "96"}, {"SLURM_CPUS_ON_NODE", "64"}, {"SLURM_NNODES", "2"}};
  EXPECT_EQ(in(job, 8).launcher, "srun -n {p}");
  EXPECT_EQ(in(job, 8).processes, 96);
  auto without_tasks = job;
  without_tasks.erase("SLURM_NTASKS");
  EXPECT_EQ(in(without_tasks, 8).processes, 128);
  EXPECT_EQ(in({{"SLURM_JOB_ID", "17"}, {"SLURM_CPUS_ON_NODE", "64"}}, 8).processes, 64);
  EXPECT_EQ(in({{"SLURM_JOB_ID", "17"}, {"SLURM_NTASKS", "many"}}, 8).processes, 8);
}

}  // namespace
}  // namespace parcast::calibrate
