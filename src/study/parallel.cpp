// SPDX-License-Identifier: Apache-2.0
#include "study/parallel.h"

#include <algorithm>

#include "base/files.h"
#include "base/text.h"

namespace parcast::study {

namespace fs = std::filesystem;

Result<std::vector<Ended>> ParallelRunner::run(const std::vector<Task>& tasks, const WaitForTasks& wait) {
  std::string list;
  int most = 1;
  for (const Task& task : tasks) {
    PARCAST_ASSIGN(const fs::path script, scripts_.write(task));
    list += script.string() + "\n";
    most = std::max(most, task.processes);
  }
  const fs::path names = scripts_.folder() / "parallel.txt", log = scripts_.folder() / "parallel.log";
  PARCAST_TRY(write_file(names, list));
  const auto ended_tasks = [&] {
    return static_cast<std::size_t>(
        std::ranges::count_if(tasks, [&](const Task& task) { return scripts_.code(task.name).has_value(); }));
  };
  const std::vector<std::string> words{
      "parallel",   "--will-cite",  "--jobs", std::to_string(std::max(1, cores_ / most)),
      "--arg-file", names.string(), "bash"};
  const auto all = run_child(words, log, [&] {
    if (wait) wait(ended_tasks());
  });
  if (!all)
    return Error{all.error().what, all.error().where,
                 "--runner parallel needs GNU parallel; --runner local makes one run at a time"};
  if (all->exit_code != 0 && all->signal == 0 && ended_tasks() == 0)
    return Error{"GNU parallel started no run: exit code " + std::to_string(all->exit_code), log.string(),
                 join(last_lines(log, 3), " | ")};
  std::vector<Ended> out;
  for (const Task& task : tasks) {
    const auto code = scripts_.code(task.name);
    out.push_back(code ? Ended{*code, 0, ""} : Ended{1, all->signal, "GNU parallel did not end it"});
  }
  return out;
}

}  // namespace parcast::study
