// SPDX-License-Identifier: Apache-2.0
// One-sided calls of a rank: accesses to the memory of others, and what completes them. A recording tells a window by its
// communicator alone, so that windows of the same communicator are taken for one.
#include <string_view>

#include "trace/rank_events.h"

namespace parcast::trace {
namespace {

constexpr std::size_t kMostUnderWay = 1 << 20;  // accesses without a synchronisation until they are forgotten

/// Calls after which what this rank has begun is complete.
bool completes(std::string_view call) {
  return call.starts_with("MPI_Win_flush") || call.starts_with("MPI_Win_unlock") || call == "MPI_Win_complete";
}

/// Calls that order the rank's own memory alone, and wait for nobody.
bool is_local(std::string_view call) { return call == "MPI_Win_sync" || call == "MPI_Win_attach" || call == "MPI_Win_detach"; }

}  // namespace

void RankEvents::access(const Event& event) {
  const auto put = message(event, Kind::start_write, event.message), got = message(event, Kind::start_read, event.received);
  const std::uint64_t before = words_.begun();
  if (put) words_.add(*put);
  if (got) words_.add(*got);
  if (words_.begun() == before) return;
  ++left_out_.accesses;
  if (put && got) ++left_out_.exchanges;
  std::vector<std::uint64_t>& under_way = accesses_[event.communicator];
  for (std::uint64_t number = before + 1; number <= words_.begun(); ++number) under_way.push_back(number);
  if (under_way.size() > kMostUnderWay) {
    left_out_.forgotten += under_way.size();
    under_way.clear();
  }
  begin(event.request, before);
}

void RankEvents::synchronise_window(const Event& event, recording::Pattern pattern) {
  const std::string& call = recording_.calls[event.call].name;
  if (pattern == recording::Pattern::barrier) {
    wait_for_accesses(event);
    return collective(event, pattern);
  }
  if (completes(call)) {
    ++left_out_.flushes;
    return wait_for_accesses(event);
  }
  if (is_local(call)) return words_.add_compute(inside(event));
  leave_out(event, left_out_.epochs);
}

void RankEvents::wait_for_accesses(const Event& event) {
  std::vector<std::uint64_t>& under_way = accesses_[event.communicator];
  left_out_.forgotten += std::erase_if(under_way, [&](std::uint64_t number) { return words_.begun() - number >= Item::kMost; });
  words_.add_wait(under_way, place(event));
  under_way.clear();
}

}  // namespace parcast::trace
