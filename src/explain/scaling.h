// SPDX-License-Identifier: Apache-2.0
#pragma once
// Describes how the answer changes with the number of processes alone.

#include "explain/explain.h"

namespace parcast::explain {

/// Derives the efficiency from the prediction and the model's own value on one process; nothing if there is
/// none.
std::optional<Efficiency> efficiency(const program::Model& model, const machine::Machine& machine,
                                     const predict::Prediction& prediction);

/// Searches powers of two up to 64 times the larger of the requested and recorded process counts.
std::vector<Crossover> crossovers(const program::Model& model, const machine::Machine& machine,
                                  const predict::Question& question);

/// `seconds`: the answer at the question's point. An integer value grows to an integer. Parameters without a
/// value there are left out.
Result<std::vector<Growth>> growth(const program::Model& model, const machine::Machine& machine,
                                   const predict::Question& question, double seconds);

/// Returns the bytes of the data of rank 0; nothing if the model does not define them.
std::optional<double> footprint(const program::Model& model, const program::Point& point);
/// Returns the integers between 1 and 2^30 at which these data no longer fit a cache of the machine, or its
/// memory per node.
std::vector<CacheStep> cache_steps(const program::Model& model, const machine::Machine& machine,
                                   const program::Point& point);

}  // namespace parcast::explain
