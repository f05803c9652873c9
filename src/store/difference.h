// SPDX-License-Identifier: Apache-2.0
#pragma once
// The difference in parameters between an entry to be stored and the stored entry with the same digest. It
// can occur because the digest of a recording covers the files of its ranks, but not its parameters.

#include <map>
#include <string>
#include <string_view>

#include "store/entry.h"

namespace parcast::store {

struct Difference {
  Kind kind = Kind::recording;
  std::string digest;
  std::map<std::string, double> kept, given;

  /// Returns "N: 8 before, 16 now; steps: 5 before, none now", with the given words for the kept and the
  /// given values.
  std::string text(std::string_view of_kept, std::string_view of_given) const;
};

}  // namespace parcast::store
