// SPDX-License-Identifier: Apache-2.0
#pragma once
// All measured points of a machine as rows of CSV, for other tools.
//
//   table,processes,bytes,value,unit,standard_error,samples,low_quartile,high_quartile,outliers
//   allreduce,2,8,1.22e-06,s,2e-08,640,1.2e-06,1.25e-06,3
//   load,1,4096,1.05e-09,s,,,,,

#include <string>

#include "machine/machine.h"

namespace parcast::report {

/// Returns the rows by table, processes and size, in the order of the machine's file. `load` (seconds per
/// dependent load) and `stream` (bytes per second and core) are the sweep over working sets; their column
/// `processes` is the number of active cores. Unknown fields are empty.
std::string machine_points_csv(const machine::Machine& machine);

}  // namespace parcast::report
