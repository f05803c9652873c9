// SPDX-License-Identifier: Apache-2.0
#include "source/counts/source_count.h"

#include <algorithm>

namespace parcast::program {

using symbolic::Expression;

SourceCount operator*(const SourceCount& a, const SourceCount& b) {
  SourceCount all = combined(a, b, [](const Expression& x, const Expression& y) { return x * y; });
  all.tier = std::max(a.tier, b.tier);
  all.bits = a.bits + b.bits;
  return all;
}

SourceCount operator+(const SourceCount& a, const SourceCount& b) {
  SourceCount all = combined(a, b, [](const Expression& x, const Expression& y) { return x + y; });
  all.tier = std::max(a.tier, b.tier);
  all.bits = std::max(a.bits, b.bits);
  return all;
}

SourceCount operator/(const SourceCount& a, const SourceCount& b) {
  return combined(a, b, [](const Expression& x, const Expression& y) { return x / y; });
}

SourceCount with_alternatives(SourceCount given, const std::vector<Expression>& others) {
  if (others.empty()) return given;
  std::vector<Expression> alternatives;
  for (std::size_t k = 0; k < kHypotheses; ++k)
    alternatives.push_back(k < others.size() ? others[k] : given.by(k));
  given.alternatives = std::move(alternatives);
  return given;
}

}  // namespace parcast::program
