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
/// Builds the same model from the totals of each recording's events; the recordings may have released their
/// events. `totals` are in the order of `recordings`. `grids`: the process grids, if they follow from the
/// order of the program's messages; without them, those of the recordings and of MPI_Dims_create.
Result<Model> build_model(const std::vector<recording::Recording>& recordings, std::vector<RunTotals> totals,
                          const std::optional<std::vector<ProcessGrid>>& grids = {});

}  // namespace parcast::program
