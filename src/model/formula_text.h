// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formulas of a model in readable form: "steps*(N + 2) where rank >= 1". Model files keep the symbols of
// model.h.

#include <string>
#include <vector>

#include "symbolic/expression.h"

namespace parcast::program {

/// Returns the formula with readable names. r becomes rank. In a process grid of two or three dimensions the
/// extents become px, py, pz and the coordinates of this rank x, y, z. The number of dimensions of 2 ranks or
/// more becomes dims, of 3 ranks or more dims3, and that of the rank's neighbours in a grid with ends
/// neighbours. Symbols keep their names if a parameter has one of these names, or if the formula has grids of
/// both kinds.
std::string formula_text(const symbolic::Expression& formula);
/// Returns which of dims, dims3 and neighbours are in the formula's text.
std::vector<std::string> names_of_sums(const symbolic::Expression& formula);

}  // namespace parcast::program
