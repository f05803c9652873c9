// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of `parcast validate`: every point, then the size of the errors and how often the intervals
// contained the measurement.
//
//   p  N     predicted  interval      measured  runs  error
//   8  1024     3.02 s  2.80 .. 3.31    3.17 s     5  -4.7 %  hit

#include <string>

#include "report/style.h"
#include "store/validate.h"

namespace parcast::report {

std::string validation_text(const store::Validation& validation, const Style& style);

}  // namespace parcast::report
