// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parses the points of a sweep: "p=1,2,4,...,1024" (a geometric or arithmetic continuation), "p=1..16",
// "N=64..4096*2" (factor), "x=0..1/11" (number of points), alone or crossed. Values may have units:
// "L=1us..64us*2".

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace parcast {

struct Variation {
  std::string name;
  std::vector<double> values;
};

/// Parses one value of a list as a number in base units; the error names what is wrong with it.
using ReadValue = std::function<Result<double>(const std::string&)>;
Result<double> plain_number(const std::string& text);

inline constexpr std::size_t kMostValues = 1'000'000;

/// Parses "name=LIST" of at most a million values. A range without a step has steps of one unit of its first
/// value.
Result<Variation> parse_variation(const std::string& text, const ReadValue& read = plain_number);

/// Returns the number of all combinations.
std::size_t combinations(const std::vector<Variation>& variations);
/// Returns every combination; the last variation changes fastest.
std::vector<std::map<std::string, double>> cross(const std::vector<Variation>& variations);

}  // namespace parcast
