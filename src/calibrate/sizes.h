// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the message size at which a further measurement of a cost is most useful.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "calibrate/segments.h"

namespace parcast::calibrate {

/// `curve`: the observations of one group by ascending size, each size once. The cost between two neighbours
/// is most uncertain where the slopes to their left and right differ most, in standard errors of the
/// difference: at a jump or a bend. Returns the size half way (by ratio) between these neighbours, as a
/// multiple of 8 bytes. Returns nothing if all slopes agree, or if the neighbours differ by less than a
/// tenth. docs/calibration.md, Messages.
std::optional<double> least_sure_size(std::span<const Observation> curve);

/// Returns about `count` sizes to check the fit of table `name`; the same name gives the same sizes. They are
/// random, spread by ratio over 8 .. `largest` bytes, multiples of 8, ascending, and not powers of two.
std::vector<int> sizes_kept_out(std::string_view name, int count, int largest);

}  // namespace parcast::calibrate
