// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model as far as it matters where it is asked. A count may be ambiguous only because a variable was seen at too few
// values; at one of these values, where all its candidates are one and the same, that is no doubt about it.

#include "program/binding.h"
#include "program/model.h"

namespace parcast::program {

/// The model with every ambiguous count made exact that holds at `point`: the variables that it is open in have there
/// values that one recording had together, and with these its candidates are equal for every rank and whatever the
/// other variables are.
Model settled(Model model, const Point& point);

/// The same with only those variables fixed that never varied: what is known while they keep their value.
Model settled_where_nothing_varied(Model model);

}  // namespace parcast::program
