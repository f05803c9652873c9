// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums over loops: what is done once in a statement's place, over a whole run of a rank.

#include <optional>
#include <vector>

#include "language/syntax.h"

namespace parcast::program::written {

/// Sum of `each` over the rounds of a loop, closed where it can be. Nothing where it is made of powers of two that do not sum up
/// in closed form.
std::optional<Expression> sum_over(const Range& range, const Expression& each);
/// Its mean over the rounds; any number where there is none.
std::optional<Expression> mean_over(const Range& range, const Expression& each);

/// Loops and conditions around a statement, the outermost first.
class Surroundings {
 public:
  void enter(const Range& range) { around_.push_back({&range, 0}); }
  void enter(const Expression& indicator) { around_.push_back({nullptr, indicator}); }
  void leave() { around_.pop_back(); }
  /// Of what is `each` every time.
  std::optional<Expression> total(Expression each) const { return total(std::move(each), false); }
  /// Of what is so much in all rounds of the innermost loop.
  std::optional<Expression> total_of_rounds(Expression all) const { return total(std::move(all), true); }
  /// Whether that condition is one of those around.
  bool under(const Expression& indicator) const;
  /// The index of a loop around that occurs in it, or its power of two.
  const Range* varied_by(const Expression& each) const;

 private:
  struct One {
    const Range* range = nullptr;
    Expression indicator;
  };
  std::optional<Expression> total(Expression each, bool rounds_done) const;

  std::vector<One> around_;
};

/// 1 where a partner is there (of one that changes from round to round: Statement::places has it), else 0.
Expression exists(const Partner& partner);
/// Whether it is there for every rank.
bool always_exists(const Partner& partner);

}  // namespace parcast::program::written
