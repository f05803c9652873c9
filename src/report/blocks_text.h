// SPDX-License-Identifier: Apache-2.0
#pragma once
// The equations of a compiled program's basic blocks: as a table with the share of each tier, as definitions in another
// language, as JSON (docs/formats/report.md, parcast.blocks/1).

#include <span>
#include <string>

#include "model/quantities.h"
#include "report/style.h"
#include "source/counts/equations.h"
#include "symbolic/languages.h"

namespace parcast::report {

/// `all`: every block, not only those that matter.
std::string blocks_text(const program::ProgramEquations& equations, const Style& style, bool all);
/// What counts are made of, what each is called, in how many counts it stands and in how much of the work; nothing where there are none.
std::string quantities_text(std::span<const program::Quantity> quantities, const Style& style);
/// Executions of each block, and the operations of the whole program by class, each a definition, behind comments that say of what.
std::string blocks_in(const program::ProgramEquations& equations, symbolic::Language language);
std::string blocks_to_json(const program::ProgramEquations& equations);

}  // namespace parcast::report
