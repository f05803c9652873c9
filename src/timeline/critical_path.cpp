// SPDX-License-Identifier: Apache-2.0
#include "timeline/critical_path.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace parcast::timeline {

std::vector<Step> critical_path(const std::vector<std::vector<Wait>>& waits, const std::vector<Time>& ends) {
  if (ends.empty()) return {};
  std::vector<std::size_t> left;  // by lane: waits that the chain has not passed; each is passed once
  for (const auto& own : waits) left.push_back(own.size());
  auto lane = static_cast<std::uint32_t>(std::ranges::max_element(ends) - ends.begin());
  Time until = ends[lane];
  std::vector<Step> steps;
  for (;;) {
    const auto& own = waits[lane];
    while (left[lane] > 0 && own[left[lane] - 1].resumed > until) --left[lane];
    if (left[lane] == 0) break;
    const Wait& wait = own[--left[lane]];
    if (until > wait.resumed) steps.push_back({lane, wait.resumed, until, false});
    if (wait.resumed > wait.cause.at) steps.push_back({wait.cause.lane, wait.cause.at, wait.resumed, true});
    lane = wait.cause.lane, until = wait.cause.at;
  }
  if (until > 0) steps.push_back({lane, 0, until, false});
  std::ranges::reverse(steps);
  return steps;
}

std::vector<PathPart> path_parts(const Timeline& timeline) {
  using Key = std::tuple<bool, Activity, std::uint32_t, std::uint32_t>;
  std::map<Key, Time> sums;
  for (const Step& step : timeline.path) {
    if (step.is_message) {
      sums[{true, Activity::point_to_point, 0, 0}] += step.end - step.begin;
      continue;
    }
    const std::vector<Span>& spans = timeline.lanes[step.lane].spans;
    auto span = std::ranges::upper_bound(spans, step.begin, {}, &Span::end);
    for (; span != spans.end() && span->begin < step.end; ++span)
      sums[{false, span->activity, span->name, span->region}] +=
          std::min(span->end, step.end) - std::max(span->begin, step.begin);
  }
  std::vector<PathPart> out;
  for (const auto& [key, time] : sums) {
    const auto& [is_message, activity, name, region] = key;
    out.push_back({activity, is_message, name, region, time});
  }
  std::ranges::stable_sort(out, std::greater(), &PathPart::time);
  return out;
}

}  // namespace parcast::timeline
