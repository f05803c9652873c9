// SPDX-License-Identifier: Apache-2.0
#pragma once
// Predictions from solutions of the equation: parts, regions, intervals, warnings. What no point of a plan
// changes is computed once.

#include "predict/check_evidence.h"
#include "predict/equation/solve.h"
#include "predict/equation/uncertainty.h"
#include "predict/memory.h"
#include "predict/question.h"

namespace parcast::predict {

/// Answers the questions of one plan. The plan's model and machine, and `given`, must outlive this. Safe for
/// concurrent use.
class Answers {
 public:
  /// `given`: the machine of the questions, whose system the plan's machine may lack (flat_system.h).
  /// `question`: any of the questions.
  Answers(std::shared_ptr<const Plan> plan, const machine::Machine& given, const Question& question);

  const std::shared_ptr<const Plan>& plan() const { return plan_; }

  enum class Regions { kept, left_out };
  /// `asked`: the question that is solved, or that for `given` where the plan's machine is another one.
  Prediction answer(const Question& question, const Question& asked, const Solution& solution,
                    Regions regions) const;

  /// Returns the warnings of an answer, except those about parts of `given` that the engine ignores.
  std::vector<Warning> warnings(const Question& question, const Solution& solution,
                                const Uncertainty& uncertainty, const std::optional<Estimate>& memory) const;

 private:
  /// A warning of several formulas for a count; warnings with the same number are alike.
  struct Doubt {
    std::size_t number = 0;
    Warning warning;
  };
  void find_doubts();

  std::shared_ptr<const Plan> plan_;
  const machine::Machine& given_;
  QuestionWarnings of_question_;
  CheckEvidence checks_;
  MemoryOfNode memory_;
  SegmentDeviations deviations_;
  std::string without_savings_;
  std::vector<std::optional<Doubt>> doubts_;  // by contribution
};

}  // namespace parcast::predict
