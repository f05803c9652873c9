// SPDX-License-Identifier: Apache-2.0
// Ranks that can never continue: what each waits for, and cycles of ranks that wait for each other.
#include <algorithm>

#include "predict/simulate/engine.h"
#include "predict/simulate/waiting.h"

namespace parcast::simulate {

/// Returns the ranks that a rank needs to continue; empty where any rank would do.
std::vector<std::int32_t> Engine::partners_of(const Rank& self, std::int32_t rank) const {
  std::vector<std::int32_t> partners;
  if (self.gathered) return absent_members(rank);
  if (self.probing) {
    const std::int32_t peer = trace_.operations[self.walker.item().index()].peer;
    if (peer != trace::kAny) partners.push_back(rank + peer);
  }
  for (const std::uint32_t index : self.awaited) {
    const Request& request = requests_[index];
    if (!request.awaited) continue;
    if (request.operation == kNone) {
      const CollectiveStep step = step_of(seldom_of(rank).progress.call, seldom_of(rank).progress.step - 1);
      const std::int32_t place = request.receive ? step.from : step.to;
      partners.push_back(world_rank(seldom_of(rank).progress.communicator, place));
    } else if (trace::locks(trace_.operations[request.operation].kind)) {
      add_holders(index, partners);
    } else if (trace_.operations[request.operation].peer != trace::kAny) {
      partners.push_back(rank + trace_.operations[request.operation].peer);
    }
  }
  std::sort(partners.begin(), partners.end());
  partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
  return partners;
}

/// Returns the members that have not entered the collective that a rank is in.
std::vector<std::int32_t> Engine::absent_members(std::int32_t rank) const {
  const Progress& own = seldom_of(rank).progress;
  std::vector<std::int32_t> absent;
  for (std::int32_t place = 0; place < own.call.members; ++place) {
    const std::int32_t member = world_rank(own.communicator, place);
    const auto begun = seldom_of(member).collectives.find(own.communicator);
    if (begun == seldom_of(member).collectives.end() ||
        begun->second <= (own.gathering & ((std::uint64_t{1} << 40) - 1)))
      absent.push_back(member);
  }
  return absent;
}

Waiting Engine::waiting_of(const Rank& self, std::int32_t rank) const {
  Waiting waiting{.rank = rank,
                  .word = self.walker.position() - 1,
                  .operation = self.walker.item().index(),
                  .since = self.entry};
  for (const std::uint32_t index : self.awaited)
    if (requests_[index].awaited && requests_[index].operation != kNone)
      waiting.for_operations.push_back(requests_[index].operation);
  waiting.for_ranks = partners_of(self, rank);
  return waiting;
}

void Engine::report_waiting() {
  for (std::int32_t rank = 0; rank < trace_.ranks; ++rank) {
    const Rank& self = rank_of(rank);
    if (self.mood == Mood::finished) continue;
    if (observed()) [[unlikely]]
      note_stayed(self, rank, false);
    outcome_.ranks[static_cast<std::size_t>(rank)] = {self.clock, self.compute, self.communication, false};
    outcome_.waiting.push_back(waiting_of(self, rank));
  }
  explain_hang(trace_, outcome_);
}

}  // namespace parcast::simulate
