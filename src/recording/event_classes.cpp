// SPDX-License-Identifier: Apache-2.0
#include "recording/event_classes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "recording/process_time.h"

namespace parcast::recording {
namespace {

using Key = std::pair<std::string, std::string>;  // region, call

struct Sums {
  std::uint64_t count = 0;
  std::int64_t nanoseconds = 0;
};

/// Region of the rank and call (kComputing: none) as numbers, which are cheap to compare.
constexpr std::uint32_t kComputing = 0xffffffff;
using Numbers = std::pair<std::uint32_t, std::uint32_t>;

std::map<Numbers, Sums> sums_of(const Recording& recording, const RankRecording& rank) {
  const std::vector<Call>& calls = recording.calls;
  std::map<Numbers, Sums> sums;
  double computing = 0;
  std::int64_t last_exit = 0;
  std::uint32_t region = 0;
  const auto compute = [&] {
    if (computing <= 0) return;
    Sums& of = sums[{region, kComputing}];
    ++of.count;
    of.nanoseconds += std::llround(std::exchange(computing, 0));
  };
  for_each_computed(
      recording, rank, [&](const Event& event, std::span<const Completion>, const Computed& computed) {
        const CallClass kind = calls[event.call].kind;
        if (kind == CallClass::initialise) return;
        computing += computed.share;
        if (kind == CallClass::finalise) last_exit = rank.wall;
        if (event.thread == 0) last_exit = std::max(last_exit, event.exit);
        if (kind == CallClass::region_begin || kind == CallClass::region_end || kind == CallClass::finalise)
          return;
        region = event.region;
        compute();
        Sums& of = sums[{region, event.call}];
        of.count += event.continued ? 0 : event.repeats;
        of.nanoseconds += event.continued || event.thread != 0 ? 0 : event.exit - event.enter;
      });
  computing += static_cast<double>(std::max<std::int64_t>(0, rank.wall - last_exit));
  compute();
  return sums;
}

}  // namespace

std::vector<EventClass> event_classes(const Recording& recording) {
  std::map<Key, Sums> sums;
  for (const RankRecording& rank : recording.ranks)
    for (const auto& [numbers, of_rank] : sums_of(recording, rank)) {
      const auto& [region, call] = numbers;
      Sums& all = sums[{region < rank.regions.size() ? rank.regions[region] : "",
                        call == kComputing ? "" : recording.calls[call].name}];
      all.count += of_rank.count;
      all.nanoseconds += of_rank.nanoseconds;
    }
  std::vector<EventClass> classes;
  for (const auto& [key, of] : sums)
    classes.push_back({key.first, key.second, of.count, static_cast<double>(of.nanoseconds) / 1e9});
  return classes;
}

std::vector<ClassPair> pair_classes(const Recording& a, const Recording& b) {
  return pair_classes(event_classes(a), event_classes(b));
}

std::vector<ClassPair> pair_classes(const std::vector<EventClass>& a, const std::vector<EventClass>& b) {
  std::map<Key, ClassPair> pairs;
  for (const EventClass& each : a) pairs[{each.region, each.call}].a = each;
  for (const EventClass& each : b) pairs[{each.region, each.call}].b = each;
  std::vector<ClassPair> sorted;
  for (auto& [key, pair] : pairs) {
    pair.region = key.first;
    pair.call = key.second;
    sorted.push_back(std::move(pair));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const ClassPair& x, const ClassPair& y) {
    return x.a.seconds + x.b.seconds > y.a.seconds + y.b.seconds;
  });
  return sorted;
}

double longest_wall(const Recording& recording) {
  std::int64_t longest = 0;
  for (const RankRecording& rank : recording.ranks) longest = std::max(longest, rank.wall);
  return static_cast<double>(longest) / 1e9;
}

}  // namespace parcast::recording
