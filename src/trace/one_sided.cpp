// SPDX-License-Identifier: Apache-2.0
// One-sided calls of a rank: accesses to the memory of others, and what completes them. Of an access a recording tells the
// window's communicator alone, so that for accesses windows of the same communicator are taken for one.
#include <string_view>

#include "trace/rank_events.h"

namespace parcast::trace {
namespace {

constexpr std::size_t kMostUnderWay = 1 << 20;  // accesses without a synchronisation until they are forgotten

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
  std::vector<Access>& under_way = accesses_[event.communicator];
  const std::int32_t owner = put ? event.message.peer : event.received.peer;
  for (std::uint64_t number = before + 1; number <= words_.begun(); ++number) under_way.push_back({number, owner});
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
  if (is_local(call)) return words_.add_compute(inside(event));
  if (call.starts_with("MPI_Win_flush")) {
    ++left_out_.flushes;
    return wait_for_accesses(event, event.message.peer == recording::kNoPeer ? kAny : event.message.peer);
  }
  if (call.starts_with("MPI_Win_unlock")) return unlock(event);
  if (call == "MPI_Win_complete") return complete(event);
  if (call == "MPI_Win_post") return post(event);
  if (call == "MPI_Win_start") return start(event);
  if (call == "MPI_Win_wait") return await_origins(event);
  if (call.starts_with("MPI_Win_lock")) return lock(event);
  leave_out(event, left_out_.epochs);
}

/// Those of one owner's memory, or all.
void RankEvents::wait_for_accesses(const Event& event, std::int32_t owner) {
  std::vector<Access>& under_way = accesses_[event.communicator];
  left_out_.forgotten += std::erase_if(under_way, [&](const Access& access) { return words_.begun() - access.request >= Item::kMost; });
  waited_.clear();
  for (const Access& access : under_way)
    if (owner == kAny || access.owner == owner) waited_.push_back(access.request);
  words_.add_wait(waited_, place(event));
  std::erase_if(under_way, [&](const Access& access) { return owner == kAny || access.owner == owner; });
}

}  // namespace parcast::trace
