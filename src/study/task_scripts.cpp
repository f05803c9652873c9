// SPDX-License-Identifier: Apache-2.0
#include "study/task_scripts.h"

#include "base/files.h"
#include "base/shell.h"
#include "base/text.h"

namespace parcast::study {

namespace fs = std::filesystem;

Result<fs::path> TaskScripts::write(const Task& task) const {
  std::error_code problem;
  fs::create_directories(folder_, problem);
  const fs::path script = folder_ / (task.name + ".sh"), code = folder_ / (task.name + ".code");
  fs::remove(code, problem);
  if (problem)
    return Error{"the exit code of an earlier try cannot be removed: " + problem.message(), code.string(),
                 "remove it"};
  const std::string part = shell_quoted(code.string() + ".part");
  PARCAST_TRY(write_file(script, "#!/usr/bin/env bash\ncd " + shell_quoted(working_.string()) + " || exit\n" +
                                     shell_line(task.words) + " > " + shell_quoted(task.log.string()) +
                                     " 2>&1 < /dev/null\ncode=$?\necho " + "$code > " + part + " && mv " +
                                     part + " " + shell_quoted(code.string()) + "\nexit $code\n"));
  return script;
}

std::optional<int> TaskScripts::code(const std::string& task) const {
  const auto text = read_file(folder_ / (task + ".code"));
  const auto code = text ? parse_integer(trim(*text)) : std::nullopt;
  return code && *code >= 0 && *code <= 255 ? std::optional(static_cast<int>(*code)) : std::nullopt;
}

}  // namespace parcast::study
