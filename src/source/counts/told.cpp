// SPDX-License-Identifier: Apache-2.0
#include "source/counts/told.h"

#include <algorithm>

namespace parcast::program {

using symbolic::Expression;

Told operator*(const Told& a, const Told& b) {
  Told all = combined(a, b, [](const Expression& x, const Expression& y) { return x * y; });
  all.tier = std::max(a.tier, b.tier);
  all.bits = a.bits + b.bits;
  return all;
}

Told operator+(const Told& a, const Told& b) {
  Told all = combined(a, b, [](const Expression& x, const Expression& y) { return x + y; });
  all.tier = std::max(a.tier, b.tier);
  all.bits = std::max(a.bits, b.bits);
  return all;
}

Told operator/(const Told& a, const Told& b) {
  return combined(a, b, [](const Expression& x, const Expression& y) { return x / y; });
}

Told with_rivals(Told told, const std::vector<Expression>& others) {
  if (others.empty()) return told;
  std::vector<Expression> rivals;
  for (std::size_t k = 0; k < kHypotheses; ++k) rivals.push_back(k < others.size() ? others[k] : told.by(k));
  told.rivals = std::move(rivals);
  return told;
}

}  // namespace parcast::program
