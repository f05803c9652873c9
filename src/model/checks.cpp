// SPDX-License-Identifier: Apache-2.0
#include "model/checks.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace parcast::program {

double miss(const Compared& seconds) {
  const auto [less, more] = std::minmax(seconds.recorded, seconds.given);
  if (more <= 0) return 0;
  return less > 0 ? more / less - 1 : std::numeric_limits<double>::infinity();
}

namespace {

Misses misses_of(const std::vector<std::pair<std::size_t, double>>& of_runs) {
  if (of_runs.empty()) return {};
  const auto worst = std::ranges::max_element(of_runs, {}, [](const auto& each) { return each.second; });
  std::vector<double> all;
  for (const auto& [run, value] : of_runs) all.push_back(value);
  std::ranges::sort(all);
  const std::size_t half = all.size() / 2;
  return {all.size(), all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2, worst->second,
          worst->first};
}

}  // namespace

Misses computing_misses(const std::vector<RunCheck>& runs) {
  std::vector<std::pair<std::size_t, double>> all;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!runs[i].slowed) all.emplace_back(i, miss(runs[i].computing));
  return misses_of(all);
}

double given_by_all(const RunCheck& run, const std::vector<RunCheck>& given_back) {
  const auto same = std::ranges::find_if(given_back, [&](const RunCheck& each) {
    return each.processes == run.processes && each.parameters == run.parameters;
  });
  return same == given_back.end() ? run.computing.recorded : same->computing.given;
}

double growth_missed(const ForwardCheck& check, const std::vector<RunCheck>& given_back) {
  double largest = 0;
  for (const RunCheck& run : check.runs)
    if (!run.slowed) largest = std::max(largest, miss({given_by_all(run, given_back), run.computing.given}));
  return largest;
}

Misses total_misses(const std::vector<RunCheck>& runs) {
  std::vector<std::pair<std::size_t, double>> all;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].total && !runs[i].slowed) all.emplace_back(i, miss(*runs[i].total));
  return misses_of(all);
}

}  // namespace parcast::program
