// SPDX-License-Identifier: Apache-2.0
#pragma once
// A mean over ranks and the largest of any rank, if both were measured. The mean describes the amount of
// work, the largest the duration, since all ranks wait for the slowest.

#include "fit/fit.h"

namespace parcast::fit {

/// Adds to each mean's predictions those of the largest rank, which are never below the mean's. If the two
/// formulas cross, the value and upper end of the larger one become the mean's, with a warning.
void join_ranks(Fits& fits);

}  // namespace parcast::fit
