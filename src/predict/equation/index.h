// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "model/model.h"

namespace parcast::predict {

/// Returns the position of a node of the model.
inline std::size_t index(program::NodeId id) {
  return static_cast<std::size_t>(id);
}

}  // namespace parcast::predict
