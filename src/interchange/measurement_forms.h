// SPDX-License-Identifier: Apache-2.0
#pragma once
// The forms of files with measured values, one source each: what measurements.h reads and writes by these. Readers are given
// UTF-8 without a byte order mark, writers what has passed check().

#include <string>
#include <string_view>

#include "interchange/measurements.h"

namespace parcast::interchange {

Result<fit::Measurements> measurements_from_csv(std::string_view text, const std::string& where, const MeasurementOptions& options);
/// Of the others the unit alone is taken from the options.
Result<fit::Measurements> measurements_from_extrap_text(std::string_view text, const std::string& where, const std::string& unit);
Result<fit::Measurements> measurements_from_extrap_json(std::string_view text, const std::string& where, const std::string& unit);
Result<fit::Measurements> measurements_from_extrap_json_lines(std::string_view text, const std::string& where, const std::string& unit);

/// One row a value: callpath, metric, unit (where one is told), the parameters, repetition, value.
Result<std::string> measurements_to_csv(const fit::Measurements& measurements);
Result<std::string> measurements_to_extrap_text(const fit::Measurements& measurements);
Result<std::string> measurements_to_extrap_json(const fit::Measurements& measurements);
Result<std::string> measurements_to_extrap_json_lines(const fit::Measurements& measurements);

/// "file:3:17" of the byte at `offset`, lines and columns from 1.
std::string place_in(std::string_view text, const std::string& where, std::size_t offset);

}  // namespace parcast::interchange
