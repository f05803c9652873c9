// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace parcast::program {

/// One recording as the counts see it.
struct Run {
  std::vector<double> parameters;   // in the order of the model's
  std::int32_t processes = 1;
};

}  // namespace parcast::program
