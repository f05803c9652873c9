// SPDX-License-Identifier: Apache-2.0
// Ranks that share memory. The end of a piece of computing depends on the other ranks that compute, so pieces
// begin and end in order of time.
#include "predict/simulate/engine.h"
#include "predict/simulate/steps.h"

namespace parcast::simulate {

void OnMemory::report(Outcome& outcome) const {
  std::map<std::uint32_t, MemoryLoad> loads;
  for (std::size_t rank = 0; rank < lost.size(); ++rank) {
    outcome.ranks[rank].contention = lost[rank];
    const std::uint32_t domain = contention.domain_of[rank];
    MemoryLoad& load = loads[domain];
    load.node = domain / contention.domains_per_node;
    if (contention.domains_per_node > 1)
      load.socket = static_cast<std::int32_t>(domain % contention.domains_per_node);
    load.compute = std::min(trace::kLongest, load.compute + outcome.ranks[rank].compute);
    load.contention = std::min(trace::kLongest, load.contention + lost[rank]);
  }
  for (const auto& [domain, load] : loads)
    if (!outcome.contended || load.contention > outcome.contended->contention) outcome.contended = load;
}

/// Lets earlier events of other ranks happen first: they may begin or end computing.
bool Engine::compute_in_order(Rank& self, std::int32_t rank) {
  if (next_event() >= self.clock) return begin_computing(self, rank);
  self.again = true;
  resume_at_clock(self, rank);
  return false;
}

/// Returns true when the piece takes no time.
bool Engine::begin_computing(Rank& self, std::int32_t rank) {
  const Time given = self.walker.item().time();
  ++outcome_.operations;
  Work work = memory_->alone(rank, given);
  if (memory_->as_recorded) {
    if (given == 0)
      memory_->works->at(static_cast<std::size_t>(rank)).add(0);
    else
      memory_->domains.begin_until(rank, self.clock, std::min(trace::kLongest + 1, self.clock + given));
    work = work_of(given);
  } else {
    if (platform_.compute_ratio != kOne) work = scaled_work(work, platform_.compute_ratio);
    if (!noise_.empty()) work = work_of(noise_[static_cast<std::size_t>(rank)].next(alone_time(work)));
    if (work > 0) memory_->domains.begin(rank, self.clock, work);
  }
  if (work == 0) {
    if (observed()) [[unlikely]]
      tell(&Observer::computed, rank, self.clock, self.clock);
    return true;
  }
  self.mood = Mood::due;
  return false;
}

void Engine::end_computing() {
  const Time now = memory_->domains.next_end();
  for (const auto& [rank, work] : memory_->domains.end()) {
    Rank& self = rank_of(rank);
    if (now > trace::kLongest) return take_too_long(rank);
    const Time took = now - self.clock;
    if (memory_->as_recorded)
      (*memory_->works)[static_cast<std::size_t>(rank)].add(work);
    else
      memory_->lost[static_cast<std::size_t>(rank)] += took - alone_time(work);
    self.clock = now;
    self.compute += took;
    if (observed()) [[unlikely]]
      tell(&Observer::computed, rank, now - took, now);
    agenda_.resume(rank, now);
  }
}

}  // namespace parcast::simulate
