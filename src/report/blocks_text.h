// SPDX-License-Identifier: Apache-2.0
#pragma once
// The equations of a compiled program's basic blocks: as a table with the share of each tier, as definitions
// in another language, as JSON (docs/formats/report.md, parcast.blocks/1).

#include <span>
#include <string>

#include "model/quantities.h"
#include "report/style.h"
#include "source/counts/equations.h"
#include "symbolic/languages.h"

namespace parcast::report {

/// Returns the table. `all`: every block, not only those that matter.
std::string blocks_text(const program::ProgramEquations& equations, const Style& style, bool all);
/// Returns a table of the quantities that counts consist of: the name, the number of counts that contain it,
/// and its share of the work. Empty without quantities.
std::string quantities_text(std::span<const program::Quantity> quantities, const Style& style);
/// Returns definitions of the executions of each block and of the program's operations by class. Comments
/// above describe each definition.
std::string blocks_in(const program::ProgramEquations& equations, symbolic::Language language);
std::string blocks_to_json(const program::ProgramEquations& equations);

}  // namespace parcast::report
