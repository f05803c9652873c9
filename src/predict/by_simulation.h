// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine `simulate`. It unrolls the model's structure into a trace at the requested point and simulates
// the trace message by message. Uncertain inputs are varied for the interval. docs/models/intervals.md, "By
// simulation".

#include "predict/prediction.h"

namespace parcast::predict {

/// Parts and regions are those of the critical path. Fails when the model has no structure, or none at this
/// point. A deadlock is an answer, with the ranks that wait.
const Engine& simulate_engine();

}  // namespace parcast::predict
