// SPDX-License-Identifier: Apache-2.0
#pragma once
// A file that gets its name when it is complete. It is written under a hidden name in the same folder,
// renamed at the end, and removed on failure. For files that are too long to be held in memory.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace parcast::interchange {

class UnfinishedFile {
 public:
  /// Creates the file. Fails if `target` already exists or its folder is not writable.
  static Result<UnfinishedFile> beside(const std::filesystem::path& target);
  UnfinishedFile(UnfinishedFile&& other) noexcept = default;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile();

  /// Appends the bytes. finish() reports a failure.
  void write(std::string_view bytes);
  /// Overwrites earlier bytes, starting at `offset`.
  void overwrite(std::uint64_t offset, std::string_view bytes);
  std::uint64_t size() const { return size_; }
  bool good() const { return failure_ == 0; }

  /// Flushes the file to the device and gives it its name. Fails if the data could not be written or the name
  /// is no longer free.
  Result<void> finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  UnfinishedFile(std::filesystem::path path, std::filesystem::path target, std::FILE* file)
      : path_(std::move(path)), target_(std::move(target)), file_(file) {}
  void remember_failure();

  std::filesystem::path path_, target_;
  std::unique_ptr<std::FILE, Close> file_;  // null once finished or moved from
  std::uint64_t size_ = 0;
  int failure_ = 0;  // errno of the first failure
};

}  // namespace parcast::interchange
