// SPDX-License-Identifier: Apache-2.0
#pragma once
// At which further size of a message a cost would be measured to most use.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "calibrate/segments.h"

namespace parcast::calibrate {

/// `curve`: one group's observations by ascending size, each size once. Between two neighbours the cost is least sure where the
/// slopes left and right of them disagree most, in standard errors of the difference: at a jump, or where the law bends. The
/// size half way (by ratio) between those two, a multiple of 8 bytes; nothing where all slopes agree, or where the neighbours
/// are within a tenth of each other already. docs/models/communication.md, "Sizes".
std::optional<double> least_sure_size(std::span<const Observation> curve);

/// Sizes for a check of the fit of table `name`: about `count`, the same for the same name, spread by ratio over 8 .. `largest` bytes and drawn
/// at random there, multiples of 8, ascending, none of them a power of two.
std::vector<int> sizes_kept_out(std::string_view name, int count, int largest);

}  // namespace parcast::calibrate
