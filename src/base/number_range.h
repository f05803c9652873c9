// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers that Parcast computes with: 0, and magnitudes from 1e-30 to 1e30 (docs/formats/numbers.md).
// Readers refuse or skip other numbers and report file and line. Within this range, products of four
// parameters to the third power and squares of measured values stay finite. Times in seconds, counts and
// bytes are well inside it.

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace parcast {

inline constexpr double kSmallestNumber = 1e-30, kLargestNumber = 1e30;

/// The hint printed with a refused number.
inline constexpr const char* kRangeHint = "numbers are 0, or from 1e-30 to 1e30 in size; is the unit right?";

inline bool is_in_range(double number) {
  const double size = std::fabs(number);
  return number == 0 || (size >= kSmallestNumber && size <= kLargestNumber);
}

/// Reasons to refuse a number, worded for sentences: "time is 1e300, larger than 1e30". The first two are
/// about the magnitude.
inline constexpr std::string_view kTooSmall = "smaller than 1e-30", kTooLarge = "larger than 1e30";
inline constexpr std::string_view kNotFinite = "not a finite number", kNoNumber = "not a number";

/// Returns the reason to refuse a number (one of the first three); empty for a number in range.
std::string_view fault_of(double number);
/// Same for a text, which may also be no number (as "inf") or a number that no double represents.
std::string_view fault_of(std::string_view text);

/// Returns the number when the complete text is a number in range.
std::optional<double> parse_in_range(std::string_view text);

/// Returns `number`, moved to the nearer end of the range when it is outside. Used for results of formulas
/// and intervals.
double moved_into_range(double number);

}  // namespace parcast
