// SPDX-License-Identifier: Apache-2.0
#pragma once
// Noise from execution to execution, relative to the duration of an execution. Disturbances at random times
// add up as the square root of the duration, so their part of it falls. docs/models/segments.md, "Differences
// between ranks".

#include <span>

#include "model/model.h"

namespace parcast::program {

struct NoiseOfRun {
  double seconds = 0;  // mean of an execution, > 0
  double noise = 0;    // relative standard deviation of an execution
  double weight = 0;
};

/// Returns the law of these runs. Its `noise` is their weighted mean where all take equally long. The prior
/// of the exponent is 1/2 +- 1/4; the result is a multiple of 1/4 from 0 to 1.
NoiseLaw noise_law(std::span<const NoiseOfRun> runs);

}  // namespace parcast::program
