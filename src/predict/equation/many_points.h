// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers of the equation engine at many points. Points with the same resolved counts, link and placement
// share a plan (plan.h), so that only numbers are left to compute at a point.

#include <span>
#include <vector>

#include "predict/prediction.h"

namespace parcast::predict {

/// Returns the answers in the order of the questions, without regions: else the same as one by one. They do
/// not depend on the number of threads.
std::vector<Result<Prediction>> answer_each(const program::Model& model, const machine::Machine& machine,
                                            std::span<const Question> questions, const Progress& progress);

}  // namespace parcast::predict
