// SPDX-License-Identifier: Apache-2.0
#include "study/runner.h"

#include <algorithm>

#include "base/plain_number.h"
#include "base/text.h"

namespace parcast::study {

Result<std::vector<Ended>> LocalRunner::run(const std::vector<Task>& tasks, const WaitForTasks& wait) {
  std::vector<Ended> out;
  for (const Task& task : tasks) {
    PARCAST_ASSIGN(const Ended ended, run_child(task.words, task.log, [&] {
                     if (wait) wait(out.size());
                   }));
    out.push_back(ended);
  }
  return out;
}

Result<void> check_runner(const std::string& name) {
  const std::vector<std::string> known{"local", "parallel", "slurm"};
  if (std::ranges::find(known, name) != known.end()) return {};
  const std::string near = did_you_mean(name, known);
  return Error{"there is no runner \"" + name + "\"", "",
               near.empty() ? "known: " + join(known, ", ") : near};
}

std::vector<std::string> recorded(const std::filesystem::path& parcast,
                                  const std::filesystem::path& recording, const Values& values,
                                  const std::vector<std::string>& command) {
  std::vector<std::string> words{parcast.string(), "record",   "--quiet",
                                 "--no-store",     "--output", recording.string()};
  for (const auto& [name, value] : values)
    if (name != "p") words.insert(words.end(), {"--param", name + "=" + format_plain(value)});
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace parcast::study
