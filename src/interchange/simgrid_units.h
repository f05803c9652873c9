// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parses values as SimGrid's platform files write them: "1Gf", "125MBps", "1.25Gbps", "50us".

#include <string_view>

#include "base/result.h"

namespace parcast::interchange {

enum class SimgridDimension { speed, bandwidth, latency };

/// Returns operations per second, bytes per second or seconds; a number without a unit is in these units.
/// Errors quote the text.
Result<double> simgrid_value(std::string_view text, SimgridDimension dimension);

}  // namespace parcast::interchange
