// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds a program's structure from traces of a few runs. The traces are aligned, described by rules and
// counts, and measured. Then the structure generates them again, to verify that it reproduces the recordings.
// docs/models/structure.md.

#include "model/structure.h"
#include "structure/tokens.h"

namespace parcast::program {

/// Finds the structure of one program's runs. `parameters` names their values, `grids` holds recorded
/// Cartesian topologies. The error names the place that follows no rule, and the recording that would help.
Result<Structure> find_structure(std::vector<TracedRun> runs, const std::vector<std::string>& parameters,
                                 const std::vector<ProcessGrid>& grids);

struct StructureOnGrids {
  Structure structure;
  std::vector<ProcessGrid> grids;  // grids on which it was found
};

/// Finds a structure on the first of `candidates` (grid_candidates.h), or of the inferred grids, that gives
/// one. If none does, returns the steps of the runs on most processes as recorded (each_rank.h), on the
/// recorded grids and with the reason of the first candidate in `missing`; or, without these, that
/// candidate's error or missing structure.
Result<StructureOnGrids> find_structure_and_grids(std::vector<TracedRun> runs,
                                                  const std::vector<std::string>& parameters,
                                                  std::vector<std::vector<ProcessGrid>> candidates,
                                                  const std::vector<ProcessGrid>& recorded = {});

}  // namespace parcast::program
