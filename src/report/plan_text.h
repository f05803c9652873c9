// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of `parcast plan --next`: the current answer, and the runs that would narrow it, as text and as
// JSON (docs/formats/report.md).
//
//   time at p = 1024, n = 100                          next run
//
//     41.3 s      30.2 .. 58.1 (90 %)      4 doublings beyond the data
//
//     run            costs                      between  narrower  interval then
//     p = 256  2.10 core-h  1.70 core-h and 2.60 core-h      38 %   33.9 .. 50.8
//
//     p = 256 separates 3.02e-08 n^2 p^-1 (61 %) from 0.21 + ... (22 %): 3.10 s or 4.50 s; leaves 2.0
//     doublings
//       beyond the data instead of 4.0

#include <string>

#include "plan/advise.h"
#include "report/style.h"

namespace parcast::report {

std::string plan_text(const plan::Advice& advice, const Style& style);
/// Returns the advice as parcast.plan/1.
std::string plan_to_json(const plan::Advice& advice);

}  // namespace parcast::report
