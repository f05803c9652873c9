// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads the request of `parcast plan` from the command line: the quantity, the point, the allowed runs and
// their costs.

#include <string>

#include "cli/verb.h"
#include "fit/measurements.h"
#include "plan/advise.h"

namespace parcast::cli {

/// Returns the kernel that --metric and --callpath name. Without them, the first time of the program;
/// for data with one call path, the first time there. The error lists the choices.
Result<std::size_t> kernel_asked(const Invocation& invocation, const fit::Measurements& data);

/// Returns seconds per unit of a time's values, from its unit or its name; nothing if neither contains a
/// unit.
std::optional<double> seconds_per_unit(const fit::Kernel& kernel);

/// Returns the complete request. `notes` gets a sentence for each assumption.
Result<plan::Request> plan_request(const Invocation& invocation, const fit::Measurements& data,
                                   std::vector<std::string>& notes);

}  // namespace parcast::cli
