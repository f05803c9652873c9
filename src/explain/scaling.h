// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the answer changes with the process count alone.

#include "explain/explain.h"

namespace parcast::explain {

/// From the prediction and the model's own value on one process; nothing when there is none.
std::optional<Efficiency> efficiency(const program::Model& model, const machine::Machine& machine,
                                     const predict::Prediction& prediction);

/// Over powers of two up to 64 times the asked or recorded process count, whichever is larger.
std::vector<Crossover> crossovers(const program::Model& model, const machine::Machine& machine,
                                  const predict::Question& question);

}  // namespace parcast::explain
