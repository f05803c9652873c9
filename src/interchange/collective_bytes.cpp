// SPDX-License-Identifier: Apache-2.0
#include "interchange/collective_bytes.h"

#include <algorithm>

namespace parcast::interchange {
namespace {

using recording::Pattern;

/// Multiplies numbers that come from a file; the result saturates at the largest integer.
std::uint64_t times(std::uint64_t bytes, std::uint64_t count) {
  std::uint64_t out;
  return __builtin_mul_overflow(bytes, count, &out) ? UINT64_MAX : out;
}

std::uint64_t each(std::uint64_t bytes, std::uint64_t count) {
  return count ? bytes / count : 0;
}

/// behind(): number of ranks that receive this rank's part of a scan. before(): number of ranks whose parts
/// this rank receives.
std::uint64_t behind(const Place& place) {
  return place.members - std::min(place.members, place.rank + (place.exclusive ? 1 : 0));
}
std::uint64_t before(const Place& place) {
  return place.rank + (place.exclusive ? 0 : 1);
}

CollectiveBytes of_scan(const Place& place, CollectiveBytes moved) {
  const std::uint64_t bytes =
      behind(place) ? moved.sent / behind(place) : each(moved.received, before(place));
  return {bytes, bytes};
}

/// Bytes per rank for a root that keeps its own part in place: n - 1 parts on one side, nothing on the other.
std::uint64_t in_place(const Place& place, std::uint64_t all) {
  return each(all, place.members - 1);
}

CollectiveBytes of_reduction(const Place& place, CollectiveBytes moved) {
  if (!place.root) return moved;
  if (moved.sent == 0 && moved.received > 0 && place.members > 1) {
    const std::uint64_t bytes = in_place(place, moved.received);
    return {bytes, bytes};
  }
  return {moved.sent, each(moved.received, place.members)};
}

CollectiveBytes of_gather(const Place& place, CollectiveBytes moved) {
  if (!place.root || moved.sent > 0 || place.members < 2) return moved;
  const std::uint64_t part = in_place(place, moved.received);
  return {part, moved.received + part};
}

CollectiveBytes of_scatter(const Place& place, CollectiveBytes moved) {
  if (!place.root || moved.received > 0 || place.members < 2) return moved;
  const std::uint64_t part = in_place(place, moved.sent);
  return {moved.sent + part, part};
}

}  // namespace

bool is_exclusive(std::string_view call) {
  return call.find("xscan") != std::string_view::npos;
}

CollectiveBytes exchanged(const Place& place, CollectiveBytes own) {
  const std::uint64_t n = place.members;
  switch (place.pattern) {
    case Pattern::broadcast:
      return place.root ? CollectiveBytes{times(own.sent, n), own.sent} : own;
    case Pattern::reduce:
      return place.root ? CollectiveBytes{own.sent, times(own.received, n)} : own;
    case Pattern::allreduce:
      return {times(own.sent, n), times(own.received, n)};
    case Pattern::allgather:
      return {times(own.sent, n), own.received};
    case Pattern::reduce_scatter:
      return {own.sent, times(own.received, n)};
    case Pattern::scan:
      return {times(own.sent, behind(place)), times(own.received, before(place))};
    default:
      return own;
  }
}

CollectiveBytes contributed(const Place& place, CollectiveBytes moved) {
  const std::uint64_t n = place.members;
  switch (place.pattern) {
    case Pattern::broadcast:
      return place.root ? CollectiveBytes{each(moved.sent, n), 0} : moved;
    case Pattern::reduce:
      return of_reduction(place, moved);
    case Pattern::gather:
      return of_gather(place, moved);
    case Pattern::scatter:
      return of_scatter(place, moved);
    case Pattern::allreduce:
      return {each(moved.sent, n), each(moved.received, n)};
    case Pattern::allgather:
      return {each(moved.sent, n), moved.received};
    case Pattern::reduce_scatter:
      return {moved.sent, each(moved.received, n)};
    case Pattern::scan:
      return of_scan(place, moved);
    default:
      return moved;
  }
}

}  // namespace parcast::interchange
