// SPDX-License-Identifier: Apache-2.0
#pragma once
// Designs and the values of expressions at a place, for tests: every combination of parameter values and
// process counts.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/binding.h"
#include "model/place.h"

namespace parcast::program::testing {

/// Returns the design of all combinations of the parameters' values and the process counts.
Design full_design(const std::vector<std::string>& names, const std::vector<std::vector<double>>& values,
                   const std::vector<std::int32_t>& processes, const std::vector<ProcessGrid>& grids = {});

/// Returns one value per cell of the design.
std::vector<std::int64_t> observe(const Design& design,
                                  const std::function<std::int64_t(const Place&)>& truth);

/// Returns the value of every symbol at a place of a design.
symbolic::Binding symbols_at(const Design& design, const std::vector<double>& parameters,
                             std::int32_t processes, std::int32_t rank);

}  // namespace parcast::program::testing
