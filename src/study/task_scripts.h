// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tasks as scripts that another program starts, perhaps on another host. Each leaves its exit code in a file,
// so that its end is known without that program:
//
//   app.study/tasks/p2-N96.1f0c3a9b.sh      cd FOLDER; COMMAND > LOG; its code goes to
//   app.study/tasks/p2-N96.1f0c3a9b.code    "0"

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "study/runner.h"

namespace parcast::study {

class TaskScripts {
 public:
  /// `folder`: of the scripts; `working`: where commands run.
  TaskScripts(std::filesystem::path folder, std::filesystem::path working)
      : folder_(std::move(folder)), working_(std::move(working)) {}

  /// Writes the script of a task, which is to run anew, and returns its path.
  Result<std::filesystem::path> write(const Task& task) const;
  /// Returns the exit code; nothing before the task has ended.
  std::optional<int> code(const std::string& task) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_, working_;
};

}  // namespace parcast::study
