// SPDX-License-Identifier: Apache-2.0
#include "parcast/collections/team.h"

#include <algorithm>
#include <atomic>

#include "collections/runtimes.h"
#include "collections/watch.h"

namespace parcast::collections {

thread_local const detail::Runtime* running = nullptr;

namespace detail {

Runtime::Runtime() {
  static std::atomic<std::uint64_t> made;
  number_ = ++made;
}

void check_running(std::uint64_t number, const char* name) {
  if (!running || running->number() != number)
    throw Error(std::string(name) +
                " is used outside of its team: a collection belongs to the processor that made it, until "
                "the team ends");
}

}  // namespace detail

#define PARCAST_SITE __builtin_return_address(0)

namespace {

void check_root(int root, int size) {
  if (root < 0 || root >= size)
    throw Error("there is no processor " + std::to_string(root) + " among " + std::to_string(size));
}

}  // namespace

void Team::barrier() {
  check_use("the team");
  double clock = recorder_ ? recorder_->enter() : 0;
  runtime_.meet({detail::Call::barrier, 0, 0, ""}, nullptr, {}, clock);
  if (recorder_) recorder_->leave_collective(detail::Call::barrier, rank(), 0, 0, clock, PARCAST_SITE);
}

const std::byte* Team::meet(const detail::Meeting& meeting, const void* mine, detail::Finish finish,
                            std::uint64_t bytes, int root) {
  check_use(*meeting.what ? meeting.what : "the team");
  double clock = recorder_ ? recorder_->enter() : 0;
  const std::byte* table = runtime_.meet(meeting, mine, finish, clock);
  if (recorder_) recorder_->leave_collective(meeting.call, rank(), root, bytes, clock, PARCAST_SITE);
  return table;
}

void Team::meet_silently(const detail::Meeting& meeting) {
  check_use(*meeting.what ? meeting.what : "the team");
  if (recorder_) recorder_->enter();
  double clock = 0;
  runtime_.meet(meeting, nullptr, {}, clock);
  if (recorder_) recorder_->leave();
}

std::unique_ptr<detail::Memory> Team::share(std::shared_ptr<std::byte> own, std::size_t bytes,
                                            const detail::Meeting& meeting) {
  if (recorder_) recorder_->enter();
  auto memory = runtime_.share(std::move(own), bytes, meeting);
  if (recorder_) recorder_->leave();
  return memory;
}

void Team::broadcast_bytes(void* data, std::size_t bytes, int root) {
  check_use("the team");
  check_root(root, size());
  double clock = recorder_ ? recorder_->enter() : 0;
  runtime_.broadcast(data, bytes, root,
                     {detail::Call::broadcast, 0, bytes * 1024 + static_cast<std::size_t>(root), ""}, clock);
  if (recorder_)
    recorder_->leave_collective(detail::Call::broadcast, rank(), root, bytes, clock, PARCAST_SITE);
}

void Team::read(detail::Memory& memory, int owner, const detail::Stretch& stretch, std::byte* into,
                const void* site) {
  check_use("a collection");
  if (recorder_) recorder_->enter();
  memory.read(owner, {&stretch, 1}, into);
  if (recorder_) recorder_->leave_access(true, owner, stretch.bytes, site);
}

void Team::write(detail::Memory& memory, int owner, const detail::Stretch& stretch, const std::byte* from,
                 const void* site) {
  check_use("a collection");
  if (recorder_) recorder_->enter();
  memory.write(owner, {&stretch, 1}, from);
  if (recorder_) recorder_->leave_access(false, owner, stretch.bytes, site);
}

void Team::Transfer::add(int owner, std::size_t there, std::size_t here, std::size_t bytes) {
  if (!parts_.empty()) {
    Part& last = parts_.back();
    if (last.owner == owner && last.stretch.there + last.stretch.bytes == there &&
        last.stretch.here + last.stretch.bytes == here) {
      last.stretch.bytes += bytes;
      return;
    }
  }
  parts_.push_back({owner, {there, here, bytes}});
}

/// Owners in order of rank; `site` of the program's call, or null: part of a collective.
template <class Move>
void Team::move(Transfer& transfer, const void* site, bool reads, std::byte* own, std::byte* buffer,
                Move move) {
  check_use("a collection");
  std::ranges::stable_sort(transfer.parts_, {}, &Transfer::Part::owner);
  std::vector<detail::Stretch> stretches;
  for (auto at = transfer.parts_.begin(); at != transfer.parts_.end();) {
    const int owner = at->owner;
    std::uint64_t bytes = 0;
    stretches.clear();
    for (; at != transfer.parts_.end() && at->owner == owner; ++at)
      stretches.push_back(at->stretch), bytes += at->stretch.bytes;
    if (owner == rank()) {
      for (const detail::Stretch& each : stretches)
        reads ? std::memcpy(buffer + each.here, own + each.there, each.bytes)
              : std::memcpy(own + each.there, buffer + each.here, each.bytes);
      continue;
    }
    if (recorder_) recorder_->enter();
    move(owner, stretches);
    if (recorder_ && site) recorder_->leave_access(reads, owner, bytes, site);
    if (recorder_ && !site) recorder_->leave();
  }
}

void Team::fetch(detail::Memory& memory, Transfer& transfer, const std::byte* own, std::byte* into) {
  move(transfer, PARCAST_SITE, true, const_cast<std::byte*>(own), into,
       [&](int owner, std::span<const detail::Stretch> stretches) { memory.read(owner, stretches, into); });
}

void Team::store(detail::Memory& memory, Transfer& transfer, std::byte* own, const std::byte* from) {
  move(transfer, PARCAST_SITE, false, own, const_cast<std::byte*>(from),
       [&](int owner, std::span<const detail::Stretch> stretches) { memory.write(owner, stretches, from); });
}

void Team::fetch_within(detail::Memory& memory, Transfer& transfer, const std::byte* own, std::byte* into) {
  move(transfer, nullptr, true, const_cast<std::byte*>(own), into,
       [&](int owner, std::span<const detail::Stretch> stretches) { memory.read(owner, stretches, into); });
}

void Team::store_within(detail::Memory& memory, Transfer& transfer, std::byte* own, const std::byte* from) {
  move(transfer, nullptr, false, own, const_cast<std::byte*>(from),
       [&](int owner, std::span<const detail::Stretch> stretches) { memory.write(owner, stretches, from); });
}

void Team::parameter(const char* name, double value) {
  if (!recorder_) return;
  recorder_->enter();
  recorder_->parameter(name, value);
  recorder_->leave();
}

void Team::record(bool is_on) {
  if (!recorder_) return;
  recorder_->enter();
  recorder_->record(is_on);
  recorder_->leave();
}

void Team::begin_region(const char* name, const char* what) {
  if (watch_) watch_->begin_region(rank(), std::string(name) + what);
  if (recorder_) recorder_->begin_region((std::string(name) + what).c_str(), PARCAST_SITE);
}

void Team::begin_method(const void* address, const char* name) {
  if (watch_) watch_->begin_region(rank(), name);
  // odd: the place of a virtual method in its table, not an address (Itanium C++ ABI)
  if (recorder_ && reinterpret_cast<std::uintptr_t>(address) % 2 == 1)
    recorder_->begin_region(name, PARCAST_SITE);
  else if (recorder_)
    recorder_->begin_method(address, PARCAST_SITE);
}

void Team::end_region() {
  if (watch_) watch_->end_region(rank());
  if (recorder_) recorder_->end_region(PARCAST_SITE);
}

void Team::watch(std::shared_ptr<std::byte> own, std::size_t bytes, std::size_t element_bytes,
                 std::function<std::string(int, std::size_t)> name_of) {
  if (watch_) watch_->add(rank(), {std::move(own), bytes, element_bytes, std::move(name_of)});
}

void Team::note_access(const detail::Memory& memory, int owner, const detail::Stretch& stretch, bool writes,
                       const std::source_location& where) {
  watch_->note(memory.part(owner), owner,
               {rank(), stretch.there, stretch.there + stretch.bytes, writes, where});
}

void Team::note_own(std::int64_t elements) {
  if (watch_) watch_->note_own(rank(), static_cast<std::uint64_t>(elements));
}

void run_processor(detail::Runtime& runtime, Recorder* recorder, Watch* watch, const Program& program) {
  Team team(runtime, recorder, watch);
  if (recorder) recorder->begin();
  program(team);
  double clock = recorder ? recorder->enter() : 0;
  runtime.meet({detail::Call::end, 0, 0, ""}, nullptr, {}, clock);
  if (recorder) recorder->end();
}

}  // namespace parcast::collections
