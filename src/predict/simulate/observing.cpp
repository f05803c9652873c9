// SPDX-License-Identifier: Apache-2.0
// Reports that the engine computes for its observers.
#include <algorithm>

#include "predict/simulate/engine.h"

namespace parcast::simulate {

void Engine::note_entered(const Rank& self, std::int32_t rank, std::uint32_t operation) {
  if (open_.empty()) open_.resize(ranks_.size());
  open_[static_cast<std::size_t>(rank)] = {operation, self.clock, self.communication};
  for (Observer* each : observers_) each->entered(rank, operation, self.clock);
}

/// Reports the stay in the rank's last operation, if there is one.
void Engine::note_stayed(const Rank& self, std::int32_t rank, bool finished) {
  if (open_.empty()) return;
  OpenStay& open = open_[static_cast<std::size_t>(rank)];
  if (open.operation == kNone) return;
  const Stay stay{rank,    open.operation, open.from, self.clock, self.communication - open.communication,
                  finished};
  open.operation = kNone;
  for (Observer* each : observers_) each->stayed(stay);
}

/// Called right after the sender was busy with the message.
void Engine::note_sent(const Rank& self, std::uint32_t index, Time began) {
  const Message& message = messages_[index];
  const bool of_collective = message.operation == kNone;
  const Sent sent{.message = index,
                  .sender = message.source,
                  .receiver = message.target,
                  .operation = of_collective ? self.walker.item().index() : message.operation,
                  .of_collective = of_collective,
                  .bytes = of_collective ? step_bytes_ : trace_.operations[message.operation].bytes,
                  .at = began,
                  .until = self.clock,
                  .cost = cost(message)};
  for (Observer* each : observers_) each->sent(sent);
}

/// Reports in the order of take_receives: receives in the order in which they can be taken, then sends.
void Engine::note_taken(const Rank& self, std::int32_t rank) {
  std::vector<std::uint32_t> receives;
  std::uint32_t send = kNone;
  for (const std::uint32_t index : self.awaited) {
    if (requests_[index].receive)
      receives.push_back(index);
    else if (send == kNone || requests_[index].time > requests_[send].time)
      send = index;
  }
  const auto available = [&](std::uint32_t request) {
    return messages_[requests_[request].message].available;
  };
  std::stable_sort(receives.begin(), receives.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return available(a) < available(b); });
  Time clock = self.clock;
  dependence::Budget budget =
      budgets_.empty() ? dependence::Budget() : budgets_[static_cast<std::size_t>(rank)];
  for (const std::uint32_t index : receives) {
    const Request& request = requests_[index];
    const Time from = std::max(clock, available(index));
    const MessageCost& of = cost(messages_[request.message]);
    if (budgets_.empty())
      clock = from + of.receiver;
    else
      clock = std::max(
          budget.work(platform_.share, budget.work(platform_.share, from, of.receiver - of.stream.copying),
                      of.stream.copying),
          available(index) + of.stream.copying);
    clock = std::min(clock, trace::kLongest + 1);
    const Taken taken{.message = request.message,
                      .receiver = rank,
                      .operation = self.walker.item().index(),
                      .request = request.number == kNone ? -1 : static_cast<std::int64_t>(request.number),
                      .available = available(index),
                      .from = from,
                      .to = clock};
    for (Observer* each : observers_) each->taken(taken);
  }
  if (send == kNone || requests_[send].time <= clock) return;
  for (Observer* each : observers_) each->awaited_send(rank, send, requests_[send].time);
}

}  // namespace parcast::simulate
