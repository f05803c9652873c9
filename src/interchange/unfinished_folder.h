// SPDX-License-Identifier: Apache-2.0
#pragma once
// A folder that gets its name when it is complete. It is written under a hidden name in the same parent
// folder, renamed at the end, and removed on failure.

#include <filesystem>

#include "base/result.h"

namespace parcast::interchange {

class UnfinishedFolder {
 public:
  /// Creates the folder. Fails if `target` already exists or its parent folder is not writable.
  static Result<UnfinishedFolder> beside(const std::filesystem::path& target);
  UnfinishedFolder(UnfinishedFolder&& other) noexcept;
  UnfinishedFolder& operator=(UnfinishedFolder&&) = delete;
  ~UnfinishedFolder();

  const std::filesystem::path& path() const { return path_; }
  /// The absolute path that it will have when it is complete.
  const std::filesystem::path& target() const { return target_; }
  /// Flushes all files to the device and gives the folder its name. Fails if a file could not be written or
  /// the name is no longer free.
  Result<void> finish();

 private:
  UnfinishedFolder(std::filesystem::path path, std::filesystem::path target)
      : path_(std::move(path)), target_(std::move(target)) {}
  std::filesystem::path path_, target_;
};

}  // namespace parcast::interchange
