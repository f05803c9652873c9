// SPDX-License-Identifier: Apache-2.0
#pragma once
// Generates the trace of a run that never took place from a model's structure. docs/models/structure.md.

#include <map>
#include <optional>

#include "model/binding.h"
#include "structure/rank_words.h"

namespace parcast::program {

/// Evaluates the steps of a structure at a point, rank by rank.
class StepEvaluation {
 public:
  /// `model` holds the structure, and must outlive this.
  StepEvaluation(const Model& model, Point point) : model_(model), point_(std::move(point)) {}

  /// Evaluates the steps at a rank. The error names a parameter without a value, or an expression without a
  /// value at that rank.
  Result<void> at(const Place& place, std::vector<StepValues>& values);
  /// Returns the steps for which several formulas for rounds or bytes hold and differ here, by their id.
  const std::map<std::uint32_t, std::string>& doubtful() const { return doubtful_; }

 private:
  /// Values of an expression, so that one that is equal for all ranks, or for those with equal coordinates,
  /// is evaluated once.
  struct Known {
    // Dimensions and dimension of the coordinates that it depends on.
    std::vector<std::pair<int, int>> coordinates;
    bool by_rank = false, examined = false;
    std::map<std::vector<std::int64_t>, double> values;
  };
  Result<double> value(const Count& count, const Place& place, const Step& step);
  Result<double> value(const symbolic::Expression& expression, const Place& place);
  template <class Evaluate>
  Result<double> once(const symbolic::Expression& expression, std::uint32_t step, const Place& place,
                      Evaluate evaluate);
  Result<void> fill_period(const Step& step, StepValues& of) const;
  Result<void> fill(const std::vector<Step>& steps, const Place& place, std::vector<StepValues>& values);

  const Model& model_;
  Point point_;
  std::map<std::pair<const symbolic::Node*, std::uint32_t>, Known> counts_, times_;  // times have step 0
  std::map<std::uint32_t, std::string> doubtful_;
};

/// Generates the trace. Equal ranks share their sequence, so memory grows with the number of different ranks.
/// Returns an error if the structure was not found (except for p = 1, which then only computes), if p is
/// outside the known range of the grid, or if no rules that hold for all recordings give each message a
/// receive. The trace's assumptions include the chosen rules.
Result<trace::Trace> generate(const Model& model, const Point& point);

/// Returns one rank's sequence with given values: one for each step, and one for the end.
Result<trace::Sequence> sequence_of(const Structure& structure, const std::vector<StepValues>& values,
                                    const Place& place, RankWords& words);

/// Returns what a trace of copies of a recorded run takes for granted; empty for one by rules. It is among
/// the assumptions of a generated trace.
std::string copies_text(const Structure& structure, const Point& point);

/// Returns sentences about the distance of the point from the recordings, and about their conditions. They
/// are among the assumptions of a generated trace.
std::vector<std::string> range_sentences(const Model& model, const Point& point);

}  // namespace parcast::program
