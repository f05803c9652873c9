// SPDX-License-Identifier: Apache-2.0
#include "base/number_range.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/text.h"

namespace parcast {

std::string_view fault_of(double number) {
  if (!std::isfinite(number)) return kNotFinite;
  if (is_in_range(number)) return "";
  return std::fabs(number) < 1 ? kTooSmall : kTooLarge;
}

std::string_view fault_of(std::string_view text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc::invalid_argument || end != text.data() + text.size()) return kNoNumber;
  if (problem == std::errc::result_out_of_range) {
    // from_chars does not distinguish too large from too small.
    const bool large = std::fabs(std::strtod(std::string(text).c_str(), nullptr)) > 1;
    return large ? kTooLarge : kTooSmall;
  }
  return std::isfinite(number) ? fault_of(number) : kNoNumber;
}

std::optional<double> parse_in_range(std::string_view text) {
  const auto number = parse_double(text);
  return number && is_in_range(*number) ? number : std::nullopt;
}

double moved_into_range(double number) {
  if (number == 0 || std::isnan(number)) return number;
  return std::copysign(std::clamp(std::fabs(number), kSmallestNumber, kLargestNumber), number);
}

}  // namespace parcast
