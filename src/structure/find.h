// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program's structure from traces of a few runs: aligned, described by rules and counts, measured, and generated again to see
// that it gives what was recorded. docs/models/structure.md.

#include "model/structure.h"
#include "structure/tokens.h"

namespace parcast::program {

/// Runs of one program; `parameters` names the values of each, `grids` holds recorded Cartesian topologies. An error names the
/// place that follows no rule, and the recording that would help.
Result<Structure> find_structure(std::vector<TracedRun> runs, const std::vector<std::string>& parameters, const std::vector<ProcessGrid>& grids);

struct StructureOnGrids {
  Structure structure;
  std::vector<ProcessGrid> grids;  // on which it was found
};

/// The same on the first of `candidates` (grid_candidates.h), or of the inferred grids, that gives a structure. An error, or a structure that is missing, is
/// that of the first candidate.
Result<StructureOnGrids> find_structure_and_grids(std::vector<TracedRun> runs, const std::vector<std::string>& parameters,
                                                  std::vector<std::vector<ProcessGrid>> candidates);

}  // namespace parcast::program
