// SPDX-License-Identifier: Apache-2.0
#pragma once
// Regions, loops and calls of a written program, and the segments of computing between them. The equation is
// built from them.

#include "language/syntax.h"

namespace parcast::program::written {

/// Adds the nodes to the model, which already has its head. `statements`: resolved.
Result<void> add_nodes(const std::vector<Statement>& statements, const Source& source, Model& model);

}  // namespace parcast::program::written
