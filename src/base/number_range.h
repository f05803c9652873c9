// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which numbers Parcast computes with: 0, and those from 1e-30 to 1e30 in size (docs/formats/numbers.md). Readers of numbers refuse
// others, or leave them out, with file and line. Within the range products of four parameters to the third power and squares of
// measured values stay finite; times in seconds, counts and bytes lie well inside it.

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace parcast {

inline constexpr double kSmallestNumber = 1e-30, kLargestNumber = 1e30;

/// What to say beside a number that is refused.
inline constexpr const char* kRangeHint = "numbers are 0, or from 1e-30 to 1e30 in size; is the unit right?";

inline bool is_in_range(double number) {
  const double size = std::fabs(number);
  return number == 0 || (size >= kSmallestNumber && size <= kLargestNumber);
}

/// What may be wrong with a number. In sentences: "time is 1e300, larger than 1e30".
inline constexpr std::string_view kTooSmall = "smaller than 1e-30", kTooLarge = "larger than 1e30";  // in size
inline constexpr std::string_view kNotFinite = "not a finite number", kNoNumber = "not a number";

/// One of the former three; empty for a number in range.
std::string_view fault_of(double number);
/// The same of a text, which may be no number (nor is "inf"), or one that no double holds.
std::string_view fault_of(std::string_view text);

/// The whole text as a number in range.
std::optional<double> parse_in_range(std::string_view text);

/// `number` moved to the nearer end of the range where it lies outside: what formulas and intervals give.
double moved_into_range(double number);

}  // namespace parcast
