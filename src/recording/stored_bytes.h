// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values in the bytes of a recording's files.

#include <algorithm>
#include <cstring>
#include <string_view>

namespace parcast::recording {

template <class T>
T load(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Returns whether all bytes are zero.
inline bool is_blank(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

}  // namespace parcast::recording
