// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine `auto`: the equation where it agrees with the rank-by-rank interpretation of the run, otherwise
// the interpretation. docs/models/agreement.md.
//
// The equation is a closed form: it is fast, and its interval covers everything that the model leaves open.
// It assumes that one rank is the slowest between two collectives of all ranks. Where ranks take turns being
// the slowest, it loses the waits. `auto` therefore compares both engines at the requested point under the
// same assumptions: computing without noise, and no cache that overflows.

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "predict/hang.h"
#include "predict/prediction.h"

namespace parcast::predict {

const Engine& auto_engine();
/// The engine that --engine equation names: the closed form, compared like that of `auto`. Where it differs
/// from the run followed rank by rank, its interval holds both totals and a warning names the other one; a
/// deadlock is reported.
const Engine& checked_equation_engine();

/// The engines that --engine interpret and --engine simulate name. They follow the ranks of a recorded
/// program as interpret_engine and simulate_engine do, and add what only the closed form has: data that leave
/// a cache, and waits for ranks and iterations that compute longer than others.
const Engine& disturbed_interpret_engine();
const Engine& disturbed_simulate_engine();

/// Returns a sentence on the seconds that a prediction has beyond a run of the model followed rank by rank,
/// if they are more than 1 % of it: data that leave a cache, and waits for ranks and iterations that compute
/// longer than others. Empty: fewer, or the closed form has no value here.
std::string left_out_by_following(const program::Model& model, const machine::Machine& machine,
                                  const Question& question);

/// Comparison of the closed form and the interpreted run at one point.
struct ClosedFormCheck {
  std::shared_ptr<const Hang> hang;    // set if the run deadlocks; then the members below have no meaning
  double closed = 0, interpreted = 0;  // seconds, without noise
  bool agrees = false;
  std::string unchecked;  // why the run was not interpreted; empty: it was
};
/// Fails only when the equation itself has no answer.
Result<ClosedFormCheck> check_closed_form(const program::Model& model, const machine::Machine& machine,
                                          const Question& question);

/// Number of points compared when a question has many points.
inline constexpr std::size_t kMostChecked = 16;

/// The engine for many points of one model on one machine when the user names no engine.
struct ManyPointsChoice {
  // the equation agreed at all compared points; false: each point is checked separately
  bool by_equation = false;
  std::optional<Warning> warning;  // number of points compared
};
/// Up to kMostChecked points are not compared here: each is checked separately. Of more points, kMostChecked
/// are compared, evenly spaced, including the first and the last.
ManyPointsChoice choose_for_many(const program::Model& model, const machine::Machine& machine,
                                 std::span<const Question> questions);

/// Compares up to kMostChecked of the points. Returns a warning for the answers of the equation if any
/// differs or deadlocks.
std::optional<Warning> closed_form_warning(const program::Model& model, const machine::Machine& machine,
                                           std::span<const Question> questions);

}  // namespace parcast::predict
