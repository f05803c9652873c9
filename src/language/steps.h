// SPDX-License-Identifier: Apache-2.0
#pragma once
// The structure of a written program: its operations, loops and conditions as steps, and what is computed between any two operations that
// may follow each other. The simulation's traces are generated from it.

#include "language/syntax.h"

namespace parcast::program::written {

/// `statements`: resolved. An error shows the statement that no structure can express.
Result<Structure> structure_of(const std::vector<Statement>& statements, const Source& source, std::vector<std::string> assumptions);

}  // namespace parcast::program::written
