// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a simulation tells beyond its time, where it was asked for: where the time goes in the program, who sends to whom, and
// the critical path.

#include <string>

#include "predict/simulate/critical_path.h"
#include "predict/simulate/pairs.h"
#include "predict/simulate/profile.h"
#include "report/simulation_text.h"
#include "report/style.h"

namespace parcast::report {

/// "MPI_Send", or what it does where the call is not known.
std::string call_at(const trace::Trace& trace, const simulate::Site& site);
/// "" where it is not known.
std::string region_at(const trace::Trace& trace, const simulate::Site& site);
/// "halo.c:12", or the function.
std::string where_at(const trace::Trace& trace, const simulate::Site& site);
std::string_view path_kind_name(simulate::PathKind kind);

/// The twelve rows that take most, or `all`.
std::string regions_text(const Simulated& simulated, const simulate::Profile& profile, const Style& style, bool all);
std::string pairs_text(const simulate::Pairs& pairs, const Style& style, bool all);
std::string path_text(const Simulated& simulated, const simulate::CriticalPath& path, const Style& style, bool all);

/// Columns region, call, where, ranks, calls, compute, communication, idle (seconds, of all ranks), messages, bytes, ...
std::string regions_csv(const trace::Trace& trace, const simulate::Profile& profile);
/// A row per PairRun: first, length, every, blocks, offset, collectives, messages, bytes.
std::string pairs_csv(const simulate::Pairs& pairs);

}  // namespace parcast::report
