// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages whose size depends on data (particles that leave a subdomain) rarely have the same size twice, so
// an order of operations that repeats looks as if it did not. Here they get their mean size.

#include <string>
#include <vector>

#include "structure/tokens.h"

namespace parcast::program {

/// Gives operations of one rank that differ in bytes alone their mean bytes, so the bytes of each rank, call
/// and partner stay the same in sum, to half a byte per operation. Returns an assumption that names the
/// calls; empty: no size was changed.
std::string level_sizes(std::vector<TracedRun>& runs);

}  // namespace parcast::program
