// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which collectives let each member contribute another amount.

#include <string_view>

namespace parcast::recording {

/// MPI_Allgatherv, MPI_Ialltoallw, ...
constexpr bool is_uneven(std::string_view call) {
  return call.ends_with("gatherv") || call.ends_with("scatterv") || call.ends_with("alltoallv") || call.ends_with("alltoallw");
}

}  // namespace parcast::recording
