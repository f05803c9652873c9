// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text that people read and write: splitting, suggestions for mistyped names, and numbers with units.

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

/// Returns a C++ name in source form; other names unchanged ("f" would be read as the type float).
std::string demangled(const std::string& linked);

/// Returns the complete text as a number; nothing when characters are left over or the number is not finite.
std::optional<double> parse_double(std::string_view text);
std::optional<long long> parse_integer(std::string_view text);

/// Returns the candidate nearest to `name` by edit distance; nothing when none is near enough to be a typing
/// error.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates);
/// Returns "did you mean X?", or an empty text.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

enum class Dimension { none, time, data, rate, time_per_byte };
std::string_view to_string(Dimension dimension);

/// A number with its dimension, in base units (seconds, bytes, bytes/s, s/byte).
struct Measure {
  double value = 0;
  Dimension dimension = Dimension::none;
};

/// Reads "2us", "64KiB", "10GB/s", "0.4ns/B", "24h", "60s", "1e-6 s", "17". K, M, G, T before B are powers of
/// 1000 (powers of 1024 with an i). Time units are ns, us, ms, s, min, h, d.
Result<Measure> parse_measure(std::string_view text);

/// Same, but requires a dimension. The error names the required unit and suggests a correction.
Result<double> parse_measure(std::string_view text, Dimension wanted);

/// Returns e.g. "41.3 s", "2.10 us", "3.5 h": three significant digits in a suitable unit.
std::string format_seconds(double seconds);
/// Returns e.g. "1.2 MB": three significant digits in powers of 1000.
std::string format_bytes(double bytes);
/// Returns e.g. "418,112".
std::string format_integer(long long value);
/// Returns `value` with `digits` significant digits, without an exponent between 1e-3 and 1e6.
std::string format_significant(double value, int digits);
/// Returns the shortest text that reads back as the same double.
std::string format_exact(double value);

}  // namespace parcast
