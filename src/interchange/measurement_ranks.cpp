// SPDX-License-Identifier: Apache-2.0
#include "interchange/measurement_ranks.h"

#include <algorithm>
#include <numeric>

namespace parcast::interchange {

std::string name_of_largest(const std::string& metric) {
  return metric + "_max";
}

void RankValues::add(std::size_t mean, std::size_t largest, std::size_t point, const std::string& run,
                     const std::string& rank, double value) {
  const std::tuple place{mean, largest, point};
  const auto [at, is_new] = order_.try_emplace(place, places_.size());
  if (is_new) {
    places_.push_back(place);
    numbers_.emplace_back(), times_.emplace_back(), runs_.emplace_back();
  }
  const std::size_t i = at->second;
  const std::size_t number =
      run.empty() ? times_[i][rank]++ : numbers_[i].try_emplace(run, numbers_[i].size()).first->second;
  if (number >= runs_[i].size()) runs_[i].resize(number + 1);
  Run& all = runs_[i][number];
  all.largest = all.ranks == 0 ? value : std::max(all.largest, value);
  all.sum += value;
  ++all.ranks;
}

void RankValues::finish(MeasurementCollector& collector, const std::string& where) const {
  std::size_t uneven = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto& [mean, largest, point] = places_[i];
    for (const Run& run : runs_[i]) {
      collector.add(mean, point, run.sum / static_cast<double>(run.ranks));
      collector.add(largest, point, run.largest);
    }
    uneven +=
        std::ranges::any_of(runs_[i], [&](const Run& run) { return run.ranks != runs_[i].front().ranks; });
  }
  if (uneven > 0)
    collector.warn(where + ": runs of one point have different numbers of ranks" +
                   (uneven > 1 ? " (at " + std::to_string(uneven) + " points)" : "") +
                   ": mean and largest are those of the ranks that are there");
}

Result<fit::Measurements> over_ranks(fit::Measurements measured, const std::string& where) {
  if (std::ranges::any_of(measured.kernels,
                          [](const fit::Kernel& kernel) { return !kernel.largest_of.empty(); }))
    return Error{"the table has ranks in a column", where, "leave --ranks out"};
  std::vector<fit::Kernel> kernels;
  for (fit::Kernel& kernel : measured.kernels) {
    const std::string name = name_of_largest(kernel.metric);
    if (std::ranges::any_of(measured.kernels, [&](const fit::Kernel& other) { return other.metric == name; }))
      return Error{"the largest " + kernel.metric + " of ranks would be called " + name +
                       ", and there is such a metric",
                   where, "give it another name"};
    fit::Kernel largest{kernel.callpath, name, kernel.unit, kernel.points, {}, kernel.metric};
    for (auto& ranks : kernel.values) {
      largest.values.push_back({*std::ranges::max_element(ranks)});
      ranks = {std::accumulate(ranks.begin(), ranks.end(), 0.0) / static_cast<double>(ranks.size())};
    }
    kernels.push_back(std::move(kernel));
    kernels.push_back(std::move(largest));
  }
  measured.kernels = std::move(kernels);
  return measured;
}

}  // namespace parcast::interchange
