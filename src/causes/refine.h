// SPDX-License-Identifier: Apache-2.0
#pragma once
// Why a relation breaks (Lemeire and Dirkx 2004, section 5): candidate variables are tried only where time is no longer proportional to
// work, alone and two at a time, and they enter the relation only if with them nothing of the break is left. A variable that
// explains part of it beside a plain break is told as that. Otherwise the break is unexplained, which is said, with what was
// tried and why it was not that. docs/models/causes.md.
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
  Column amounts;  // by sample; kNotMeasured where it was not
  std::string effect_of = {};  // a candidate that brings this one about; empty: none is known
};

enum class Verdict {
  enters,
  effect,             // what brings it about would enter as well
  explains_part,      // with it and a plain change of cost nothing is left, and neither alone does
  not_told_apart,     // another one explains as much
  less_likely,        // another one that would enter describes the times much better
  not_measured,       // in some sample
  never_changes,      // it cannot be told from a constant part of the time
  as_work,            // in one proportion to the work: it cannot be told from it
  no_influence,       // its cost is not more than chance, or negative
  break_remains,      // the relation breaks with it as well
  scatter_remains,    // behind the break times scatter more than before it
  takes_over,         // with it most of the time before the break would not come from the work: it follows the time instead of causing it
  worse_than_break,   // a plain change of cost describes the times much better
  part_only,          // another variable beside a plain change of cost describes the times much better: this one is not all
};

/// A variable alone in the relation.
struct Tried {
  std::string name;
  Verdict verdict = Verdict::not_measured;
  double delta = 0, standard_error = 0;  // seconds per unit; of speed: of the work's cost, per part by which the run is slower
  double p_value = 1;                    // of a break with it in the relation
  double noise = 0;                      // relative standard deviation with it in the relation
  double residual = 0;                   // sum of squares of relative deviations
};

/// Two variables together.
struct TriedPair {
  std::array<std::size_t, 2> variables{};  // of Refinement::tried
  Verdict verdict = Verdict::no_influence;
  std::array<double, 2> deltas{}, standard_errors{};
  double p_value = 1, noise = 0, residual = 0;  // as of one
};

/// A variable that entered.
struct Cause {
  std::size_t variable = 0;              // of Refinement::tried
  double delta = 0, standard_error = 0;  // in Refinement::refined
  Linearity without;                     // the relation with the other cause alone: the break that this one takes away
};

struct Refinement {
  Linearity first_order;                 // time against work alone
  std::optional<TwoBreaks> twice;        // where that breaks twice
  std::vector<Tried> tried;              // empty where nothing breaks: low-level variables are of no interest then
  std::vector<TriedPair> pairs;          // of variables that change and do not follow the time
  std::vector<Cause> causes;             // at most two
  Linearity refined;                     // with the causes; first_order where there is none. Still broken where they explain part of it
  bool broken() const { return first_order.shape != Shape::straight; }
  bool unexplained() const { return broken() && causes.empty(); }
  bool partly() const { return !causes.empty() && refined.shape != Shape::straight; }
};

/// The part that a candidate has in a relation: its amounts; of a speed, work times (largest speed / speed - 1).
Column regressor(const Candidate& candidate, std::span<const Sample> samples);

/// Fails like find_break. Candidates have as many amounts as there are samples.
Result<Refinement> refine(std::span<const Sample> samples, const std::vector<Candidate>& candidates, const BreakOptions& options = {});

}  // namespace parcast::causes
