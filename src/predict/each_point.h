// SPDX-License-Identifier: Apache-2.0
#pragma once
// The answers of an engine at many points.

#include <span>
#include <vector>

#include "predict/prediction.h"

namespace parcast::predict {

/// Answers many questions about one program on one machine, in their order: the same as one by one, except
/// that regions may be left out. The equation answers them together, on all processors.
std::vector<Result<Prediction>> predict_each(const Engine& engine, const program::Model& model,
                                             const machine::Machine& machine,
                                             std::span<const Question> questions,
                                             const Progress& progress = {});

}  // namespace parcast::predict
