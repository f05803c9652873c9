// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an operation of a written program is called in MPI, and what it is to a model and to a trace.

#include <string_view>

#include "language/syntax.h"

namespace parcast::program::written {

std::string_view call_name(const Statement& operation);
recording::CallClass call_class(const Statement& operation);
Synchronisation synchronisation(const Statement& operation);
/// Whom it exchanges with, as Node::relation and Node::amounts.
std::pair<PeerRelation, std::vector<std::int64_t>> relation(const Statement& operation);

}  // namespace parcast::program::written
