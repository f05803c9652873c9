// SPDX-License-Identifier: Apache-2.0
#pragma once
// The MPI name of an operation of a written program, and its class in models and traces.

#include <string_view>

#include "language/syntax.h"

namespace parcast::program::written {

std::string_view call_name(const Statement& operation);
recording::CallClass call_class(const Statement& operation);
Synchronisation synchronisation(const Statement& operation);
/// Returns the partners of an operation, as Node::relation and Node::amounts.
std::pair<PeerRelation, std::vector<std::int64_t>> relation(const Statement& operation);

}  // namespace parcast::program::written
