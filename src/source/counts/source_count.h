// SPDX-License-Identifier: Apache-2.0
#pragma once
// A count as an expression, with its tier and with alternative expressions that also give the observed
// counts. docs/models/source_counts.md.

#include <vector>

#include "model/count_tier.h"
#include "symbolic/expression.h"

namespace parcast::program {

/// Number of alternative hypotheses tracked. In hypothesis k each value is its k-th alternative, or the
/// selected expression if it has fewer alternatives.
constexpr std::size_t kHypotheses = 3;

/// A count. The tier of a combination is that of its least certain part.
struct SourceCount {
  symbolic::Expression value;
  CountTier tier = CountTier::symbolic;
  double bits = 0;  // for measured counts: description length of their growth (CountGrowth)
  std::vector<symbolic::Expression> alternatives = {};  // by hypothesis; empty if all agree

  const symbolic::Expression& by(std::size_t hypothesis) const {
    return hypothesis < alternatives.size() ? alternatives[hypothesis] : value;
  }
};

/// Combines two counts in each hypothesis. Tier and bits are those of `a`.
template <class Of>
SourceCount combined(const SourceCount& a, const SourceCount& b, Of of) {
  SourceCount all{of(a.value, b.value), a.tier, a.bits, {}};
  if (!a.alternatives.empty() || !b.alternatives.empty())
    for (std::size_t k = 0; k < kHypotheses; ++k) all.alternatives.push_back(of(a.by(k), b.by(k)));
  return all;
}

SourceCount operator*(const SourceCount& a, const SourceCount& b);
SourceCount operator+(const SourceCount& a, const SourceCount& b);
/// Keeps the tier of `a`.
SourceCount operator/(const SourceCount& a, const SourceCount& b);

/// Returns `given` with these alternatives, the first in the first hypothesis.
SourceCount with_alternatives(SourceCount given, const std::vector<symbolic::Expression>& others);

}  // namespace parcast::program
