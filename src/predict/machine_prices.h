// SPDX-License-Identifier: Apache-2.0
#pragma once
// Prices the computing of a written program, given in operations, by a machine. docs/formats/program.md,
// "Computing".
//
//   operations          1 / core_speed each
//   classes             seconds each with many in flight; the interval extends to the seconds when each waits
//                       for the previous one
//   bytes accessed      max(0, 1/B(F) - 1/B(0)) each, F the declared data of a process (pure_costs.md)

#include "machine/machine.h"
#include "model/model.h"

namespace parcast::predict {

bool needs_prices(const program::Model& model);

/// Returns the model with all computing in seconds; unchanged when it needs no prices. The error names the
/// price that the machine lacks.
Result<program::Model> with_machine_prices(const program::Model& model, const machine::Machine& machine);

}  // namespace parcast::predict
