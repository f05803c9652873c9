// SPDX-License-Identifier: Apache-2.0
#pragma once
// A file that gets its name when it is whole: written under a hidden name beside it, renamed at the end, removed when
// something goes wrong. For files too long to be held in memory.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace parcast::interchange {

class UnfinishedFile {
 public:
  /// An error when `target` exists already or the place beside it cannot be written to.
  static Result<UnfinishedFile> beside(const std::filesystem::path& target);
  UnfinishedFile(UnfinishedFile&& other) noexcept = default;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile();

  /// At the end of what was written so far. A failure is told by finish().
  void write(std::string_view bytes);
  /// Over what was written, from `offset` on.
  void overwrite(std::uint64_t offset, std::string_view bytes);
  std::uint64_t size() const { return size_; }
  bool good() const { return failure_ == 0; }

  /// Puts the file on the device and gives it its name. An error when it could not be kept, or the name was taken meanwhile.
  Result<void> finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  UnfinishedFile(std::filesystem::path path, std::filesystem::path target, std::FILE* file)
      : path_(std::move(path)), target_(std::move(target)), file_(file) {}
  void remember_failure();

  std::filesystem::path path_, target_;
  std::unique_ptr<std::FILE, Close> file_;  // empty: finished, or moved away
  std::uint64_t size_ = 0;
  int failure_ = 0;                         // errno of the first
};

}  // namespace parcast::interchange
