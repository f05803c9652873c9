// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model as far as it matters where it is asked. A count may be ambiguous only because a variable was seen at too few
// values; at one of these values, where all its candidates are one and the same, that is no doubt about it. Likewise a
// count that is ambiguous only because all recordings lie on a lattice (lattice.h) is exact on that lattice.

#include "program/binding.h"
#include "program/model.h"

namespace parcast::program {

/// The model with every ambiguous count made exact that holds at `point`: the variables that it is open in have there
/// values that one recording had together, with these its candidates are equal for every rank and whatever the other
/// variables are, and the point is on the lattice of the recordings.
Model settled(Model model, const Point& point);

/// The same for any point like the recorded ones: what never varied keeps its value, and the lattice is kept.
Model settled_as_recorded(Model model);

}  // namespace parcast::program
