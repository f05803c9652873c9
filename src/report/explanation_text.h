// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `parcast explain` prints: what the time is summed from, what it is sensitive to, how it scales, and
// what to do to narrow it.

#include <string>

#include "explain/explain.h"
#include "report/style.h"

namespace parcast::report {

/// `all`: every contribution and sensitivity, not only the ten largest.
std::string explanation_text(const explain::Explanation& explanation, const Style& style, bool all = false);

}  // namespace parcast::report
