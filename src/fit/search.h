// SPDX-License-Identifier: Apache-2.0
#pragma once
// Selects sums of a few terms that could explain the values: a short list by evidence, as if errors were
// independent. Starting from the empty sum and from the constant, the best few are extended by one term at a
// time. Coefficients are positive.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "fit/shapes.h"

namespace parcast::fit {

inline constexpr std::size_t kMostTerms = 4;

/// Terms by index in Shapes, ascending.
struct Sum {
  std::array<std::size_t, kMostTerms> terms{};
  std::size_t count = 0;
  double log_weight = 0;  // evidence minus cost, in nats
  double cost = 0;        // of all terms together

  std::span<const std::size_t> all() const { return {terms.data(), count}; }
  bool same_terms(const Sum& other) const { return count == other.count && terms == other.terms; }
};

/// The prior of the noise: its relative standard deviation, and its weight in observations.
struct Prior {
  double relative_noise = 0.03;
  double weight = 1;
};

/// Returns sums, best first. If the values allow positive coefficients, these always include the constant,
/// every term proportional to one argument, a + b / x, and from four points on a + b / x + c log2 x. Errors
/// are relative to `expected`.
std::vector<Sum> search(const ShapesOn& on, std::span<const double> values, std::span<const double> expected,
                        const Prior& prior);

/// Returns the cost of a sum: of its terms, and of each further term. The constant is free.
double cost_of(const Shapes& shapes, std::span<const std::size_t> terms);

}  // namespace parcast::fit
