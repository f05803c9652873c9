// SPDX-License-Identifier: Apache-2.0
// Ranks that can never go on: what each waits for, and who waits for whom in a circle.
#include <algorithm>

#include "predict/simulate/engine.h"

namespace parcast::simulate {

/// "MPI_Reduce (x.c:5) on rank 3"
std::string Engine::described(std::int32_t rank, std::uint32_t index) const {
  const std::uint32_t place = trace_.operations[index].place;
  std::string text = place == trace::kNowhere ? std::string(machine::pattern_name(trace_.operations[index].pattern)) : trace_.places[place].call;
  if (place != trace::kNowhere && !trace_.places[place].file.empty()) text += " (" + trace_.places[place].file + ":" + std::to_string(trace_.places[place].line) + ")";
  return text + " with root " + std::to_string(trace_.operations[index].root) + " on rank " + std::to_string(rank);
}

/// Whom a rank needs to go on; empty where anybody would do.
std::vector<std::int32_t> Engine::partners_of(const Rank& self, std::int32_t rank) const {
  std::vector<std::int32_t> partners;
  if (self.gathered) return absent_members(rank);
  for (const std::uint32_t index : self.awaited) {
    const Request& request = requests_[index];
    if (!request.awaited) continue;
    if (request.operation == kNone) {
      const CollectiveStep step = step_of(seldom_of(rank).progress.call, seldom_of(rank).progress.step - 1);
      const std::int32_t place = request.receive ? step.from : step.to;
      partners.push_back(world_rank(seldom_of(rank).progress.communicator, place));
    } else if (trace_.operations[request.operation].peer != trace::kAny) {
      partners.push_back(rank + trace_.operations[request.operation].peer);
    }
  }
  std::sort(partners.begin(), partners.end());
  partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
  return partners;
}

/// Members that have not come to the collective that a rank is in.
std::vector<std::int32_t> Engine::absent_members(std::int32_t rank) const {
  const Progress& own = seldom_of(rank).progress;
  std::vector<std::int32_t> absent;
  for (std::int32_t place = 0; place < own.call.members; ++place) {
    const std::int32_t member = world_rank(own.communicator, place);
    const auto begun = seldom_of(member).collectives.find(own.communicator);
    if (begun == seldom_of(member).collectives.end() || begun->second <= (own.gathering & ((std::uint64_t{1} << 40) - 1))) absent.push_back(member);
  }
  return absent;
}

Waiting Engine::waiting_of(const Rank& self, std::int32_t rank) const {
  Waiting waiting{.rank = rank, .word = self.walker.position() - 1, .operation = self.walker.item().index(), .since = self.entry};
  for (const std::uint32_t index : self.awaited)
    if (requests_[index].awaited && requests_[index].operation != kNone) waiting.for_operations.push_back(requests_[index].operation);
  waiting.for_ranks = partners_of(self, rank);
  return waiting;
}

void Engine::report_waiting() {
  for (std::int32_t rank = 0; rank < trace_.ranks; ++rank) {
    const Rank& self = rank_of(rank);
    if (self.mood == Mood::finished) continue;
    if (observed()) [[unlikely]] tell_stayed(self, rank, false);
    outcome_.ranks[static_cast<std::size_t>(rank)] = {self.clock, self.compute, self.communication, false};
    outcome_.waiting.push_back(waiting_of(self, rank));
  }
  find_cycle();
  outcome_.by_choice = hang_is_by_choice();
}

/// What ranks have done decides a hang, theirs and those that they wait for: matching by source, tag and order is always the
/// same, but that of receives from anybody is not.
bool Engine::hang_is_by_choice() const {
  const auto chooses = [&](std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)].in_order; };
  return std::any_of(outcome_.waiting.begin(), outcome_.waiting.end(), [&](const Waiting& waiting) {
    return chooses(waiting.rank) || std::any_of(waiting.for_ranks.begin(), waiting.for_ranks.end(), chooses);
  });
}

/// Each waiting rank needs all whom it waits for: following one of them for ever, a rank must come twice.
void Engine::find_cycle() {
  std::vector<std::int32_t> next(ranks_.size(), -1), step(ranks_.size(), -1);
  for (const Waiting& waiting : outcome_.waiting)
    for (const std::int32_t partner : waiting.for_ranks)
      if (rank_of(partner).mood != Mood::finished && next[static_cast<std::size_t>(waiting.rank)] < 0) next[static_cast<std::size_t>(waiting.rank)] = partner;
  std::int32_t steps = 0;
  for (const Waiting& waiting : outcome_.waiting) {
    const std::int32_t first = steps;
    std::int32_t at = waiting.rank;
    while (at >= 0 && step[static_cast<std::size_t>(at)] < 0) {
      step[static_cast<std::size_t>(at)] = steps++;
      at = next[static_cast<std::size_t>(at)];
    }
    if (at < 0 || step[static_cast<std::size_t>(at)] < first) continue;
    const std::int32_t begin = at;
    do {
      outcome_.cycle.push_back(at);
      at = next[static_cast<std::size_t>(at)];
    } while (at != begin);
    return;
  }
}

}  // namespace parcast::simulate
