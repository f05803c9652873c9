// SPDX-License-Identifier: Apache-2.0
#pragma once
// Limits how deeply JSON is nested. JSON libraries copy, print and destroy values by recursion, so that a
// deeply nested text would overflow the stack. Every reader calls this before it parses.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parcast {

constexpr std::size_t kMostJsonLevels = 500;  // files that Parcast writes have fewer than 200

/// Fails with the line where the text opens one bracket or brace too many. Only brackets are checked; the
/// parser finds all other errors.
Result<void> check_json_nesting(std::string_view text, const std::string& where);

}  // namespace parcast
