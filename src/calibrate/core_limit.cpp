// SPDX-License-Identifier: Apache-2.0
#include "calibrate/core_limit.h"

#include <sched.h>

#include <fstream>
#include <sstream>

namespace parcast::calibrate {
namespace {

namespace fs = std::filesystem;

/// Returns the first word of a file; empty if it cannot be read.
std::string first_word(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

/// Returns whether the file has a quota in the group or in one around it: a number, not "max" or -1.
bool any_has_quota(const fs::path& root, const fs::path& group, const char* file) {
  for (fs::path at = group.relative_path();; at = at.parent_path()) {
    const std::string quota = first_word(root / at / file);
    if (!quota.empty() && quota != "max" && quota != "-1") return true;
    if (at.empty()) return false;
  }
}

}  // namespace

bool has_quota(const std::string& groups, const fs::path& mounted) {
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,") {  // version 2
      if (any_has_quota(mounted, group, "cpu.max") || any_has_quota(mounted / "unified", group, "cpu.max"))
        return true;
    } else if (controllers.find(",cpu,") != std::string::npos) {
      const std::string name = line.substr(first + 1, second - first - 1);
      if (any_has_quota(mounted / name, group, "cpu.cfs_quota_us") ||
          any_has_quota(mounted / "cpu", group, "cpu.cfs_quota_us"))
        return true;
    }
  }
  return false;
}

bool is_limited() {
  constexpr int kDeadline = 6;  // SCHED_DEADLINE, which <sched.h> lacks
  if ((sched_getscheduler(0) & 0xff) == kDeadline) return true;
  std::ifstream in("/proc/self/cgroup");
  std::stringstream groups;
  groups << in.rdbuf();
  return has_quota(groups.str(), "/sys/fs/cgroup");
}

}  // namespace parcast::calibrate
