// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of `parcast explain`: the contributions to the time, its sensitivities, its scaling, and what to
// do to narrow the interval.

#include <string>

#include "explain/explain.h"
#include "report/style.h"

namespace parcast::report {

/// Returns the text. `all`: every contribution and sensitivity, not only the ten largest.
std::string explanation_text(const explain::Explanation& explanation, const Style& style, bool all = false);

}  // namespace parcast::report
