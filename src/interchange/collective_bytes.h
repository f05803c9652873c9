// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes of a collective in two conventions. A recording holds the bytes that a rank contributes and the bytes
// that it ends up with. OTF2, as Score-P writes it, holds the bytes that would cross the network if every
// pair of ranks exchanged its part, including each rank with itself: the root of a broadcast of b bytes to n
// ranks sends n b. docs/formats/otf2.md has the table.

#include <cstdint>
#include <string_view>

#include "recording/recording.h"

namespace parcast::interchange {

struct CollectiveBytes {
  std::uint64_t sent = 0, received = 0;
  bool operator==(const CollectiveBytes&) const = default;
};

/// Position of a rank in a collective.
struct Place {
  recording::Pattern pattern = recording::Pattern::none;
  bool exclusive = false;     // MPI_Exscan
  bool root = false;          // this rank is the root
  std::uint64_t members = 1;  // ranks in the communicator (of an intercommunicator: ranks in the other group)
  std::uint64_t rank = 0;     // rank of this process in the communicator
};

/// Returns whether a call's name is that of MPI_Exscan or MPI_Iexscan.
bool is_exclusive(std::string_view call);

CollectiveBytes exchanged(const Place& place, CollectiveBytes own);
/// The inverse of exchanged(). Byte counts that no rank could have written are rounded down.
CollectiveBytes contributed(const Place& place, CollectiveBytes exchanged);

}  // namespace parcast::interchange
