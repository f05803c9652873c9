// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values as SimGrid's platform files write them: "1Gf", "125MBps", "1.25Gbps", "50us".

#include <string_view>

#include "base/result.h"

namespace parcast::interchange {

enum class SimgridDimension { speed, bandwidth, latency };

/// In operations per second, bytes per second, seconds. A number without a unit is in these. The error names what was written.
Result<double> simgrid_value(std::string_view text, SimgridDimension dimension);

}  // namespace parcast::interchange
