// SPDX-License-Identifier: Apache-2.0
#pragma once
// The points of a sweep: "p=1,2,4,...,1024" (a geometric or arithmetic continuation), "p=1..16", "N=64..4096*2" (factor),
// "x=0..1/11" (so many points), alone or crossed. Values may carry units: "L=1us..64us*2".

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace parcast::cli {

struct Variation {
  std::string name;
  std::vector<double> values;
};

/// One value of a list as a number in base units; the error says what is wrong with it.
using ReadValue = std::function<Result<double>(const std::string&)>;
Result<double> plain_number(const std::string& text);

inline constexpr std::size_t kMostValues = 1'000'000;

/// "name=LIST". A million values at most. A range without a step has steps of one unit of its first value.
Result<Variation> parse_variation(const std::string& text, const ReadValue& read = plain_number);

/// Of all combinations.
std::size_t combinations(const std::vector<Variation>& variations);
/// Every combination, the last variation fastest.
std::vector<std::map<std::string, double>> cross(const std::vector<Variation>& variations);

}  // namespace parcast::cli
