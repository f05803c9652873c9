// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small pieces of JSON in requests and answers.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parcast::web {

/// Returns a whole number in a JSON object.
Result<std::int64_t> number_in(std::string_view json, const std::string& name);

/// Returns a text as a JSON string, in quotes.
std::string json_text(const std::string& text);

}  // namespace parcast::web
