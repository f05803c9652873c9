// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formats of scanf as far as what they read of a text that consists of numbers is the numbers themselves: "%d", "%ld", "%lf", "%dx%d".

#include <optional>
#include <string_view>
#include <vector>

namespace parcast::facts {

/// A number that is read into one of the arguments, which take them in their order.
struct Conversion {
  unsigned bits = 32;
  bool is_real = false;
};

/// Nothing where a format reads anything else: to another base, up to a width, words, or with other characters between than kBetweenNumbers.
std::optional<std::vector<Conversion>> conversions_of(std::string_view format);

}  // namespace parcast::facts
