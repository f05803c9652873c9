// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of `parcast predict`: the answer with its interval, the distribution of the time, and the
// origins of the counts.
//
//   lmp, 16 processes, steps = 2000, on here                             equation
//
//     41.3 s      38.1 .. 45.2 (90 %)      6.9 node-min
//     within 9.4 %: the times of 12 recordings are reproduced within 3 %; p is 4 times the largest recorded
//
//     compute   33.9 s  82 %  #################################
//     messages  4.80 s  12 %  #####  startup 1.10 s, transfer 3.70 s
//     waiting   2.60 s   6 %  ##
//
//     region, lines of pair_lj_cut.cpp  seconds  share  executions           found
//     pair: computing, line 104           27.10    66%  steps*(n/px + 1)...  exact
//     ... 14 more (2 %), --all
//
//     counts (executions, bytes) are exact for 96 % of the time, fitted for 4 % (neighbor: computing, line
//     80) ! steps between rebuilds depend on the data; one run at steps = 1000 would narrow the answer 4 more
//     notes: --notes

#include <string>
#include <vector>

#include "model/binding.h"
#include "predict/prediction.h"
#include "report/style.h"

namespace parcast::report {

/// Returns the text. `all`: every region, not only those that matter.
std::string prediction_text(const predict::Prediction& prediction, const Style& style, bool all = false);
/// Returns the share of the time by origin of its counts, with the largest row of each weaker origin.
std::string origins_of_counts(const predict::Prediction& prediction);
/// Returns e.g. "98 % likely within 24.0 h"; empty without a limit.
std::string within_limit_text(const predict::Prediction& prediction);
/// Returns calls, messages and bytes per rank, with the origin of each that is not exact.
std::string predicted_counts_text(const std::vector<program::PredictedCounts>& counts, const Style& style);

}  // namespace parcast::report
