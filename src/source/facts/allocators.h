// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions that allocate memory, and the arguments that give its size.

#include <string_view>
#include <vector>

namespace parcast::facts {

/// Returns the arguments whose product is the number of bytes: {0, 1} of calloc. Empty for other functions.
std::vector<int> size_arguments(std::string_view function);

}  // namespace parcast::facts
