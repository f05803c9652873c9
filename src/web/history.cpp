// SPDX-License-Identifier: Apache-2.0
#include "web/history.h"

#include "base/files.h"
#include "base/text.h"

namespace parcast::web {

std::vector<Run> read_history(const std::filesystem::path& folder) {
  std::vector<Run> out;
  std::error_code problem;
  const auto size = std::filesystem::file_size(folder / kHistoryFile, problem);
  if (problem || size > 8 * kMostHistory) return out;
  const auto content = read_file(folder / kHistoryFile);
  if (!content) return out;
  for (const std::string& line : split(*content, '\n'))
    if (auto run = run_from_json(line)) out.push_back(*std::move(run));
  if (out.size() > kMostRuns) out.erase(out.begin(), out.end() - kMostRuns);
  return out;
}

Result<void> write_history(const std::filesystem::path& folder, const std::vector<Run>& runs) {
  std::string out;
  for (const Run& run : runs)
    if (!run.line.empty()) out += run.line + "\n";
  return write_file(folder / kHistoryFile, out);
}

}  // namespace parcast::web
