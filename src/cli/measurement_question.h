// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parses users' questions about measured values: points, lists of values, the statistic that summarizes
// repetitions.

#include <string>
#include <string_view>
#include <vector>

#include "base/vary.h"
#include "cli/verb.h"
#include "fit/fit.h"

namespace parcast::cli {

/// Parses "p=64,128,n=1000" as lists of values of the data's parameters, each once. A column that is constant
/// may only be given its value, and is left out. Errors name the flag.
Result<std::vector<Variation>> lists_from(const std::string& flag, const std::string& text,
                                          const fit::Measurements& data);
/// Parses the same text as points, a column per parameter. A parameter with only one value in the data may be
/// omitted; every other one must be given.
Result<fit::Points> points_from(const std::string& flag, const std::string& text,
                                const fit::Measurements& data);

/// Parses "bytes=65536" or "bytes=MACHINE", a machine whose eager limits are taken, as known changes of
/// growth.
Result<std::vector<fit::Change>> changes_from(const std::string& flag, const std::string& text,
                                              const fit::Measurements& data);

/// Returns the statistic of --of; the mean if it is not given.
Result<fit::Statistic> statistic_from(const Invocation& invocation);
/// Returns --level; 0.9 if it is not given.
Result<double> level_from(const Invocation& invocation);

/// Returns whether the text matches. `*` in the pattern matches any text; a pattern without one matches
/// anywhere in the text.
bool matches(const std::string& text, const std::string& pattern);

}  // namespace parcast::cli
