// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums over loops: converts the count of one execution of a statement to the count of an entire run of a
// rank.

#include <optional>
#include <vector>

#include "language/syntax.h"

namespace parcast::program::written {

/// Returns the sum of `each` over the rounds of a loop, in closed form if possible. Empty if it contains
/// powers of two whose sum has no closed form.
std::optional<Expression> sum_over(const Range& range, const Expression& each);
/// Returns the mean over the rounds; any number if there are no rounds.
std::optional<Expression> mean_over(const Range& range, const Expression& each);

/// Loops and conditions around a statement, outermost first.
class Surroundings {
 public:
  void enter(const Range& range) { around_.push_back({&range, 0}); }
  void enter(const Expression& indicator) { around_.push_back({nullptr, indicator}); }
  void leave() { around_.pop_back(); }
  /// Returns the total of a quantity that is `each` in every execution.
  std::optional<Expression> total(Expression each) const { return total(std::move(each), false); }
  /// Returns the total of a quantity that is `all` over all rounds of the innermost loop.
  std::optional<Expression> total_of_rounds(Expression all) const { return total(std::move(all), true); }
  /// Returns whether that condition is one of the surrounding conditions.
  bool under(const Expression& indicator) const;
  /// Returns the surrounding loop whose index, or power of two of the index, occurs in `each`; null if none.
  const Range* varied_by(const Expression& each) const;

 private:
  struct One {
    const Range* range = nullptr;
    Expression indicator;
  };
  std::optional<Expression> total(Expression each, bool rounds_done) const;

  std::vector<One> around_;
};

/// Returns 1 where the partner exists, else 0. For a partner that changes from round to round, see
/// Statement::places.
Expression exists(const Partner& partner);
/// Returns whether the partner exists for every rank.
bool always_exists(const Partner& partner);

}  // namespace parcast::program::written
