// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files: read at once or piece by piece; written whole, to a temporary beside the target and renamed, so that no one ever sees half a file.

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

/// A file that is read from front to end.
class InputFile {
 public:
  static Result<InputFile> open(const std::filesystem::path& path);
  InputFile(InputFile&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  /// Bytes; nothing of what is no regular file.
  std::optional<std::uint64_t> size() const { return size_; }
  /// The next `size` bytes, fewer only at the end.
  Result<std::size_t> read(char* into, std::size_t size);
  /// All that is left.
  Result<std::string> rest();

 private:
  InputFile(std::filesystem::path path, int descriptor, std::optional<std::uint64_t> size) : path_(std::move(path)), descriptor_(descriptor), size_(size) {}
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::optional<std::uint64_t> size_;
};

/// Writes, flushes to the device, renames. On failure (no space, no permission) the old file is untouched and no
/// temporary is left.
Result<void> write_file(const std::filesystem::path& path, std::string_view content);

/// SHA-256 in hexadecimal.
std::string digest(std::string_view content);
Result<std::string> digest_of_file(const std::filesystem::path& path);

}  // namespace parcast
