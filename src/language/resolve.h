// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program without calls and without chance: definitions are put where they are called, as regions of their name; a loop in which an
// `if probability` communicates becomes two, first the rounds in which it is true.

#include "language/syntax.h"

namespace parcast::program::written {

bool communicates(const Statement& statement);
bool communicates(const std::vector<Statement>& block);

/// An error for definitions that are not there or that call themselves, and chance that nothing is repeated around. `assumptions`: what is
/// taken for granted, a sentence each.
Result<std::vector<Statement>> resolve(const Program& program, const Source& source, std::vector<std::string>& assumptions);

}  // namespace parcast::program::written
