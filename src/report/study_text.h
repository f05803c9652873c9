// SPDX-License-Identifier: Apache-2.0
#pragma once
// The last screen of `parcast study`: the answer with its interval, what dominates, what limits its accuracy,
// measured runs with their predictions, and the next command.
//
//   shallow_water, 8 processes, N = 512, on here                                  auto
//
//     374 ms      285 .. 494 (90 %, +-28 %)      interpret: 381 ms
//
//     what dominates                     ms  share
//     compute before MPI_Allreduce    109.9    29%
//
//     what limits the accuracy
//       N is 2 times the largest recorded: record a run at N = 362 (61 %)
//
//     measured  predicted  interval      where
//      420 ms     374 ms   285 .. 494    p = 2, N = 512      inside
//
//     9 runs, 12.3 s; stopped: no run of the budget narrows it by 5 %
//     next: parcast explain app.study/app.model.json ...

#include <string>
#include <vector>

#include "report/style.h"
#include "study/study.h"

namespace parcast::report {

/// Returns the screen. `name`: the folder of the study, as the user names it.
std::string study_text(const study::Outcome& outcome, const std::string& name, const Style& style);

/// Returns the command that the user would most likely run next, and what it does.
struct NextCommand {
  std::string command, purpose;
};
NextCommand next_command(const study::Outcome& outcome, const std::string& name);

/// Returns parcast.study/1. `files`: those that were written into the folder, by what they are.
std::string study_to_json(const study::Outcome& outcome, const std::string& name,
                          const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace parcast::report
