// SPDX-License-Identifier: Apache-2.0
#pragma once
// How something that was written under a hidden name gets its own, when nothing has it.

#include <filesystem>

#include "base/result.h"

namespace parcast::interchange {

/// "X exists already"
Error taken(const std::filesystem::path& target);

/// Renames; an error where the target exists, also when it came into being a moment ago.
Result<void> give_name(const std::filesystem::path& from, const std::filesystem::path& target);

}  // namespace parcast::interchange
