// SPDX-License-Identifier: Apache-2.0
#pragma once
// A folder that gets its name when it is whole: written under a hidden name beside it, renamed at the end, removed when
// something goes wrong.

#include <filesystem>

#include "base/result.h"

namespace parcast::interchange {

class UnfinishedFolder {
 public:
  /// An error when `target` exists already or the place beside it cannot be written to.
  static Result<UnfinishedFolder> beside(const std::filesystem::path& target);
  UnfinishedFolder(UnfinishedFolder&& other) noexcept;
  UnfinishedFolder& operator=(UnfinishedFolder&&) = delete;
  ~UnfinishedFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Its name once it is whole, absolute.
  const std::filesystem::path& target() const { return target_; }
  /// Puts all files on the device and gives the folder its name. An error when one cannot be kept, or the name was taken
  /// meanwhile.
  Result<void> finish();

 private:
  UnfinishedFolder(std::filesystem::path path, std::filesystem::path target) : path_(std::move(path)), target_(std::move(target)) {}
  std::filesystem::path path_, target_;
};

}  // namespace parcast::interchange
