// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computing of a written program: seconds as expressions, and the tree of the statements that they come from.

#include <optional>

#include "language/syntax.h"

namespace parcast::program::written {

/// The computing between two operations.
struct Work {
  struct Uncertain {
    Expression seconds;  // has its own standard error
    double relative_error = 0;
    Position at;
  };
  Expression certain = 0;  // seconds
  std::vector<Uncertain> uncertain;
  std::vector<ComputingPart> parts;
  bool measured = true;  // all seconds are measured; true without any

  bool nothing() const { return parts.empty(); }
  Expression seconds() const;
  Origin origin() const { return measured ? Origin::measured : Origin::assumed; }
  void add(const Work& more);
  /// Applies the rule to each of the seconds. Returns false if the rule fails.
  template <class Change>
  bool change(Change rule);
};

/// Returns the work of one execution of statements that do not communicate. Returns an error if it cannot be
/// summed.
Result<Work> work_of(const std::vector<Statement>& block, const Source& source);
/// Returns the work of all rounds, or where a condition holds, as one part that contains the other parts.
Result<Work> within(const Statement& around, const Range& range, Work inside, const Source& source);
Work where(const Statement& around, const Expression& indicator, Work inside, const Source& source);
/// Replaces each of the seconds by its mean over the rounds.
Result<Work> averaged(const Statement& around, Work inside, const Source& source);
bool varies(const Work& work, const Range& range);

}  // namespace parcast::program::written
