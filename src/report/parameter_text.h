// SPDX-License-Identifier: Apache-2.0
#pragma once
// A machine's parameter as text, with its error. A value whose error exceeds it is "not measured": the
// measurement did not resolve it. JSON keeps such numbers.

#include <string>

#include "base/text.h"
#include "machine/machine.h"

namespace parcast::report {

inline constexpr const char* kNotMeasured = "not measured";

std::string value_text(double value, Dimension dimension);

/// Returns e.g. "1.20 us", with " ± 3%" if there is a standard error; "-" if unknown.
std::string parameter_text(const machine::Parameter& parameter, Dimension dimension);

/// Returns e.g. "2.50 G operations/s" of operations per second; "-" if unknown.
std::string speed_text(const machine::Parameter& parameter);

/// Returns e.g. "1.2 %" of a fraction; "-" if unknown.
std::string percent_text(const machine::Parameter& parameter);

/// Returns e.g. "87 % ± 3 %"; "0 % (measured -7 % ± 9 %)" if noise moved the value out of its range. A part
/// with an error above 100 % is "not measured".
std::string overlap_text(const machine::Parameter& parameter);

}  // namespace parcast::report
