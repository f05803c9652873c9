// SPDX-License-Identifier: Apache-2.0
#pragma once
// The trace of a run that was never made, from a model's structure. docs/models/structure.md.

#include <map>
#include <optional>

#include "model/binding.h"
#include "structure/rank_words.h"

namespace parcast::program {

/// Values of the steps of a structure at a point, for one rank after the other.
class StepEvaluation {
 public:
  /// `model` holds the structure, and outlives this.
  StepEvaluation(const Model& model, Point point) : model_(model), point_(std::move(point)) {}

  /// An error names a parameter without a value, or an expression that has none at that rank.
  Result<void> at(const Place& place, std::vector<StepValues>& values);
  /// Steps of which several formulas for rounds or bytes hold and say different things here, by their id.
  const std::map<std::uint32_t, std::string>& doubtful() const { return doubtful_; }

 private:
  /// An expression that is the same for all ranks, or for those with equal coordinates, is evaluated once.
  struct Known {
    std::vector<std::pair<int, int>> coordinates;  // dimensions and dimension that it depends on
    bool by_rank = false, examined = false;
    std::map<std::vector<std::int64_t>, double> values;
  };
  Result<double> value(const Count& count, const Place& place, const Step& step);
  Result<double> value(const symbolic::Expression& expression, const Place& place);
  template <class Evaluate>
  Result<double> once(const symbolic::Expression& expression, std::uint32_t step, const Place& place, Evaluate evaluate);
  Result<void> fill(const std::vector<Step>& steps, const Place& place, std::vector<StepValues>& values);

  const Model& model_;
  Point point_;
  std::map<std::pair<const symbolic::Node*, std::uint32_t>, Known> counts_, times_;  // times with step 0
  std::map<std::uint32_t, std::string> doubtful_;
};

/// Equal ranks share their sequence; memory grows with the number of those that differ. An error where the
/// structure was not found (but for p = 1, where computing is all that is left), where p is beyond what is
/// known of the grid, or where no rules that hold for all recordings give each message a receive. What rules
/// were chosen is among the trace's assumptions.
Result<trace::Trace> generate(const Model& model, const Point& point);

/// One rank's sequence with given values: one for each step, and one for the end.
Result<trace::Sequence> sequence_of(const Structure& structure, const std::vector<StepValues>& values, const Place& place, RankWords& words);

}  // namespace parcast::program
