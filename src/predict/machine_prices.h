// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a written program computes in operations, priced by a machine. docs/formats/program.md, "Computing".
//
//   operations          1 / core_speed each
//   classes             seconds each with many under way; to where each waits for the one before goes the interval
//   bytes gone through  max(0, 1/B(F) - 1/B(0)) each, F the declared data of a process (pure_costs.md)

#include "machine/machine.h"
#include "model/model.h"

namespace parcast::predict {

bool needs_prices(const program::Model& model);

/// The model with seconds alone; as it is where it needs no prices. An error names what the machine does not know.
Result<program::Model> with_machine_prices(const program::Model& model, const machine::Machine& machine);

}  // namespace parcast::predict
