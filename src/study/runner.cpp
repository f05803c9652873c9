// SPDX-License-Identifier: Apache-2.0
#include "study/runner.h"

namespace parcast::study {

Result<Ended> LocalRunner::run(const RunRequest& request, const std::function<void()>& wait) {
  std::vector<std::string> words{parcast_.string(), "record",   "--quiet",
                                 "--no-store",      "--output", request.recording.string()};
  for (const auto& [name, value] : request.values)
    if (name != "p") words.insert(words.end(), {"--param", name + "=" + number_text(value)});
  words.emplace_back("--");
  words.insert(words.end(), request.command.words.begin(), request.command.words.end());
  return run_child(words, request.log, wait);
}

}  // namespace parcast::study
