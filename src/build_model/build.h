// SPDX-License-Identifier: Apache-2.0
#pragma once
// Builds a model from recordings.

#include <optional>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "recording/recording.h"

namespace parcast::program {

struct RunTotals;  // observations/traces.h

/// Builds one model from recordings of the same program. Returns an error if the programs differ, if no
/// recording has events, or if a parameter given for one recording is missing in another.
Result<Model> build_model(const std::vector<recording::Recording>& recordings);
/// The same from what each recording's events come to; the recordings may have let them go. `totals` are in
/// the order of `recordings`. `grids`: those of the program where the order of its messages showed them; else
/// what recordings and MPI_Dims_create give. `structure`: what the ranks do in order, found in these
/// recordings on these grids; nullptr if it was not searched. It makes counts exact that the totals leave
/// open (ordered_counts.h).
Result<Model> build_model(const std::vector<recording::Recording>& recordings, std::vector<RunTotals> totals,
                          const std::optional<std::vector<ProcessGrid>>& grids = {},
                          const Structure* structure = nullptr);

}  // namespace parcast::program
