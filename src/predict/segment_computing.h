// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computing of a rank by segments, in the model's times on the machine of its recordings.
// docs/models/segments.md.

#include <span>
#include <vector>

#include "base/result.h"
#include "model/binding.h"
#include "model/model.h"

namespace parcast::predict {

/// Returns the seconds of each segment on rank r; 0 for a segment without a cost. They include the excess of
/// its first execution, but no imbalance and noise.
std::vector<symbolic::Expression> computing_by_segment(const program::Model& model);

/// Returns the values of expressions on each rank of a run: expressions.size() columns of p values. An
/// expression without a value gives NaN.
Result<std::vector<double>> values_by_rank(const program::Model& model, const program::Point& point,
                                           std::span<const symbolic::Expression> expressions);

}  // namespace parcast::predict
