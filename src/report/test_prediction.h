// SPDX-License-Identifier: Apache-2.0
#pragma once
// A prediction with all fields set, for the tests of reports.

#include "predict/prediction.h"

namespace parcast::report {

inline predict::Prediction molecular_dynamics() {
  predict::Prediction out;
  out.program = "lmp", out.machine = "here", out.engine = "equation";
  out.question.point = {{{"steps", 2000}}, 16};
  out.ranks_per_node = 16;
  out.seconds = {41.3, 38.1, 45.2, 0.9, "s", Origin::fitted};
  out.parts.compute = {33.9, 31, 37};
  out.parts.message_startup = {1.1, 1, 1.2};
  out.parts.transfer = {3.7, 3.5, 3.9};
  out.parts.wait = {2.6, 2, 3.2};
  out.node_hours = {0.115, 0.106, 0.1256, 0.9, "node-h", Origin::fitted};
  out.extrapolation = {{"p", 4}, {"steps", 10}};
  out.coverage = {{Origin::exact, 0.96}, {Origin::fitted, 0.03}, {Origin::unknown, 0.01}};
  const auto region = [](const char* path, const char* where, double seconds, double wait,
                         const char* executions, Origin origin) {
    predict::RegionTime r;
    r.path = path, r.where = where, r.executions = executions, r.origin = origin;
    r.seconds = {seconds, 0.9 * seconds, 1.1 * seconds};
    r.parts.compute = {seconds - wait}, r.parts.wait = {wait};
    return r;
  };
  out.regions = {region("pair/compute", "pair_lj_cut.cpp:104", 27.1, 2, "steps*(n/px+1)", Origin::exact),
                 region("neighbor/build", "npair_half_bin.cpp:51", 13.9, 0.6, "0.1*steps", Origin::fitted),
                 region("output", "", 0.3, 0, "1", Origin::exact)};
  out.warnings = {{"data-dependent", "steps between rebuilds depend on the data",
                   "one run at steps = 1000 would narrow the answer"}};
  return out;
}

}  // namespace parcast::report
