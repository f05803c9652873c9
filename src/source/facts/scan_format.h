// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formats of scanf that read nothing but numbers from a text that consists of numbers: "%d", "%ld", "%lf",
// "%dx%d".

#include <optional>
#include <string_view>
#include <vector>

namespace parcast::facts {

/// A number that is read into one of the arguments, in their order.
struct Conversion {
  unsigned bits = 32;
  bool is_real = false;
};

/// Returns the conversions of a format. The result is empty if the format reads anything else: numbers of
/// another base, a width, words, or separators that are not in kBetweenNumbers.
std::optional<std::vector<Conversion>> conversions_of(std::string_view format);

}  // namespace parcast::facts
