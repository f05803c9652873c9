// SPDX-License-Identifier: Apache-2.0
#include "interchange/unfinished_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/umask.h"
#include "interchange/final_name.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;

/// Flushes the files. Some file systems report only here that they are full.
Result<void> put_on_device(const fs::path& folder) {
  std::error_code problem;
  for (fs::recursive_directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const int descriptor = ::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC);
    const bool good = descriptor >= 0 && ::fsync(descriptor) == 0;
    const int number = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (!good)
      return Error{entry->path().filename().string() + " could not be kept: " + std::strerror(number),
                   folder.string(), "is there room on the file system?"};
  }
  return {};
}

}  // namespace

Result<UnfinishedFolder> UnfinishedFolder::beside(const fs::path& target) {
  std::error_code problem;
  fs::path whole = fs::absolute(target, problem).lexically_normal();
  if (whole.filename().empty()) whole = whole.parent_path();  // for a target written as NAME/
  if (fs::symlink_status(whole, problem).type() != fs::file_type::not_found) return taken(target);
  std::string name = (whole.parent_path() / ("." + whole.filename().string() + "-XXXXXX")).string();
  if (!::mkdtemp(name.data()))
    return Error{target.string() + " cannot be written: " + std::strerror(errno), "",
                 "choose a folder that exists and that you may write to"};
  fs::permissions(name, folder_permissions(), problem);
  return UnfinishedFolder(name, whole);
}

UnfinishedFolder::UnfinishedFolder(UnfinishedFolder&& other) noexcept
    : path_(std::move(other.path_)), target_(std::move(other.target_)) {
  other.path_.clear();
}

UnfinishedFolder::~UnfinishedFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<void> UnfinishedFolder::finish() {
  PARCAST_TRY(put_on_device(path_));
  PARCAST_TRY(give_name(path_, target_));
  path_.clear();
  return {};
}

}  // namespace parcast::interchange
