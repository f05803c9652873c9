// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers as people and programs write them.

#include <string>

namespace parcast {

/// Returns the shortest text that reads back as the value; whole numbers without exponent: 1000000, not
/// 1e+06.
std::string format_plain(double value);

}  // namespace parcast
