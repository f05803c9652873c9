// SPDX-License-Identifier: Apache-2.0
#pragma once
// All measured points of a machine as rows, for other tools.
//
//   table,processes,bytes,value,unit,standard_error,samples,low_quartile,high_quartile,outliers
//   allreduce,2,8,1.22e-06,s,2e-08,640,1.2e-06,1.25e-06,3
//   load,1,4096,1.05e-09,s,,,,,

#include <string>

#include "machine/machine.h"

namespace parcast::report {

/// By table, processes and size as in the machine's file. `load` (seconds per dependent load) and `stream` (bytes per second and core) are
/// the sweep over working sets, on so many active cores. What is not known is empty.
std::string machine_points_csv(const machine::Machine& machine);

}  // namespace parcast::report
