// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a model's checks add to an answer: a summary, warnings, and an interval that holds what the checks missed.
// docs/models/checks.md.

#include "predict/prediction.h"

namespace parcast::predict {

/// Nothing of a model that was not checked.
std::optional<CheckSummary> summary_of(const program::Checks& checks);

/// Code "recording-missed", where the model misses the recordings nearest to the point by more than 10 %: by how much, and
/// the piece that misses most. Total times are compared on the machine of the checks, computing on others.
std::vector<Warning> check_warnings(const program::Model& model, const program::Point& point, const std::string& machine);

/// Widens the interval, its part of the program, and what follows from them, where the checks missed more than these hold.
void hold_checks(const program::Model& model, Prediction& prediction);

}  // namespace parcast::predict
