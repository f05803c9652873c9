// SPDX-License-Identifier: Apache-2.0
#include "collections/watch.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "parcast/collections/error.h"

namespace parcast::collections {
namespace {

constexpr std::size_t kMostShown = 8;

/// "race.cpp:12"; empty for a change that was seen by its effect.
std::string place_of(const Watch::Access& access) {
  if (access.where.line() == 0) return "";
  const std::string_view path = access.where.file_name();
  return std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(access.where.line());
}

std::string described(const Watch::Access& access) {
  const std::string place = place_of(access);
  return "processor " + std::to_string(access.processor) + (place.empty() ? ", the owner," : "") +
         (access.writes ? " writes" : " reads") + (place.empty() ? "" : " (" + place + ")");
}

}  // namespace

Watch::Watch(int processors) : paths_(static_cast<std::size_t>(processors), std::vector<std::string>{""}) {}

void Watch::add(int owner, Part part) {
  auto& watched = *parts_.emplace_back(std::make_unique<Watched>(Watched{std::move(part), owner, {}, {}}));
  by_address_[watched.part.elements.get()] = &watched;
  watched.before.assign(watched.part.elements.get(), watched.part.elements.get() + watched.part.bytes);
}

void Watch::note(const std::byte* part, int owner, const Access& access) {
  const auto found = by_address_.find(part);
  if (found == by_address_.end()) return;
  Watched& watched = *found->second;
  const std::size_t elements = (access.end - access.first) / watched.part.element_bytes;
  (owner == access.processor ? counts_of(access.processor).own : counts_of(access.processor).others) +=
      elements;
  watched.accesses.push_back(access);
}

void Watch::note_own(int processor, std::uint64_t elements) {
  counts_of(processor).own += elements;
}

Watch::Counts& Watch::counts_of(int processor) {
  return counts_[paths_[static_cast<std::size_t>(processor)].back()];
}

void Watch::begin_region(int processor, const std::string& name) {
  auto& path = paths_[static_cast<std::size_t>(processor)];
  path.push_back(path.back().empty() ? name : path.back() + "/" + name);
}

void Watch::end_region(int processor) {
  auto& path = paths_[static_cast<std::size_t>(processor)];
  if (path.size() > 1) path.pop_back();
}

void Watch::meet() {
  for (const auto& watched : parts_) {
    add_changes(*watched);
    compare(*watched);
    watched->accesses.clear();
  }
  std::erase_if(parts_, [&](const std::unique_ptr<Watched>& watched) {
    if (watched->part.elements.use_count() > 1) return false;  // a collection has it
    const auto at = by_address_.find(watched->part.elements.get());
    if (at != by_address_.end() && at->second == watched.get()) by_address_.erase(at);
    return true;
  });
}

/// Adds a write of the owner for each element that has changed and that nobody has put.
void Watch::add_changes(Watched& watched) const {
  const std::byte* const now = watched.part.elements.get();
  if (watched.part.bytes == 0 || std::memcmp(now, watched.before.data(), watched.part.bytes) == 0) return;
  const std::size_t each = watched.part.element_bytes;
  std::vector<bool> is_put(watched.part.bytes / each);
  for (const Access& access : watched.accesses)
    if (access.writes)
      for (std::size_t at = access.first; at < access.end; at += each) is_put[at / each] = true;
  for (std::size_t at = 0; at < watched.part.bytes; at += each) {
    if (is_put[at / each] || std::memcmp(now + at, watched.before.data() + at, each) == 0) continue;
    Access change{watched.owner, at, at + each, true, {}};
    if (auto& all = watched.accesses; !all.empty() && all.back().where.line() == 0 && all.back().end == at)
      all.back().end = at + each;
    else
      all.push_back(change);
  }
  watched.before.assign(now, now + watched.part.bytes);
}

/// Goes through the accesses in order of their first bytes.
void Watch::compare(Watched& watched) {
  auto& all = watched.accesses;
  if (std::ranges::none_of(all, &Access::writes)) return;
  std::ranges::stable_sort(all, {}, &Access::first);
  std::vector<const Access*> reads, writes;  // that may reach the next one
  const auto race_with = [&](std::vector<const Access*>& earlier, const Access& next) {
    std::erase_if(earlier, [&](const Access* each) { return each->end <= next.first; });
    for (const Access* each : earlier)
      if (each->processor != next.processor) return add_race(watched, *each, next);
  };
  for (const Access& next : all) {
    race_with(writes, next);
    if (next.writes) race_with(reads, next);
    (next.writes ? writes : reads).push_back(&next);
  }
}

/// One for each pair of places.
void Watch::add_race(const Watched& watched, const Access& a, const Access& b) {
  const bool in_order = std::pair(!a.writes, a.processor) <= std::pair(!b.writes, b.processor);
  const Access &first = in_order ? a : b, &second = in_order ? b : a;
  const std::size_t element = std::max(a.first, b.first) / watched.part.element_bytes;
  const std::string name = watched.part.name_of(watched.owner, element),
                    collection = name.substr(0, name.find('('));
  Found& found = races_[collection + "|" + (first.writes ? "w" : "r") + place_of(first) + "|" +
                        (second.writes ? "w" : "r") + place_of(second)];
  if (found.count++ == 0)
    found.example =
        name + ": " + described(first) + " and " + described(second) + " between the same two barriers";
}

void Watch::report() const {
  std::fprintf(stderr, "%14s %14s %9s  %s\n", "own elements", "others'", "others'", "accesses in");
  for (const auto& [region, counts] : counts_) {
    const double all = static_cast<double>(counts.own + counts.others);
    if (all == 0) continue;
    std::fprintf(stderr, "%14llu %14llu %7.1f %%  %s\n", static_cast<unsigned long long>(counts.own),
                 static_cast<unsigned long long>(counts.others),
                 100 * static_cast<double>(counts.others) / all,
                 region.empty() ? "(no region)" : region.c_str());
  }
  if (races_.empty()) return;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [places, found] : races_) {
    if (shown++ == kMostShown) break;
    text += found.example + (found.count > 1 ? ", " + std::to_string(found.count) + " times" : "") + "\n";
  }
  if (races_.size() > kMostShown)
    text += std::to_string(races_.size() - kMostShown) + " more pairs of places\n";
  throw Error(text + "the results depend on the order of the processors; put a barrier between the two");
}

}  // namespace parcast::collections
