// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text as people read and write it: splitting, names close to a mistyped one, and numbers with units.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast {

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);

/// Names of C++ as they are written; others as they are ("f" would be read as the type float).
std::string demangled(const std::string& linked);

/// The whole text as a number; nothing if anything is left over or it is not finite.
std::optional<double> parse_double(std::string_view text);
std::optional<long long> parse_integer(std::string_view text);

/// The candidate nearest to `name` by edit distance, when it is near enough to be a slip of the hand.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates);
/// "did you mean X?", or an empty text.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

enum class Dimension { none, time, data, rate, time_per_byte };
std::string_view to_string(Dimension dimension);

/// A number with its unit, in base units (seconds, bytes, bytes/s, s/byte).
struct Measure {
  double value = 0;
  Dimension dimension = Dimension::none;
};

/// Reads "2us", "64KiB", "10GB/s", "0.4ns/B", "24h", "60s", "1e-6 s", "17". K, M, G, T before B are powers of 1000
/// (of 1024 with an i); time units are ns, us, ms, s, min, h, d.
Result<Measure> parse_measure(std::string_view text);

/// `parse_measure` that insists on a dimension: the error names the unit wanted and guesses what was meant.
Result<double> parse_measure(std::string_view text, Dimension wanted);

/// 41.3 s, 2.10 us, 3.5 h: three significant digits and the unit that suits.
std::string format_seconds(double seconds);
/// 1.2 MB: three significant digits, powers of 1000.
std::string format_bytes(double bytes);
/// 418,112
std::string format_integer(long long value);
/// `value` with `digits` significant digits, never in exponent form between 1e-3 and 1e6.
std::string format_significant(double value, int digits);
/// The shortest text that reads back as the same double.
std::string format_exact(double value);

}  // namespace parcast
