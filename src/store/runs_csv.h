// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs (recordings and measurements) as CSV: a row per run, a column per parameter. Columns that `parcast validate` reads too
// have the same names.
//
//   kind,digest,stored_at,tool_version,program,machine,p,nodes,ranks_per_node,threads,seconds,measured_at,path,tags,N
//   recording,3fa9c1...,2026-11-21T08:35:47.123456Z,0.1.0,wave,"AMD EPYC, 2 cores",4,,,,1.75,2026-11-21T08:00:00Z,/data/w.recording,base,64

#include <string>
#include <vector>

#include "base/result.h"
#include "base/csv.h"
#include "store/entry.h"

namespace parcast::store {

/// Other kinds are left out. A parameter that is called like a column stands under "parameter NAME".
std::string runs_to_csv(const std::vector<Entry>& entries);

/// Rows without kind are measurements; measurements without digest get theirs, those with one must have it. Columns that are
/// none of the above are parameters, whose values are numbers or empty. A column that is nearly one of the above is an error.
Result<std::vector<Entry>> runs_from_csv(const Csv& csv);

}  // namespace parcast::store
