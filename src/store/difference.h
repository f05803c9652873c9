// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where what is to be stored has other parameters than the entry of the same digest that the store keeps: the digest of a recording
// is of its ranks' files, and parameters stand beside them.

#include <map>
#include <string>
#include <string_view>

#include "store/entry.h"

namespace parcast::store {

struct Difference {
  Kind kind = Kind::recording;
  std::string digest;
  std::map<std::string, double> kept, given;

  /// "N: 8 before, 16 now; steps: 5 before, none now" with these words of what is kept and of what is given.
  std::string text(std::string_view of_kept, std::string_view of_given) const;
};

}  // namespace parcast::store
