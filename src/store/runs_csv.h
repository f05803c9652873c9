// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs (recordings and measurements) as CSV: a row per run, a column per parameter. Columns that `parcast
// validate` also reads have the same names.
//
//   kind,digest,stored_at,tool_version,program,machine,p,nodes,ranks_per_node,threads,seconds,
//     measured_at,path,tags,N
//   recording,3fa9c1...,2026-11-21T08:35:47.123456Z,0.1.0,wave,"AMD EPYC, 2 cores",4,,,,1.75,
//     2026-11-21T08:00:00Z,/data/w.recording,base,64

#include <string>
#include <vector>

#include "base/csv.h"
#include "base/result.h"
#include "store/entry.h"

namespace parcast::store {

/// Leaves out other kinds. A parameter with the name of a column gets the column "parameter NAME".
std::string runs_to_csv(const std::vector<Entry>& entries);

/// Rows without a kind are measurements. A measurement without a digest gets one; a given digest must match.
/// Other columns are parameters, whose values are numbers or empty. Fails if a column's name resembles one of
/// the above.
Result<std::vector<Entry>> runs_from_csv(const Csv& csv);

}  // namespace parcast::store
