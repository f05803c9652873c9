// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/ranks.h"

#include <algorithm>
#include <map>
#include <set>

namespace parcast::predict {
namespace {

// Returns 0, 1, the middle and the last two of an extent.
std::set<std::int32_t> marked(std::int32_t extent) {
  std::set<std::int32_t> out;
  for (const std::int32_t c : {0, 1, extent / 2, extent - 2, extent - 1})
    if (c >= 0 && c < extent) out.insert(c);
  return out;
}

}  // namespace

std::vector<std::int32_t> candidate_ranks(const std::vector<std::vector<std::int32_t>>& grids,
                                          std::int32_t processes, bool depends_on_rank) {
  if (!depends_on_rank) return {0};
  std::set<std::int32_t> out;
  if (processes <= kAllRanksUpTo) {
    for (std::int32_t r = 0; r < processes; ++r) out.insert(r);
    return {out.begin(), out.end()};
  }
  out = marked(processes);
  for (const std::vector<std::int32_t>& extents : grids) {
    std::set<std::int64_t> ranks{0};
    for (const std::int32_t extent : extents) {
      std::set<std::int64_t> next;
      for (const std::int64_t rank : ranks)
        for (const std::int32_t c : marked(extent)) next.insert(rank * extent + c);
      ranks = std::move(next);
    }
    for (const std::int64_t rank : ranks)
      if (rank < processes) out.insert(static_cast<std::int32_t>(rank));
  }
  return {out.begin(), out.end()};
}

std::vector<IntervalTime> interval_times(const Contributions& contributions, const RankValues& values) {
  const std::size_t ranks = values.empty() ? 0 : values.front().size();
  // interval, phase -> per rank
  std::map<program::NodeId, std::map<program::NodeId, std::vector<double>>> sums;
  for (std::size_t t = 0; t < contributions.all.size(); ++t) {
    std::vector<double>& sum = sums[contributions.all[t].interval][contributions.all[t].phase];
    sum.resize(ranks, 0.0);
    for (std::size_t k = 0; k < ranks; ++k) sum[k] += values[t][k];
  }
  std::vector<IntervalTime> out;
  for (const auto& [closing, phases] : sums) {
    IntervalTime time{closing, 0, 0, 0};
    std::vector<double> chain(ranks, 0.0);
    for (const auto& [phase, sum] : phases) {
      time.phases += *std::max_element(sum.begin(), sum.end());
      for (std::size_t k = 0; k < ranks; ++k) chain[k] += sum[k];
    }
    time.slowest = static_cast<std::size_t>(std::max_element(chain.begin(), chain.end()) - chain.begin());
    time.chain = chain[time.slowest];
    out.push_back(time);
  }
  return out;
}

}  // namespace parcast::predict
