// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes recorded runs. A run is a command under `parcast record`. The local runner makes one at a time on
// this host; others (slurm.h, parallel.h) take all runs of a design at once.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/child_process.h"
#include "study/placeholders.h"

namespace parcast::study {

struct Task {
  std::string name;  // one component of a path: "p2-N96.1f0c3a9b"
  std::vector<std::string> words;
  std::filesystem::path log;  // what it prints
  int processes = 1;          // that it starts
};

/// Called about ten times a second with the number of tasks that have ended.
using WaitForTasks = std::function<void(std::size_t done)>;

class Runner {
 public:
  virtual ~Runner() = default;
  /// Runs all tasks, and returns how each ended, in their order. Fails only if they could not be started.
  virtual Result<std::vector<Ended>> run(const std::vector<Task>& tasks, const WaitForTasks& wait) = 0;
  /// Returns whether it takes many tasks; else they come one by one.
  virtual bool takes_many() const { return false; }
  /// Returns whether tasks go on where this process ends.
  virtual bool is_elsewhere() const { return false; }
};

class LocalRunner : public Runner {
 public:
  Result<std::vector<Ended>> run(const std::vector<Task>& tasks, const WaitForTasks& wait) override;
};

/// Fails unless a runner has this name: local, parallel or slurm.
Result<void> check_runner(const std::string& name);

/// Returns the command that records a run with these values into a folder.
std::vector<std::string> recorded(const std::filesystem::path& parcast,
                                  const std::filesystem::path& recording, const Values& values,
                                  const std::vector<std::string>& command);

}  // namespace parcast::study
