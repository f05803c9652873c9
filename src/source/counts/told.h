// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is told of a count: an expression, how sure it is, and what it would be by other formulas that give what was counted as well.
// docs/models/source_counts.md.

#include <vector>

#include "model/count_tier.h"
#include "symbolic/expression.h"

namespace parcast::program {

/// So many other hypotheses are followed beside the one that is taken: in the k-th each value is the k-th other of those it may be,
/// where it may be so many, else the one that is taken.
constexpr std::size_t kHypotheses = 3;

/// What is made of several is as sure as the least sure of them.
struct Told {
  symbolic::Expression value;
  CountTier tier = CountTier::symbolic;
  double bits = 0;  // of measured ones: that it costs to say how they grow (CountGrowth)
  std::vector<symbolic::Expression> rivals = {};  // by hypothesis; none where all say the same

  const symbolic::Expression& by(std::size_t hypothesis) const { return hypothesis < rivals.size() ? rivals[hypothesis] : value; }
};

/// Of two, in each hypothesis; tier and bits are those of `a`.
template <class Of>
Told combined(const Told& a, const Told& b, Of of) {
  Told all{of(a.value, b.value), a.tier, a.bits, {}};
  if (!a.rivals.empty() || !b.rivals.empty())
    for (std::size_t k = 0; k < kHypotheses; ++k) all.rivals.push_back(of(a.by(k), b.by(k)));
  return all;
}

Told operator*(const Told& a, const Told& b);
Told operator+(const Told& a, const Told& b);
/// As sure as `a`.
Told operator/(const Told& a, const Told& b);

/// With these as rivals, the first in the first hypothesis.
Told with_rivals(Told told, const std::vector<symbolic::Expression>& others);

}  // namespace parcast::program
