// SPDX-License-Identifier: Apache-2.0
#include "interchange/unfinished_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/umask.h"
#include "interchange/final_name.h"

namespace parcast::interchange {
namespace fs = std::filesystem;

Result<UnfinishedFile> UnfinishedFile::beside(const fs::path& target) {
  std::error_code problem;
  const fs::path whole = fs::absolute(target, problem).lexically_normal();
  if (whole.filename().empty() || fs::symlink_status(whole, problem).type() != fs::file_type::not_found)
    return taken(target);
  std::string name = (whole.parent_path() / ("." + whole.filename().string() + "-XXXXXX")).string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  std::FILE* file = descriptor < 0 ? nullptr : ::fdopen(descriptor, "wb");
  if (!file) {
    const int number = errno;
    if (descriptor >= 0) ::close(descriptor), ::unlink(name.c_str());
    return Error{target.string() + " cannot be written: " + std::strerror(number), "",
                 "choose a folder that exists and that you may write to"};
  }
  ::fchmod(descriptor, after_umask(0666));
  return UnfinishedFile(name, whole, file);
}

UnfinishedFile::~UnfinishedFile() {
  std::error_code ignored;
  if (file_) fs::remove(path_, ignored);
}

void UnfinishedFile::remember_failure() {
  if (failure_ == 0) failure_ = errno != 0 ? errno : EIO;
}

void UnfinishedFile::write(std::string_view bytes) {
  if (!good()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) return remember_failure();
  size_ += bytes.size();
}

void UnfinishedFile::overwrite(std::uint64_t offset, std::string_view bytes) {
  if (!good()) return;
  const bool done = ::fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) == 0 &&
                    std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size() &&
                    ::fseeko(file_.get(), 0, SEEK_END) == 0;
  if (!done) remember_failure();
}

Result<void> UnfinishedFile::finish() {
  if (good() && (std::fflush(file_.get()) != 0 || ::fsync(::fileno(file_.get())) != 0)) remember_failure();
  if (!good())
    return Error{target_.string() + " could not be kept: " + std::strerror(failure_), "",
                 "is there room on the file system?"};
  PARCAST_TRY(give_name(path_, target_));
  file_.reset();
  return {};
}

}  // namespace parcast::interchange
