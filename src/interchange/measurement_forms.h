// SPDX-License-Identifier: Apache-2.0
#pragma once
// The forms of files with measured values, one source file each: measurements.h reads and writes through
// these functions. Readers receive UTF-8 without a byte order mark, writers receive measurements that passed
// check().

#include <string>
#include <string_view>

#include "interchange/measurements.h"

namespace parcast::interchange {

Result<fit::Measurements> measurements_from_csv(std::string_view text, const std::string& where,
                                                const MeasurementOptions& options);
/// The other forms use only the unit of the options.
Result<fit::Measurements> measurements_from_extrap_text(std::string_view text, const std::string& where,
                                                        const std::string& unit);
Result<fit::Measurements> measurements_from_extrap_json(std::string_view text, const std::string& where,
                                                        const std::string& unit);
Result<fit::Measurements> measurements_from_extrap_json_lines(std::string_view text, const std::string& where,
                                                              const std::string& unit);

/// Writes one row per value: callpath, metric, unit (if one is known), the parameters, repetition, value.
Result<std::string> measurements_to_csv(const fit::Measurements& measurements);
Result<std::string> measurements_to_extrap_text(const fit::Measurements& measurements);
Result<std::string> measurements_to_extrap_json(const fit::Measurements& measurements);
Result<std::string> measurements_to_extrap_json_lines(const fit::Measurements& measurements);

/// Returns "file:3:17" for the byte at `offset`; lines and columns count from 1.
std::string place_in(std::string_view text, const std::string& where, std::size_t offset);

}  // namespace parcast::interchange
