// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdint>

namespace parcast::recording {

/// Returns a number among the attributes of an entry of debug information, 0 if there is none.
inline int number_of(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  const bool is_there = dwarf_attr(&die, attribute, &found) && dwarf_formudata(&found, &value) == 0;
  return is_there && value <= INT32_MAX ? static_cast<int>(value) : 0;
}

}  // namespace parcast::recording
