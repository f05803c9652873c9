// SPDX-License-Identifier: Apache-2.0
#pragma once
// Forward checks applied to a question: the errors of models without the largest runs, extrapolated to the
// requested point. docs/models/checks.md, "What follows for an answer".

#include <optional>
#include <string>
#include <vector>

#include "model/binding.h"
#include "model/model.h"

namespace parcast::predict {

/// Recorded values of p or a parameter, and what the model without the runs at the largest one missed there.
struct CheckedRange {
  std::string name;  // "p", or of a parameter
  double smallest = 0, largest = 0;
  double remaining = 0;      // largest value of the other runs; 0: there is no check
  double growth_missed = 0;  // program::growth_missed; infinite: the check shows nothing
  /// Root mean square over the left-out runs of ln(given by the model of all runs / given): the growth that
  /// the others did not show.
  std::optional<double> growth;
  bool in_costs = true;  // the costs of computing depend on it
};

class ForwardEvidence {
 public:
  explicit ForwardEvidence(const program::Model& model);

  const std::vector<CheckedRange>& ranges() const { return ranges_; }
  /// Root mean square of ln(recorded / given) of the computing: the largest of that of all recordings, and of
  /// those of the runs left out for each variable.
  double noise() const { return noise_; }
  /// Half width of an interval / root mean square of the errors: Student's quantile, with as many degrees of
  /// freedom as runs were left out. Nothing without such runs.
  std::optional<double> quantile(double level) const;

  /// Returns the factor by which the models missed the growth to the largest runs, continued to the point. It
  /// is at least 1.
  double factor(const program::Point& point) const;

  /// Returns the half width, as a logarithm, of an interval of the program's computing at the point. Returns
  /// nothing where the point has a value below the recorded ones, or one above them that no check reaches.
  std::optional<double> half_width(const program::Point& point, double level) const;

 private:
  std::vector<CheckedRange> ranges_;
  double noise_ = 0;
  std::size_t runs_ = 0;
};

}  // namespace parcast::predict
