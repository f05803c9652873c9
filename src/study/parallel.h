// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs tasks by GNU parallel: as many at once as their processes have cores here. Its variable PARALLEL adds
// flags, such as --sshloginfile for other hosts.

#include "study/task_scripts.h"

namespace parcast::study {

class ParallelRunner : public Runner {
 public:
  ParallelRunner(TaskScripts scripts, int cores) : scripts_(std::move(scripts)), cores_(cores) {}
  Result<std::vector<Ended>> run(const std::vector<Task>& tasks, const WaitForTasks& wait) override;
  bool takes_many() const override { return true; }

 private:
  TaskScripts scripts_;
  int cores_;
};

}  // namespace parcast::study
