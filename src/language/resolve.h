// SPDX-License-Identifier: Apache-2.0
#pragma once
// Resolves calls and probabilities in a program. Definitions are inserted where they are called, as regions
// with their names. A loop in which an `if probability` communicates becomes two loops: first the rounds in
// which it is true, then the others.

#include "language/syntax.h"

namespace parcast::program::written {

bool communicates(const Statement& statement);
bool communicates(const std::vector<Statement>& block);

/// Returns an error for definitions that do not exist or call themselves, and for probabilistic communication
/// that is not inside a `repeat`. `assumptions` receives one sentence for each assumption.
Result<std::vector<Statement>> resolve(const Program& program, const Source& source,
                                       std::vector<std::string>& assumptions);

}  // namespace parcast::program::written
