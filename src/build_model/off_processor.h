// SPDX-License-Identifier: Apache-2.0
#pragma once
// How long the ranks of recorded runs were not on a processor: something else ran there, or they slept.

#include <vector>

#include "observations/traces.h"
#include "recording/recording.h"

namespace parcast::program {

inline constexpr double kMuchOffProcessor = 0.1;  // of a run: reported, and its times are doubted

/// Returns per recording the time between calls that its ranks were not on a processor, divided by all their
/// time. Zero for more processes than cores and for parts of cores, where ranks wait for a processor anyway,
/// and for ranks of several threads, whose times overlap.
std::vector<double> off_processor_shares(const std::vector<recording::Recording>& recordings,
                                         const Traces& traces);
double off_processor_share(const recording::Recording& recording, const RunTotals& totals);

}  // namespace parcast::program
