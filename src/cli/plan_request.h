// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `parcast plan` is asked, from the command line: which quantity, where, which runs are allowed and what they cost.

#include <string>

#include "cli/verb.h"
#include "fit/measurements.h"
#include "plan/advise.h"

namespace parcast::cli {

/// The kernel that --metric and --callpath mean. Without them the first time of the whole program; of data with one call path, the
/// first time there. The error lists what there is to choose from.
Result<std::size_t> kernel_asked(const Invocation& invocation, const fit::Measurements& data);

/// Seconds per unit of a time's values, by its unit or its name; nothing: neither tells.
std::optional<double> seconds_per_unit(const fit::Kernel& kernel);

/// The whole question. `notes` gets a sentence for each thing that was assumed.
Result<plan::Request> plan_request(const Invocation& invocation, const fit::Measurements& data, std::vector<std::string>& notes);

}  // namespace parcast::cli
