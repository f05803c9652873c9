// SPDX-License-Identifier: Apache-2.0
#pragma once
// Points in time as files and people write them (ISO 8601). They decide whether a prediction was stored
// before the run was measured.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parcast::store {

/// Microseconds since 1970-01-01T00:00:00Z.
struct Instant {
  std::int64_t microseconds = 0;
  friend constexpr auto operator<=>(Instant a, Instant b) = default;
};

/// 2026-11-21T08:35:47.123456Z: fixed width, so that texts sort like the instants.
std::string to_string(Instant instant);
Instant now();

/// The interval that a written time denotes. A time without a fraction is some moment of its second; `latest`
/// is the last such moment. For coarser times (a date, hours and minutes), both ends are the start.
struct WrittenTime {
  Instant earliest, latest;
  bool zoned = false;  // false: no zone was given, the time is taken as UTC
};

/// Reads 2026-11-21, 2026-11-21T08:35, 2026-11-21 08:35:47, 2026-11-21T08:35:47.123Z, ...+01:00, ...-0530.
Result<WrittenTime> parse_time(std::string_view text);

/// Returns the earliest instant of a written time in the format of to_string; empty if the text is not a
/// time.
std::string sortable(std::string_view written);

}  // namespace parcast::store
