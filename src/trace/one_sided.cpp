// SPDX-License-Identifier: Apache-2.0
// One-sided calls of a rank: accesses to the memory of other ranks, and the calls that complete them. For an
// access the recording contains only the window's communicator, so accesses to windows of the same
// communicator count as accesses to one window.
#include <string_view>

#include "trace/rank_events.h"

namespace parcast::trace {
namespace {

// accesses without a synchronisation before old ones are dropped
constexpr std::size_t kMostUnderWay = 1 << 20;

/// Returns whether the call orders only the rank's own memory and waits for nobody.
bool is_local(std::string_view call) {
  return call == "MPI_Win_sync" || call == "MPI_Win_attach" || call == "MPI_Win_detach";
}

}  // namespace

void RankEvents::access(const Event& event) {
  const auto put = message(event, Kind::start_write, event.message),
             got = message(event, Kind::start_read, event.received);
  const std::uint64_t before = words_.begun();
  if (put) words_.add(*put);
  if (got) words_.add(*got);
  if (words_.begun() == before) return;
  ++left_out_.accesses;
  if (put && got) ++left_out_.exchanges;
  std::vector<Access>& under_way = accesses_[event.communicator];
  const std::int32_t owner = put ? event.message.peer : event.received.peer;
  for (std::uint64_t number = before + 1; number <= words_.begun(); ++number)
    under_way.push_back({number, owner});
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

/// Adds a wait for the accesses to one owner's memory, or for all.
void RankEvents::wait_for_accesses(const Event& event, std::int32_t owner) {
  std::vector<Access>& under_way = accesses_[event.communicator];
  left_out_.forgotten += std::erase_if(
      under_way, [&](const Access& access) { return words_.begun() - access.request >= Item::kMost; });
  waited_.clear();
  for (const Access& access : under_way)
    if (owner == kAny || access.owner == owner) waited_.push_back(access.request);
  words_.add_wait(waited_, place(event));
  std::erase_if(under_way, [&](const Access& access) { return owner == kAny || access.owner == owner; });
}

}  // namespace parcast::trace
