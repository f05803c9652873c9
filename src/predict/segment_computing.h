// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computing of a rank by segments, as the model has it on the machine of its recordings.
// docs/models/segments.md.

#include <span>
#include <vector>

#include "base/result.h"
#include "model/binding.h"
#include "model/model.h"

namespace parcast::predict {

/// Seconds of each segment on rank r, the excess of its first execution included; 0 of one without a cost.
/// Without imbalance and noise.
std::vector<symbolic::Expression> computing_by_segment(const program::Model& model);

/// Values of expressions on each rank of a run: expressions.size() columns of p values. Not a number where one has
/// no value.
Result<std::vector<double>> values_by_rank(const program::Model& model, const program::Point& point,
                                           std::span<const symbolic::Expression> expressions);

}  // namespace parcast::predict
