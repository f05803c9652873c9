// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "source/facts/facts.h"

namespace parcast::program {

/// Returns whether the block is in the loop or in a loop of its body.
inline bool inside(const facts::Function& function, int block, int loop) {
  for (std::optional<int> at = function.blocks[static_cast<std::size_t>(block)].loop; at;
       at = function.loops[static_cast<std::size_t>(*at)].in)
    if (*at == loop) return true;
  return false;
}

}  // namespace parcast::program
