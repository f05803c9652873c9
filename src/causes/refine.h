// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds why a relation breaks (Lemeire and Dirkx 2004, section 5). Candidate variables are tried only if time
// is not proportional to work, alone and in pairs. They enter the relation only if they leave nothing of the
// break. A variable that explains part of the break, in addition to a plain break, is reported as such.
// Otherwise the break is reported as unexplained, with the tried variables and why each was rejected.
// docs/models/causes.md.
//
//   T = 0.25 us operations, breaks at 5.4e10 operations (p = 0.001)
//   swapped     enters     0.27 ms each: with it no break is left (p = 0.62)
//   faults      rejected   a break remains (p = 0.004)

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "causes/breaks.h"
#include "causes/runs.h"

namespace parcast::causes {

struct Candidate {
  std::string name;
  Role role = Role::event;
  Column amounts;              // by sample; kNotMeasured if not measured
  std::string effect_of = {};  // the candidate that causes this one; empty: unknown
};

enum class Verdict {
  enters,
  effect,             // the candidate that causes it would enter as well
  explains_part,      // it and a plain change of cost explain everything together, neither does alone
  indistinguishable,  // another variable explains as much
  less_likely,        // another variable that would enter describes the times much better
  not_measured,       // in some sample
  never_changes,      // cannot be distinguished from a constant part of the time
  as_work,            // proportional to the work: cannot be distinguished from it
  no_influence,       // its cost is negative, or not significant
  break_remains,      // the relation breaks with it as well
  scatter_remains,    // after the break times scatter more than before it
  // with it, work would explain less than half of the time before the break: it follows the time instead of
  // causing it
  takes_over,
  worse_than_break,  // a plain change of cost describes the times much better
  // another variable with a plain change of cost describes the times much better: this one explains only a
  // part
  part_only,
};

/// The result of one variable in the relation.
struct Tried {
  std::string name;
  Verdict verdict = Verdict::not_measured;
  // seconds per unit; for speed: in units of the work's cost, per fraction by which the run is slower
  double delta = 0, standard_error = 0;
  double p_value = 1;   // probability of a break in the relation with the variable
  double noise = 0;     // relative standard deviation in the relation with the variable
  double residual = 0;  // sum of squares of relative deviations
};

/// The result of two variables together.
struct TriedPair {
  std::array<std::size_t, 2> variables{};  // indices in Refinement::tried
  Verdict verdict = Verdict::no_influence;
  std::array<double, 2> deltas{}, standard_errors{};
  double p_value = 1, noise = 0, residual = 0;  // as for one variable
};

/// A variable that entered the relation.
struct Cause {
  std::size_t variable = 0;              // index in Refinement::tried
  double delta = 0, standard_error = 0;  // in Refinement::refined
  Linearity without;  // the relation with only the other cause: the break that this cause removes
};

struct Refinement {
  Linearity first_order;           // time against work alone
  std::optional<TwoBreaks> twice;  // if the relation breaks twice
  std::vector<Tried> tried;        // empty if nothing breaks: low-level variables do not matter then
  std::vector<TriedPair> pairs;    // of variables that change and do not follow the time
  std::vector<Cause> causes;       // at most two
  // with the causes; first_order without any. Still broken if the causes explain only a part
  Linearity refined;
  bool broken() const { return first_order.shape != Shape::straight; }
  bool unexplained() const { return broken() && causes.empty(); }
  bool partly() const { return !causes.empty() && refined.shape != Shape::straight; }
};

/// Returns the column of a candidate in a relation: its amounts; for a speed, work times (largest speed /
/// speed - 1).
Column regressor(const Candidate& candidate, std::span<const Sample> samples);

/// Refines the relation. Fails like find_break. Precondition: candidates have as many amounts as there are
/// samples.
Result<Refinement> refine(std::span<const Sample> samples, const std::vector<Candidate>& candidates,
                          const BreakOptions& options = {});

}  // namespace parcast::causes
