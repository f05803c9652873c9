// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks a question against a model and a machine, places it on nodes, and compares it with what was
// recorded.

#include <memory>

#include "predict/prediction.h"

namespace parcast::predict {

/// Fails for p < 1, values that are not finite, and levels outside 0..1. Fails also for a parameter that the
/// model does not have (with the nearest name), and for one that the question does not give.
Result<void> check(const program::Model& model, const Question& question);

struct Placement {
  std::int32_t nodes = 1, ranks_per_node = 1;
};
/// Places ranks block by block, ranks_per_node to a node (default: as many as the cores allow).
Placement place(const machine::Machine& machine, const Question& question);

/// Returns parameter -> value / nearest end of the recorded range, for parameters outside it. "p" is the
/// process count.
std::map<std::string, double> extrapolation(const program::Model& model, const program::Point& point);

/// Returns the warnings that follow from model, machine and question alone.
std::vector<Warning> question_warnings(const program::Model& model, const machine::Machine& machine,
                                       const Question& question);

/// The same at many points, which share all of the question but the point and its ranks per node. What no
/// point changes is computed once. Model and machine must outlive this. Safe for concurrent use.
class QuestionWarnings {
 public:
  QuestionWarnings(const program::Model& model, const machine::Machine& machine, const Question& question);
  ~QuestionWarnings();

  /// `memory`: of the fullest node, where it is known (memory.h).
  std::vector<Warning> at(const Question& question, const std::optional<Estimate>& memory) const;

 private:
  struct Constant;
  std::unique_ptr<const Constant> constant_;
};

/// Returns warnings "part-ignored" for sections of the machine file that an engine ignores, when messages are
/// sent.
std::vector<Warning> ignored_parts(std::string_view engine, const machine::Machine& machine,
                                   const Question& question);

/// Returns the MPI library of each recording; empty strings where it is unknown.
std::vector<std::string> libraries_of(const program::Model& model);
/// Returns a warning when some of these libraries differ, in name or version, from the library with which the
/// machine was measured. Returns nothing when either is unknown.
std::vector<Warning> library_warnings(const std::vector<std::string>& libraries,
                                      const machine::Machine& machine);

/// Appends the warnings of `more` that `all` does not contain yet.
void add_unique(std::vector<Warning>& all, const std::vector<Warning>& more);
/// Appends the model's notices, except those whose code already has a warning with the question's own
/// numbers.
void add_notices(const program::Model& model, std::vector<Warning>& out);

/// Returns whether computing times of the recordings' machine are valid on this one without scaling.
bool same_processor(const std::string& recorded_on, const machine::Machine& machine);

}  // namespace parcast::predict
