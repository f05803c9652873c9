// SPDX-License-Identifier: Apache-2.0
#include "trace/builder.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace parcast::trace {
namespace {

constexpr std::uint32_t kUnnumbered = UINT32_MAX;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

std::uint64_t pair(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

std::uint64_t hash_of(const Sequence& sequence) {
  std::uint64_t hash = sequence.size();
  for (const Item& item : sequence) hash = mixed(hash, item.word());
  return hash;
}

bool equal(const Sequence& a, const Sequence& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Item& x, const Item& y) { return x.word() == y.word(); });
}

/// Returns the index stored under the key; calls `add` first when the key is new.
template <class Table, class Key, class Add>
std::uint32_t intern(Table& table, Key&& key, std::size_t next, Add&& add) {
  const auto [at, is_new] = table.emplace(std::forward<Key>(key), static_cast<std::uint32_t>(next));
  if (is_new) add();
  return at->second;
}

}  // namespace

Builder::Builder(std::string program, std::int32_t ranks) {
  trace_.program = std::move(program);
  trace_.ranks = ranks;
  trace_.sequence_of.assign(static_cast<std::size_t>(std::max(ranks, 0)), kUnnumbered);
}

std::size_t Builder::Hash::operator()(const Operation& o) const {
  std::uint64_t hash = static_cast<std::uint64_t>(o.kind) << 16 | static_cast<std::uint64_t>(o.mode) << 8 |
                       static_cast<std::uint64_t>(o.pattern);
  hash = mixed(hash, pair(static_cast<std::uint32_t>(o.peer), static_cast<std::uint32_t>(o.tag)));
  hash = mixed(hash, pair(o.communicator, static_cast<std::uint32_t>(o.root)));
  hash = mixed(hash, o.bytes);
  return mixed(hash, pair(o.requests, o.place));
}

std::uint32_t Builder::operation(const Operation& operation) {
  assert(trace_.operations.size() < Item::kMost);
  return intern(operations_, operation, trace_.operations.size(),
                [&] { trace_.operations.push_back(operation); });
}

std::uint32_t Builder::place(const Place& place) {
  return intern(places_, PlaceKey{place.region, place.function, place.file, place.line, place.call},
                trace_.places.size(), [&] { trace_.places.push_back(place); });
}

std::uint32_t Builder::request_set(std::vector<std::uint32_t> requests) {
  std::sort(requests.begin(), requests.end());
  requests.erase(std::unique(requests.begin(), requests.end()), requests.end());
  return intern(request_sets_, requests, trace_.request_sets.size(),
                [&] { trace_.request_sets.push_back(requests); });
}

std::uint32_t Builder::communicator(std::vector<std::int32_t> members) {
  trace_.communicators.push_back({std::move(members)});
  return static_cast<std::uint32_t>(trace_.communicators.size() - 1);
}

std::size_t Builder::members(std::uint32_t communicator) const {
  return communicator == 0 ? trace_.sequence_of.size() : trace_.communicators[communicator].members.size();
}

std::uint32_t Builder::sequence(std::int32_t rank, Sequence sequence) {
  const std::uint64_t hash = hash_of(sequence);
  std::uint32_t& number = trace_.sequence_of.at(static_cast<std::size_t>(rank));
  const auto [from, to] = sequences_.equal_range(hash);
  const auto same = std::find_if(
      from, to, [&](const auto& each) { return equal(trace_.sequences[each.second], sequence); });
  if (same != to) {
    return number = same->second;
  }
  number = static_cast<std::uint32_t>(trace_.sequences.size());
  sequence.shrink_to_fit();
  trace_.sequences.push_back(std::move(sequence));
  sequences_.emplace(hash, number);
  return number;
}

Trace Builder::finish() {
  for (std::size_t rank = 0; rank < trace_.sequence_of.size(); ++rank)
    if (trace_.sequence_of[rank] == kUnnumbered) sequence(static_cast<std::int32_t>(rank), {});
  return std::move(trace_);
}

void RankBuilder::add_compute(Time time) {
  const Time most = kLongest + 1;  // already out of range
  pending_ = std::min(most, pending_ + std::clamp(time, Time{0}, most));
}

void RankBuilder::add_pending() {
  const Time time = std::exchange(pending_, 0);
  if (time == 0) return;
  computed_ = std::min(kLongest + 1, computed_ + time);
  folding_.add(Item::compute(time));
}

void RankBuilder::add(const Operation& operation) {
  add_pending();
  begun_ += begins_request(operation.kind);
  folding_.add(Item::operation(builder_.operation(operation)));
}

void RankBuilder::add_wait(std::span<const std::uint64_t> requests, std::uint32_t place) {
  if (requests.empty()) return;
  std::vector<std::uint32_t> since;
  since.reserve(requests.size());
  for (const std::uint64_t number : requests) {
    assert(number >= 1 && number <= begun_ && begun_ - number < UINT32_MAX);
    since.push_back(static_cast<std::uint32_t>(begun_ - number + 1));
  }
  add({.kind = Kind::wait, .requests = builder_.request_set(std::move(since)), .place = place});
}

Result<void> RankBuilder::finish() {
  add_pending();
  if (computed_ > kLongest)
    return Error{"it computes for longer than a simulation can last (26 days)",
                 "rank " + std::to_string(rank_), "record a shorter run"};
  builder_.sequence(rank_, folding_.finish());
  return {};
}

}  // namespace parcast::trace
