// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/result.h"

namespace parcast::web {

/// Returns a listening Unix socket that only its owner can use. Takes the place of one where nobody listens
/// any more; fails on anything else that lies there.
Result<int> listen_at(const std::filesystem::path& path);

}  // namespace parcast::web
