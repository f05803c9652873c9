// SPDX-License-Identifier: Apache-2.0
#pragma once
// Programs that solve the same problem, the fastest first; at one point:
//
//   2 programs, 16 processes, N = 1000, on here                              equation
//
//     variant      ms            90 %  best  slower  compute  messages  waiting
//     block      1.23  1.10 .. 1.38   97%              61%       30%       9%
//     cyclic     1.52  1.37 .. 1.69    3%  x1.24       52%       41%       7%
//
//     block is 0.290 ms (19 %) faster than cyclic: 0.250 ms less transfer, 0.0400 ms less waiting
//
// Over a sweep: a line per point, then the points where the order of the fastest changes.

#include <string>

#include "explain/variants.h"
#include "report/style.h"

namespace parcast::report {

std::string variants_text(const explain::VariantAnswer& answer, const Style& style);
/// Returns a line for each variant at each point.
std::string variants_csv(const explain::VariantAnswer& answer);
/// Returns the answer as parcast.variants/1.
std::string variants_to_json(const explain::VariantAnswer& answer);

}  // namespace parcast::report
