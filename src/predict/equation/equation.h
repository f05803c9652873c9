// SPDX-License-Identifier: Apache-2.0
#pragma once
// The equation engine: the closed form of the max-plus recursion where one is provable
// (docs/models/equation.md). The total time is one symbolic expression in the parameters, p and every machine
// cost. It is evaluated in batches and differentiated exactly.

#include <span>
#include <string>
#include <vector>

#include "predict/prediction.h"
#include "symbolic/expression.h"
#include "symbolic/program.h"

namespace parcast::predict {

/// A summand of the total at a point: the contribution of a segment or a call.
struct TermValue {
  program::NodeId node = program::kNone;  // the call, or the owner of the segment
  std::int32_t segment = -1;              // index into Model::segments, or -1
  enum class Part { compute, memory, message_startup, transfer, wait } part = Part::compute;
  Origin origin = Origin::unknown;       // of the underlying count: how often, how many
  Origin cost_origin = Origin::unknown;  // of the seconds of each
  double value = 0;                      // seconds at the question's point
};

/// The summand with its formula.
struct Term : TermValue {
  symbolic::Expression seconds;  // in the model's symbols and machine costs
  double low = 0, high = 0;      // its own interval, at the question's level
};

/// The closed form for one model on one machine. Rank-dependent counts are those of the critical rank class.
struct Equation {
  std::vector<Term> terms;
  symbolic::Expression seconds;   // their sum
  std::vector<Warning> warnings;  // where the closed form is only a bound or an approximation
  symbolic::Binding binding;      // values of all free symbols at the question's point
};
Result<Equation> build_equation(const program::Model& model, const machine::Machine& machine,
                                const Question& question);

/// Returns whether the call takes as long as recorded: it makes a communicator, or reads or writes a file.
/// Engines that follow ranks give these calls no time of their own.
bool is_as_recorded(const program::Node& node);

/// Returns the total as computed by engines that follow ranks without noise: equal ranks and iterations of a
/// segment, no data beyond a cache, and no time for calls that take as long as recorded.
Result<double> undisturbed_seconds(const program::Model& resolved, const machine::Machine& machine,
                                   const Question& question);

/// d seconds / d parameter at the question's point, by exact differentiation, for every machine parameter
/// that occurs.
struct Sensitivity {
  std::string parameter;
  double value = 0;       // of the parameter, in its base unit
  double derivative = 0;  // seconds per base unit
  double elasticity = 0;  // relative change of the total per relative change of the parameter
};
Result<std::vector<Sensitivity>> sensitivities(const program::Model& model, const machine::Machine& machine,
                                               const Question& question);

/// Returns the total seconds at many points, which differ only in parameters and p. NaN where there is no
/// value.
Result<std::vector<double>> sweep(const program::Model& model, const machine::Machine& machine,
                                  std::span<const Question> questions);

const Engine& equation_engine();

}  // namespace parcast::predict
