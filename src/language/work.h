// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computing of a written program: seconds as expressions, and the tree of statements that they were written as.

#include <optional>

#include "language/syntax.h"

namespace parcast::program::written {

/// What is computed between two operations.
struct Work {
  struct Uncertain {
    Expression seconds;           // with a standard error of its own
    double relative_error = 0;
    Position at;
  };
  Expression certain = 0;         // seconds
  std::vector<Uncertain> uncertain;
  std::vector<ComputingPart> parts;
  bool measured = true;           // all of it; true of nothing

  bool nothing() const { return parts.empty(); }
  Expression seconds() const;
  Origin origin() const { return measured ? Origin::measured : Origin::assumed; }
  void add(const Work& more);
  /// Each of its seconds changed by the same rule.
  template <class Change>
  bool change(Change rule);
};

/// Of statements that do not communicate, each time that they are executed. An error where it cannot be summed up.
Result<Work> work_of(const std::vector<Statement>& block, const Source& source);
/// Of all rounds, or where a condition holds: one part that holds the others.
Result<Work> within(const Statement& around, const Range& range, Work inside, const Source& source);
Work where(const Statement& around, const Expression& indicator, Work inside, const Source& source);
/// Each of its seconds is its mean over the rounds.
Result<Work> averaged(const Statement& around, Work inside, const Source& source);
bool varies(const Work& work, const Range& range);

}  // namespace parcast::program::written
