// SPDX-License-Identifier: Apache-2.0
#include "interchange/final_name.h"

#include <fcntl.h>
#include <stdio.h>

#include <cerrno>
#include <cstring>

namespace parcast::interchange {

Error taken(const std::filesystem::path& target) {
  return {target.string() + " exists already", "", "choose another name, or remove it"};
}

Result<void> give_name(const std::filesystem::path& from, const std::filesystem::path& target) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) return {};
  const int number = errno;
  std::error_code problem;
  const bool supported = number != EINVAL && number != ENOSYS;
  if (supported && number == EEXIST) return taken(target);
  if (supported || std::filesystem::exists(target, problem) || ::rename(from.c_str(), target.c_str()) != 0)
    return Error{target.string() + " could not be given its name: " + std::strerror(number), "", ""};
  return {};
}

}  // namespace parcast::interchange
