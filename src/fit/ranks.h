// SPDX-License-Identifier: Apache-2.0
#pragma once
// A mean over ranks beside the largest of any rank, where both were measured: the mean says how much is done, the largest how long
// it takes, since all wait for the slowest.

#include "fit/fit.h"

namespace parcast::fit {

/// Each mean's predictions get those of the largest rank, which are never below the mean's: where the two formulas cross, the larger
/// one's value and upper end are the mean's, and it is said.
void join_ranks(Fits& fits);

}  // namespace parcast::fit
