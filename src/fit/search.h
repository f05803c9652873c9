// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which sums of a few terms could explain the values: a short list by evidence, as if errors were independent. Growing from
// the empty sum and from the constant, the best few are extended by one term at a time. Coefficients are positive.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "fit/shapes.h"

namespace parcast::fit {

inline constexpr std::size_t kMostTerms = 4;

/// Terms by their index in Shapes, ascending.
struct Sum {
  std::array<std::size_t, kMostTerms> terms{};
  std::size_t count = 0;
  double log_weight = 0;  // evidence less cost, in nats
  double cost = 0;        // of all terms together

  std::span<const std::size_t> all() const { return {terms.data(), count}; }
  bool same_terms(const Sum& other) const { return count == other.count && terms == other.terms; }
};

/// What is held of the noise before the data are seen: its relative standard deviation, and how many observations that
/// opinion weighs.
struct Prior {
  double relative_noise = 0.03;
  double weight = 1;
};

/// Best first. Always holds, where the values allow positive coefficients: the constant, every term of one argument in
/// proportion, a + b / x, and from four points on a + b / x + c log2 x.
/// Errors are taken relative to `expected`.
std::vector<Sum> search(const ShapesOn& on, std::span<const double> values, std::span<const double> expected, const Prior& prior);

/// The cost of a sum: of its terms, and of each term beside another. The constant is free.
double cost_of(const Shapes& shapes, std::span<const std::size_t> terms);

}  // namespace parcast::fit
