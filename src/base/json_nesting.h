// SPDX-License-Identifier: Apache-2.0
#pragma once
// A limit on how deep JSON is nested. Libraries copy, print and destroy JSON by recursion, so that a deep one would end the program
// by a full stack. Every reader calls this before it parses.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parcast {

constexpr std::size_t kMostJsonLevels = 500;  // what Parcast writes has fewer than 200

/// Fails with the line where the text opens one bracket or brace too many. Looks at brackets alone: the parser finds all other faults.
Result<void> check_json_nesting(std::string_view text, const std::string& where);

}  // namespace parcast
