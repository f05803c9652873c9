// SPDX-License-Identifier: Apache-2.0
// Probes: a rank stays until an envelope matches that no receive has taken. Probes take no time.
#include "predict/simulate/engine.h"
#include "predict/simulate/steps.h"

namespace parcast::simulate {

/// Returns true when the envelope is already there: the actions of others until now are known
/// (must_wait_for_others).
bool Engine::begin_probe(Rank& self, std::int32_t rank, std::uint32_t operation) {
  const std::vector<std::uint32_t>& here = seldom_of(rank).unexpected;
  if (std::any_of(here.begin(), here.end(),
                  [&](std::uint32_t message) { return fits(operation, rank, messages_[message]); }))
    return true;
  self.awaited.clear();
  self.missing = 0;
  self.in_call = self.probing = true;
  self.mood = Mood::waiting;
  return false;
}

/// Handles an envelope that matches no posted receive. The first of several at one time ends the probe.
void Engine::notice(std::uint32_t index) {
  const Message& message = messages_[index];
  const std::int32_t rank = message.target;
  Rank& self = rank_of(rank);
  if (!self.probing || self.mood != Mood::waiting || !fits(self.walker.item().index(), rank, message)) return;
  self.clock = std::max(self.clock, message.envelope);
  if (observed()) [[unlikely]]
    tell(&Observer::found, rank, index, self.clock);
  resume_at_clock(self, rank);
}

void Engine::end_probe(Rank& self) {
  self.probing = self.in_call = false;
  self.exit = self.clock;
}

}  // namespace parcast::simulate
