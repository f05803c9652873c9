// SPDX-License-Identifier: Apache-2.0
#pragma once
// What verbs ask of measured values, as it is typed: points, lists of values, what stands for repetitions.

#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"
#include "cli/vary.h"
#include "fit/fit.h"

namespace parcast::cli {

/// "p=64,128,n=1000" as lists of the data's parameters, each once. Errors name the flag.
Result<std::vector<Variation>> lists_from(const std::string& flag, const std::string& text, const fit::Measurements& data);
/// The same as points, a column per parameter; a parameter that never varies has its only value, any other one must be given.
Result<fit::Points> points_from(const std::string& flag, const std::string& text, const fit::Measurements& data);

/// --of; the mean where it is not given.
Result<fit::Statistic> statistic_from(const Invocation& invocation);
/// --level; 0.9 where it is not given.
Result<double> level_from(const Invocation& invocation);

/// `*` stands for any text; a pattern without one may stand anywhere.
bool matches(const std::string& text, const std::string& pattern);

}  // namespace parcast::cli
