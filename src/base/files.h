// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whole files: read at once, written to a temporary beside the target and renamed, so that no one ever sees half a file.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parcast {

Result<std::string> read_file(const std::filesystem::path& path);

/// Writes, flushes to the device, renames. On failure (no space, no permission) the old file is untouched and no
/// temporary is left.
Result<void> write_file(const std::filesystem::path& path, std::string_view content);

/// SHA-256 in hexadecimal.
std::string digest(std::string_view content);
Result<std::string> digest_of_file(const std::filesystem::path& path);

}  // namespace parcast
