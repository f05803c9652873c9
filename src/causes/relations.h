// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gathers the samples of each phase's relation from the rows of all runs.

#include "causes/analysis.h"

namespace parcast::causes {

/// Returns the relations of all phases of computation and communication.
Result<std::vector<PhaseRelation>> relations_of(const Runs& runs, const AnalysisOptions& options);

/// Returns idle time by delay (Idle::delay) against communicated amounts, both per process. Nothing if no run
/// has any.
std::optional<PhaseRelation> delay_of(const Runs& runs, const AnalysisOptions& options);

/// Returns a question if times per work form two groups whose ratio is a power of 1000: "3 of 12 runs ... are
/// they given in another unit?"
std::optional<std::string> suspected_unit(const PhaseRelation& relation);

}  // namespace parcast::causes
