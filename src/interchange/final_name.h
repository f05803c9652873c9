// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gives a file or folder that was written under a hidden name its own name, if that name is free.

#include <filesystem>

#include "base/result.h"

namespace parcast::interchange {

/// Returns the error "X exists already".
Error taken(const std::filesystem::path& target);

/// Renames `from` to `target`. Fails if the target exists, even if it was created a moment ago.
Result<void> give_name(const std::filesystem::path& from, const std::filesystem::path& target);

}  // namespace parcast::interchange
