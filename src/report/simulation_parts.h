// SPDX-License-Identifier: Apache-2.0
#pragma once
// Optional parts of a simulation's report: the time by regions of the program, the messages between pairs of
// ranks, and the critical path.

#include <string>

#include "predict/simulate/critical_path.h"
#include "predict/simulate/pairs.h"
#include "predict/simulate/profile.h"
#include "report/simulation_text.h"
#include "report/style.h"

namespace parcast::report {

/// Returns e.g. "MPI_Send", or a description of the operation if the call is not known.
std::string call_at(const trace::Trace& trace, const simulate::Site& site);
/// Returns the region; empty if it is not known.
std::string region_at(const trace::Trace& trace, const simulate::Site& site);
/// Returns e.g. "halo.c:12", or the function.
std::string where_at(const trace::Trace& trace, const simulate::Site& site);
std::string_view path_kind_name(simulate::PathKind kind);

/// Return the twelve largest rows, or all with `all`.
std::string regions_text(const Simulated& simulated, const simulate::Profile& profile, const Style& style,
                         bool all);
std::string pairs_text(const simulate::Pairs& pairs, const Style& style, bool all);
/// Names the region with most of the time and its remote accesses, in a line; empty without such accesses.
std::string longest_region_text(const Simulated& simulated, const simulate::Profile& profile);
std::string path_text(const Simulated& simulated, const simulate::CriticalPath& path, const Style& style,
                      bool all);

/// Returns the columns region, call, where, ranks, calls, compute, communication, idle (seconds, of all
/// ranks), messages, bytes, ..., accesses, access_bytes.
std::string regions_csv(const trace::Trace& trace, const simulate::Profile& profile);
/// Returns a row per PairRun: first, length, every, blocks, offset, collectives, messages, bytes.
std::string pairs_csv(const simulate::Pairs& pairs);

}  // namespace parcast::report
