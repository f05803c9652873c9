// SPDX-License-Identifier: Apache-2.0
#pragma once
// Contributions of a model's checks to an answer: a summary, warnings, and an interval that contains the
// errors that the checks found. docs/models/checks.md.

#include "predict/forward_evidence.h"
#include "predict/prediction.h"

namespace parcast::predict {

/// Returns nothing for a model that was not checked.
std::optional<CheckSummary> summary_of(const program::Checks& checks);

/// What the checks of one model contribute to answers at many points. The model must outlive this.
class CheckEvidence {
 public:
  explicit CheckEvidence(const program::Model& model);

  /// Returns a warning "recording-missed" when the model differs from the recordings nearest to the point by
  /// more than 10 %. It gives the difference and the segment with the largest one. Total times are compared
  /// on the machine of the checks, computing on other machines.
  std::vector<Warning> warnings(const program::Point& point, const std::string& machine) const;

  /// Sets the summary. Widens the interval (and of_program, node hours, and the probability of the limit)
  /// when the checks found larger errors than it contains.
  void hold(Prediction& prediction) const;

 private:
  const program::Model& model_;
  std::optional<CheckSummary> summary_;
  ForwardEvidence forward_;
};

/// The same for one point.
std::vector<Warning> check_warnings(const program::Model& model, const program::Point& point,
                                    const std::string& machine);
void hold_checks(const program::Model& model, Prediction& prediction);

}  // namespace parcast::predict
