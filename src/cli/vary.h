// SPDX-License-Identifier: Apache-2.0
#pragma once
// The points of a sweep: "p=1,2,4,...,1024" (a geometric or arithmetic continuation), "p=1..16", "N=64..4096*2" (factor),
// "x=0..1/11" (so many points), alone or crossed.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace parcast::cli {

struct Variation {
  std::string name;
  std::vector<double> values;
};

/// "name=LIST". A million values at most.
Result<Variation> parse_variation(const std::string& text);

/// Every combination, the last variation fastest.
std::vector<std::map<std::string, double>> cross(const std::vector<Variation>& variations);

}  // namespace parcast::cli
