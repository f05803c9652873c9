// SPDX-License-Identifier: Apache-2.0
#pragma once
// Noise of a computation from execution to execution, as a function of its duration. Disturbances that come
// at random times add up as the square root of the duration: their part of it falls. docs/models/segments.md,
// "Differences between ranks".

#include <span>

#include "model/model.h"

namespace parcast::program {

struct NoiseOfRun {
  double seconds = 0;  // mean of an execution, > 0
  double noise = 0;    // relative standard deviation of an execution
  double weight = 0;
};

/// Returns the law of these runs: its `noise` is their weighted mean where all take equally long. How fast
/// noise falls is known beforehand as 1/2 +- 1/4, and is a multiple of 1/4 from 0 to 1.
NoiseLaw noise_law(std::span<const NoiseOfRun> runs);

}  // namespace parcast::program
