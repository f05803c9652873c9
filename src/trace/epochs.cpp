// SPDX-License-Identifier: Apache-2.0
// What ranks wait for in epochs of one-sided access other than fences: notices between groups, and locks.
// docs/models/remote_epochs.md.
#include "trace/rank_events.h"

namespace parcast::trace {
namespace {

/// Tags of a window's notices. They are sent in a communicator that carries no messages of the program.
enum Notice : std::int32_t { kPosted = 0, kCompleted = 1, kNotices = 2 };

}  // namespace

/// Returns the window of an event. Returns null when the recording does not identify the window: the
/// recording is older than window numbers, or the window's communicator is unknown.
RankEvents::Window* RankEvents::window_of(const Event& event) {
  const auto communicator = communicators_.find(rank_.rank, event.communicator);
  if (event.received.tag < 1 || !communicator || communicators_.inter(*communicator)) return nullptr;
  Window& window = windows_[{event.communicator, event.received.tag}];
  window.communicator = *communicator;
  window.number = event.received.tag - 1;
  return &window;
}

std::vector<std::int32_t> RankEvents::group_of(const Event& event) {
  std::vector<std::int32_t> ranks;
  for (const recording::Share& share :
       rank_.shares[event.sent_shares < rank_.shares.size() ? event.sent_shares : 0])
    for (std::uint32_t i = 0; i < share.count; ++i)
      ranks.push_back(share.first + share.stride * static_cast<std::int32_t>(i));
  return ranks;
}

void RankEvents::notify(const Event& event, const Window& window, const std::vector<std::int32_t>& ranks,
                        std::int32_t what) {
  for (const std::int32_t rank : ranks)
    if (const auto peer = partner(rank))
      words_.add({.kind = Kind::send,
                  .mode = Mode::buffered,
                  .peer = *peer,
                  .tag = window.number * kNotices + what,
                  .communicator = communicators_.private_index(window.communicator),
                  .place = place(event)});
}

void RankEvents::await_notices(const Event& event, const Window& window,
                               const std::vector<std::int32_t>& ranks, std::int32_t what) {
  waited_.clear();
  for (const std::int32_t rank : ranks)
    if (const auto peer = partner(rank)) {
      words_.add({.kind = Kind::start_receive,
                  .peer = *peer,
                  .tag = window.number * kNotices + what,
                  .communicator = communicators_.private_index(window.communicator),
                  .place = place(event)});
      waited_.push_back(words_.begun());
    }
  words_.add_wait(waited_, place(event));
}

void RankEvents::post(const Event& event) {
  Window* window = window_of(event);
  if (!window) return leave_out(event, left_out_.epochs);
  window->origins = group_of(event);
  if (event.received.bytes == 0) notify(event, *window, window->origins, kPosted);
}

void RankEvents::start(const Event& event) {
  Window* window = window_of(event);
  if (!window) return leave_out(event, left_out_.epochs);
  window->targets = group_of(event);
  if (event.received.bytes != 0) return;
  ++left_out_.starts;
  await_notices(event, *window, window->targets, kPosted);
}

void RankEvents::complete(const Event& event) {
  ++left_out_.flushes;
  wait_for_accesses(event);
  Window* window = window_of(event);
  if (!window) return;  // its start was left out
  notify(event, *window, std::exchange(window->targets, {}), kCompleted);
}

/// Handles MPI_Win_wait, or an MPI_Win_test that found the epoch over.
void RankEvents::await_origins(const Event& event) {
  Window* window = window_of(event);
  if (!window) return leave_out(event, left_out_.epochs);
  await_notices(event, *window, std::exchange(window->origins, {}), kCompleted);
}

void RankEvents::lock(const Event& event) {
  Window* window = window_of(event);
  const bool all = recording_.calls[event.call].name == "MPI_Win_lock_all";
  const std::int32_t owner = all ? kAny : event.message.peer;
  if (!window || (!all && !partner(owner))) return leave_out(event, left_out_.epochs);
  if (event.received.bytes != 0) {
    ++left_out_.unchecked;
    window->unchecked.insert(owner);
    return;
  }
  if (communicators_.size(window->communicator) < 2) return;  // no other member
  if (!window->locked.insert(owner).second) return leave_out(event, left_out_.epochs);
  ++left_out_.locks;
  const bool alone = event.message.tag == static_cast<std::int32_t>(recording::Lock::exclusive);
  words_.add({.kind = alone ? Kind::lock_exclusive : Kind::lock_shared,
              .peer = all ? kAny : owner - rank_.rank,
              .tag = window->number,
              .communicator = communicators_.index(window->communicator),
              .place = place(event)});
}

void RankEvents::unlock(const Event& event) {
  const bool all = recording_.calls[event.call].name == "MPI_Win_unlock_all";
  const std::int32_t owner = all ? kAny : event.message.peer;
  ++left_out_.flushes;
  wait_for_accesses(event, owner == recording::kNoPeer ? kAny : owner);
  Window* window = window_of(event);
  if (!window) return;  // its lock was left out
  if (window->unchecked.erase(owner) > 0 || window->locked.erase(owner) == 0) return;
  words_.add({.kind = Kind::unlock,
              .peer = all ? kAny : owner - rank_.rank,
              .tag = window->number,
              .communicator = communicators_.index(window->communicator),
              .place = place(event)});
}

}  // namespace parcast::trace
