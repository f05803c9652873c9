// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes of a collective in two conventions. A recording holds what a rank contributes and what it ends up with; OTF2 as
// Score-P writes it holds what would go over the wire if every pair of ranks exchanged its part, the rank itself included:
// the root of a broadcast of b bytes to n ranks sends n b. docs/formats/otf2.md has the table.

#include <cstdint>
#include <string_view>

#include "recording/recording.h"

namespace parcast::interchange {

struct CollectiveBytes {
  std::uint64_t sent = 0, received = 0;
  bool operator==(const CollectiveBytes&) const = default;
};

/// Where a rank stands in a collective.
struct Place {
  recording::Pattern pattern = recording::Pattern::none;
  bool exclusive = false;     // MPI_Exscan
  bool root = false;          // this rank is
  std::uint64_t members = 1;  // of the communicator (of an intercommunicator's other group)
  std::uint64_t rank = 0;     // of this process in it
};

/// Whether a call's name says that it is MPI_Exscan or MPI_Iexscan.
bool is_exclusive(std::string_view call);

CollectiveBytes exchanged(const Place& place, CollectiveBytes own);
/// The other way round. What no rank could have written is rounded down.
CollectiveBytes contributed(const Place& place, CollectiveBytes exchanged);

}  // namespace parcast::interchange
