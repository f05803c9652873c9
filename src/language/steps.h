// SPDX-License-Identifier: Apache-2.0
#pragma once
// The structure of a written program: its operations, loops and conditions as steps, and the computing
// between any two operations that may follow each other. The simulation generates its traces from the
// structure.

#include "language/syntax.h"

namespace parcast::program::written {

/// `statements`: resolved. The error points to a statement that a structure cannot express.
Result<Structure> structure_of(const std::vector<Statement>& statements, const Source& source,
                               std::vector<std::string> assumptions);

}  // namespace parcast::program::written
