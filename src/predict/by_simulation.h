// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine `simulate` as one that answers questions: the model's structure is unrolled into a trace at the point asked
// for, and simulated message by message; what nobody knows exactly is varied. docs/models/intervals.md, "By simulation".

#include "predict/prediction.h"

namespace parcast::predict {

/// Parts and regions are those of the critical path. An error where the model has no structure, or none at this point; and
/// where ranks would wait for ever, with what they wait for.
const Engine& simulate_engine();

}  // namespace parcast::predict
