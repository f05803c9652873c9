// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads structures of a rank-N.counts file and verifies their checks. Used by counted_sets.cpp and
// counts_packing.cpp.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "recording/counts_format.h"
#include "recording/records.h"
#include "recording/stored_bytes.h"

namespace parcast::recording {

/// Returns the structure at `place`, if it is present and its check, the high half of word `skip`, is right.
template <class T>
std::optional<T> sealed(std::string_view bytes, std::uint64_t place, std::uint64_t skip,
                        std::uint32_t T::*check) {
  if (bytes.size() < sizeof(T) || place > bytes.size() - sizeof(T)) return std::nullopt;
  const T value = load<T>(bytes, place);
  if (parcast_check(&value, sizeof value / 8, skip, place) != value.*check) return std::nullopt;
  return value;
}

inline std::optional<parcast_counts_row> counts_row(std::string_view bytes, std::uint64_t number) {
  return sealed(bytes, PARCAST_ROWS_PLACE + number * sizeof(parcast_counts_row), 4,
                &parcast_counts_row::check);
}

inline bool header_holds(const parcast_counts_header& header) {
  return parcast_check(&header, offsetof(parcast_counts_header, live) / 8, 1, 0) == header.check;
}

}  // namespace parcast::recording
