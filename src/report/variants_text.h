// SPDX-License-Identifier: Apache-2.0
#pragma once
// Programs that do the same, the fastest first; at one point:
//
//   2 programs, 16 processes, N = 1000, on here                              equation
//
//     variant      ms            90 %  best  slower  compute  messages  waiting
//     block      1.23  1.10 .. 1.38   97%              61%       30%       9%
//     cyclic     1.52  1.37 .. 1.69    3%  x1.24       52%       41%       7%
//
//     block is 0.290 ms (19 %) faster than cyclic: 0.250 ms less transfer, 0.0400 ms less waiting
//
// and over a sweep, a line a point, then where the order of the first changes.

#include <string>

#include "explain/variants.h"
#include "report/style.h"

namespace parcast::report {

std::string variants_text(const explain::VariantAnswer& answer, const Style& style);
/// A line for each variant at each point.
std::string variants_csv(const explain::VariantAnswer& answer);
/// parcast.variants/1
std::string variants_to_json(const explain::VariantAnswer& answer);

}  // namespace parcast::report
