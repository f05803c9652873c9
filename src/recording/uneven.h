// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names the collectives in which each member may contribute a different amount.

#include <string_view>

namespace parcast::recording {

/// Returns true for MPI_Allgatherv, MPI_Ialltoallw, ...
constexpr bool is_uneven(std::string_view call) {
  return call.ends_with("gatherv") || call.ends_with("scatterv") || call.ends_with("alltoallv") ||
         call.ends_with("alltoallw");
}

}  // namespace parcast::recording
