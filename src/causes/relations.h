// SPDX-License-Identifier: Apache-2.0
#pragma once
// The samples behind each phase's relation, gathered from the rows of all runs.

#include "causes/analysis.h"

namespace parcast::causes {

/// Of every phase of computation and communication.
Result<std::vector<PhaseRelation>> relations_of(const Runs& runs, const AnalysisOptions& options);

/// Idle time by delay (Idle::delay), per process, against what is communicated per process. Nothing where no run has any.
std::optional<PhaseRelation> delay_of(const Runs& runs, const AnalysisOptions& options);

/// A question where times per work fall in two groups that are some power of 1000 apart: "3 of 12 runs ... are they told in another unit?"
std::optional<std::string> suspected_unit(const PhaseRelation& relation);

}  // namespace parcast::causes
