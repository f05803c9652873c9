// SPDX-License-Identifier: Apache-2.0
// Does not compile: strings hold pointers.
#include <string>

#include "parcast/collections.h"

std::string first(parcast::DistributedVector<std::string>& words) {
  return words.get(0);
}
