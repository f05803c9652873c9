// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model as far as it matters where it is asked. A count may be ambiguous only because a variable was seen at too few
// values; at one of these values, where all its candidates are one and the same, that is no doubt about it. Likewise a
// count that is ambiguous only because all recordings lie on a lattice (lattice.h) is exact on that lattice.

#include "model/binding.h"
#include "model/model.h"

namespace parcast::program {

/// The model at `point`. An ambiguous count becomes exact when the variables that it is open in have there values at which
/// recordings established the others (Count::settling), when with these its candidates are equal for every rank and
/// whatever the other variables are, and when the point is on the lattice of these recordings. An exact count becomes
/// ambiguous where a parameter is negative or a fraction that never was. A count that would be negative is 0, a measure of
/// work that would not be positive is the least recorded, or 1.
Model settled(Model model, const Point& point);

/// The same for any point like the recorded ones: what never varied keeps its value, and the lattice is kept.
Model settled_as_recorded(Model model);

/// Whether a count would be settled at the point if it were on the lattice.
bool held_back_by_lattice(const Model& model, const Point& point);

}  // namespace parcast::program
