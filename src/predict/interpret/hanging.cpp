// SPDX-License-Identifier: Apache-2.0
// Chains with units that are not red at the end.
#include <algorithm>

#include "predict/interpret/interpreter.h"

namespace parcast::interpret {

using recording::Pattern;
using trace::Operation;

/// Returns the ranks that could let a rank continue; empty when any rank could.
std::vector<std::int32_t> Interpreter::awaited_ranks(std::int32_t rank) const {
  const Rank& self = at(rank);
  const Operation& operation = operation_of(self);
  std::vector<std::int32_t> out;
  if (self.mood == Mood::gathering) {
    const auto& all = self.collectives;
    const auto call =
        std::ranges::find(all, operation.communicator, &std::pair<std::uint32_t, std::uint64_t>::first)
            ->second -
        1;
    const Gathering& gathering = gatherings_.at(gathering_key(operation.communicator, call));
    const std::int32_t own = place_in(operation.communicator, rank);
    const bool root_alone = operation.pattern == Pattern::broadcast || operation.pattern == Pattern::scatter;
    for (std::int32_t place = 0; place < gathering.members; ++place)
      if (!gathering.there[static_cast<std::size_t>(place)] && (!root_alone || place == operation.root) &&
          (operation.pattern != Pattern::scan || place < own))
        out.push_back(member_of(operation.communicator, place));
  }
  if (self.mood == Mood::probing && operation.peer != trace::kAny) out.push_back(rank + operation.peer);
  if (self.steps > 0) {
    const CollectiveStep step = current_step(rank);
    for (const Request& request : self.requests)
      if (request.done == kUnknown && request.number >= kStepSends)
        out.push_back(request.receives ? step.from : step.to);
  } else if (self.mood == Mood::waiting)
    for (const Request& request : self.requests) {
      const std::int32_t peer = trace_.operations[request.operation].peer;
      if (request.done == kUnknown && peer != trace::kAny &&
          std::ranges::find(self.awaited, request.number) != self.awaited.end())
        out.push_back(rank + peer);
    }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

trace::Waiting Interpreter::waiting_of(std::int32_t rank) const {
  const Rank& self = at(rank);
  trace::Waiting out{.rank = rank,
                     .word = self.walker.position() - 1,
                     .operation = self.walker.item().index(),
                     .since = self.clock};
  if (self.mood == Mood::waiting && self.steps == 0)
    for (const Request& request : self.requests)
      if (request.done == kUnknown && std::ranges::find(self.awaited, request.number) != self.awaited.end())
        out.for_operations.push_back(request.operation);
  out.for_ranks = awaited_ranks(rank);
  return out;
}

void Interpreter::report() {
  for (std::int32_t rank = 0; rank < trace_.ranks; ++rank) {
    const Rank& self = at(rank);
    for (const Pair& each : self.inbox) out_.unreceived += each.messages.size();
    out_.ends[static_cast<std::size_t>(rank)] = self.clock;
    if (self.mood == Mood::red) continue;
    if (represents(rank) == rank) out_.waiting.push_back(waiting_of(rank));
  }
  for (const InTime& mail : in_time_) out_.unreceived += mail.coming.size() + mail.unexpected.size();
  for (const auto& [units, edge] : edges_)
    out_.edges.push_back({static_cast<std::uint32_t>(units >> 32), static_cast<std::uint32_t>(units),
                          edge.messages, edge.bytes});
  std::ranges::sort(out_.edges, {}, [](const Edge& edge) { return std::pair(edge.from, edge.to); });
  if (out_.waiting.empty()) return;
  const auto finished = [&](std::int32_t rank) { return at(rank).mood == Mood::red; };
  out_.fewest = trace::fewest_waiting(trace_.ranks, out_.waiting, finished);
  out_.by_choice = trace::is_by_choice(trace_, out_.waiting, finished);
}

}  // namespace parcast::interpret
