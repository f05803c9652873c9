// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formulas of a model in readable form: "steps*(N + 2) where rank >= 1". Model files keep the symbols of
// model.h.

#include <string>

#include "symbolic/expression.h"

namespace parcast::program {

/// Returns the formula with readable names. r becomes rank. In a process grid of two or three dimensions the
/// extents become px, py, pz and the coordinates of this rank x, y, z. The number of dimensions of 2 ranks or
/// more becomes dims, of 3 ranks or more dims3. Symbols keep their names if a parameter has one of these
/// names, or if the formula has grids of both kinds.
std::string formula_text(const symbolic::Expression& formula);
/// Returns whether the formula's text has dims or dims3.
bool counts_dimensions(const symbolic::Expression& formula);

}  // namespace parcast::program
