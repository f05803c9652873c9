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

/// `seconds`: as asked. A whole number grows to a whole number; without parameters that have a value there.
Result<std::vector<Growth>> growth(const program::Model& model, const machine::Machine& machine, const predict::Question& question, double seconds);

/// The data of rank 0, in bytes; nothing when the model does not tell.
std::optional<double> footprint(const program::Model& model, const program::Point& point);
/// Whole values between 1 and 2^30 at which these data leave a cache of the machine, or its memory per node.
std::vector<CacheStep> cache_steps(const program::Model& model, const machine::Machine& machine, const program::Point& point);

}  // namespace parcast::explain
