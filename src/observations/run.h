// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace parcast::program {

/// The point of one recording, as counts use it.
struct Run {
  std::vector<double> parameters;  // in the order of the model's parameters
  std::int32_t processes = 1;
};

}  // namespace parcast::program
