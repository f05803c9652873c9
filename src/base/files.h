// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads files at once or piece by piece. Writes a file to a temporary in the same folder and renames it, so
// that no reader ever sees a partial file.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace parcast {

Result<std::string> read_file(const std::filesystem::path& path);

/// A file that is read sequentially from its beginning.
class InputFile {
 public:
  static Result<InputFile> open(const std::filesystem::path& path);
  InputFile(InputFile&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        size_(other.size_) {}
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  /// Size in bytes; nothing unless it is a regular file.
  std::optional<std::uint64_t> size() const { return size_; }
  /// Reads the next `size` bytes and returns how many were read; fewer only at the end.
  Result<std::size_t> read(char* into, std::size_t size);
  /// Reads the rest of the file.
  Result<std::string> rest();

 private:
  InputFile(std::filesystem::path path, int descriptor, std::optional<std::uint64_t> size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::optional<std::uint64_t> size_;
};

/// Writes the content, flushes it to the device and renames the file. On failure (no space, no permission)
/// the old file is unchanged and no temporary remains.
Result<void> write_file(const std::filesystem::path& path, std::string_view content);

/// SHA-256 in hexadecimal digits.
std::string digest(std::string_view content);
Result<std::string> digest_of_file(const std::filesystem::path& path);

}  // namespace parcast
