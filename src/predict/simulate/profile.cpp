// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/profile.h"

#include <algorithm>
#include <map>

#include "predict/simulate/calls.h"

namespace parcast::simulate {

Site site_of(const trace::Operation& operation) {
  if (operation.place != trace::kNowhere) return {.place = operation.place};
  return {.kind = operation.kind, .pattern = operation.pattern};
}

Spent& Spent::operator+=(const Spent& other) {
  compute += other.compute;
  communication += other.communication;
  waiting += other.waiting;
  calls += other.calls;
  messages += other.messages;
  bytes += other.bytes;
  collective_messages += other.collective_messages;
  collective_bytes += other.collective_bytes;
  accesses += other.accesses;
  access_bytes += other.access_bytes;
  return *this;
}

Profile::Profile(const trace::Trace& trace) : trace_(trace), ranks_(static_cast<std::size_t>(trace.ranks)) {}

Spent& Profile::at(Rank& rank, const Site& site) {
  auto found = std::lower_bound(rank.rows.begin(), rank.rows.end(), site,
                                [](const Row& row, const Site& wanted) { return row.site < wanted; });
  if (found == rank.rows.end() || found->site != site) found = rank.rows.insert(found, {site, {}});
  rank.row = static_cast<std::size_t>(found - rank.rows.begin());
  return found->spent;
}

void Profile::computed(std::int32_t rank, Time from, Time to) {
  of(rank).pending += to - from;
  of(rank).last = 0xffffffff;
}

void Profile::entered(std::int32_t rank, std::uint32_t operation, Time) {
  Rank& self = of(rank);
  const trace::Operation& next = trace_.operations[operation];
  Spent& spent = at(self, site_of(next));
  spent.compute += std::exchange(self.pending, 0);
  if (self.last == 0xffffffff || !same_call(trace_, trace_.operations[self.last], next)) ++spent.calls;
  if (trace::is_access(next.kind) && next.peer != 0) ++spent.accesses, spent.access_bytes += next.bytes;
  self.last = operation;
  self.called = true;
}

void Profile::stayed(const Stay& stay) {
  Spent& spent = of(stay.rank).rows[of(stay.rank).row].spent;
  spent.communication += stay.busy;
  spent.waiting += stay.waiting();
}

void Profile::ended(std::int32_t rank, Time) {
  Rank& self = of(rank);
  if (self.pending == 0) return;
  Spent& spent = self.called ? self.rows[self.row].spent : at(self, {.none = true});
  spent.compute += std::exchange(self.pending, 0);
}

void Profile::sent(const Sent& sent) {
  Spent& spent = of(sent.sender).rows[of(sent.sender).row].spent;
  (sent.of_collective ? spent.collective_messages : spent.messages) += 1;
  (sent.of_collective ? spent.collective_bytes : spent.bytes) += sent.bytes;
}

std::vector<SiteSums> sums_by_site(const Profile& profile, std::int32_t ranks) {
  std::map<Site, SiteSums> sums;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    for (const Profile::Row& row : profile.rows(rank)) {
      SiteSums& of = sums[row.site];
      of.site = row.site;
      of.sum += row.spent;
      ++of.ranks;
      if (of.ranks > 1 && row.spent.time() <= of.most) continue;
      of.most = row.spent.time();
      of.most_at = rank;
    }
  std::vector<SiteSums> sorted;
  for (const auto& [site, of] : sums) sorted.push_back(of);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const SiteSums& a, const SiteSums& b) { return a.sum.time() > b.sum.time(); });
  return sorted;
}

}  // namespace parcast::simulate
