// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formulas of a model as people write them: "steps*(N + 2) where rank >= 1". Model files keep the symbols of model.h.

#include <string>

#include "symbolic/expression.h"

namespace parcast::program {

/// r becomes rank; in a process grid of two or three dimensions the extents become px, py, pz and this rank's place x, y, z.
/// Symbols stay as they are where a parameter has one of these names, or where the formula has grids of both kinds.
std::string formula_text(const symbolic::Expression& formula);

}  // namespace parcast::program
