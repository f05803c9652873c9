// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes the parts of a program's computing and the whole agree. Segments are fitted one by one, and so are
// the sums of all segments of the program and of large regions (program::Forecast). The sum of many fitted
// pieces may miss what the whole shows, and the other way round: the forward check decides. Where the parts
// failed and the whole did not, the reconciled times depart least from all of these, weighted by their
// variances, and add up (minimum trace: Wickramasuriya, Athanasopoulos, Hyndman, JASA 2019, with a diagonal
// covariance on a tree). docs/models/reconciliation.md.

#include <optional>
#include <vector>

#include "model/binding.h"
#include "model/model.h"

namespace parcast::predict {

/// A forecast with its relative standard deviation.
struct Weighed {
  double value = 0, deviation = 0;
};

/// A group: its own forecast, if there is one, and its parts, which are values or other groups.
struct Group {
  std::optional<Weighed> whole;
  double error_of_parts = 0;        // relative, least deviation of the sum of the parts
  std::vector<std::size_t> parts;   // indices of values
  std::vector<std::size_t> groups;  // indices of groups, each larger than its own
};

/// Returns the reconciled values. They are not negative, and a value of 0 stays 0.
std::vector<double> reconciled_values(const std::vector<Weighed>& values, const std::vector<Group>& groups);

/// Returns whether the forward check showed that a total is better forecast as such than by the sum of its
/// parts. Errors are those of program::Forecast. Without such evidence the parts stay as they are.
bool is_better_as_a_whole(double error, double error_of_parts);

/// Returns the model with segments reconciled for a point, and without forecasts. If that changed their sum,
/// it has a notice of code "reconciled", or "reconciled-far" from a factor of two. Counts of `model` are
/// resolved (model/resolved.h).
program::Model reconciled(program::Model model, const program::Point& point);
/// Returns whether forecasts correct the segments of this model.
bool is_reconciled(const program::Model& model);

/// Returns the group of each forecast, in their order, as yet without `whole` and errors. Parts are segments.
std::vector<Group> groups_of(const program::Model& model);

/// Returns the model that answers a question at a point: its counts are resolved, then it is reconciled.
program::Model model_at(const program::Model& as_built, const program::Point& point);

}  // namespace parcast::predict
