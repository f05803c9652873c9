// SPDX-License-Identifier: Apache-2.0
// Handles events of the agenda: envelopes, answers to rendezvous requests, messages that request an
// interface.
#include "predict/simulate/engine.h"

namespace parcast::simulate {

void Engine::handle(const Event& event) {
  if (event.time > trace::kLongest) return take_too_long(event.rank);
  switch (event.kind) {
    case EventKind::envelope:
      return envelope(event.subject);
    case EventKind::answer:
      return answer_arrived(event.subject, event.time);
    case EventKind::resume:
      return plain_ ? go_on_plainly(event.rank) : go_on(event.rank);
    case EventKind::unlock:
      return given_back(event.subject, event.time);
    case EventKind::lock:
      return asked_for(event.subject, event.time);
    case EventKind::ask:
      break;
  }
  if (network_) return ask_in_order(event);
  --rank_of(event.rank).asking;
  reserve(event.subject, event.time);
}

void Engine::ask(std::uint32_t index, Time time) {
  const Message& message = messages_[index];
  ++rank_of(message.source).asking;
  if (observed()) [[unlikely]]
    tell(&Observer::asked, index, time);
  agenda_.push({time, EventKind::ask, message.source, message.source, message.order, index});
}

/// Sets an envelope's own arrival time; the envelope does not overtake earlier ones of its pair.
void Engine::announce(std::uint32_t index, Time own) {
  messages_[index].envelope = own;
  if (!messages_[index].listed) {
    const Message& message = messages_[index];
    if (observed()) [[unlikely]]
      tell(&Observer::announced, index, own, own);
    return agenda_.push({own, EventKind::envelope, message.target, message.source, message.order, index});
  }
  Rank& receiver = rank_of(messages_[index].target);
  Pair& pair = seldom_of(messages_[index].target).pairs[messages_[index].source];
  while (pair.first != kNone && messages_[pair.first].envelope != kUnknown) {
    const std::uint32_t first = pair.first;
    Message& message = messages_[first];
    const Time alone = message.envelope;
    pair.last = message.envelope = std::max(alone, pair.last);
    if (observed()) [[unlikely]]
      tell(&Observer::announced, first, alone, message.envelope);
    pair.first = message.next_of_pair;
    message.listed = false;
    if (!cost(message).eager || receiver.in_order)
      agenda_.push(
          {message.envelope, EventKind::envelope, message.target, message.source, message.order, first});
    else
      drop(first);
  }
}

void Engine::envelope(std::uint32_t index) {
  Message& message = messages_[index];
  message.arrived = true;
  if (message.operation != kNone && rank_of(message.target).in_order) return match_in_order(index);
  if (message.receive != kNone) consider_answer(index);
}

/// Returns whether a message matches what the rank receives or probes for.
bool Engine::fits(std::uint32_t operation, std::int32_t rank, const Message& message) const {
  const trace::Operation& wanted = trace_.operations[operation];
  const trace::Operation& sent = trace_.operations[message.operation];
  return wanted.communicator == sent.communicator && trace::tag_fits(wanted.tag, sent.tag) &&
         (wanted.peer == trace::kAny || rank + wanted.peer == message.source);
}

void Engine::match_in_order(std::uint32_t index) {
  Seldom& receiver = seldom_of(messages_[index].target);
  const auto at = std::find_if(receiver.posted.begin(), receiver.posted.end(), [&](std::uint32_t request) {
    return fits(requests_[request].operation, requests_[request].rank, messages_[index]);
  });
  if (at == receiver.posted.end()) {
    receiver.unexpected.push_back(index);
    return notice(index);
  }
  const std::uint32_t request = *at;
  receiver.posted.erase(at);
  match(index, request);
}

bool Engine::take_unexpected(std::int32_t rank, std::uint32_t request) {
  Seldom& self = seldom_of(rank);
  const auto at = std::find_if(self.unexpected.begin(), self.unexpected.end(), [&](std::uint32_t message) {
    return fits(requests_[request].operation, rank, messages_[message]);
  });
  if (at == self.unexpected.end()) return false;
  const std::uint32_t message = *at;
  self.unexpected.erase(at);
  match(message, request);
  return true;
}

/// A request has arrived and is matched: answer it at once if the receiver attends, otherwise when it next
/// does.
void Engine::consider_answer(std::uint32_t index) {
  const Message& message = messages_[index];
  const Time posted = requests_[message.receive].time, arrived = message.envelope;
  if (posted >= arrived || !by_calls()) return answer(index, std::max(posted, arrived));
  Rank& receiver = rank_of(message.target);
  if (receiver.entry <= arrived && (receiver.in_call || arrived <= receiver.exit))
    return answer(index, arrived);
  receiver.attention_due = true;
  seldom_of(message.target).unanswered.push_back(index);
}

void Engine::answer(std::uint32_t index, Time time) {
  Message& message = messages_[index];
  message.answered = true;
  const Time there = time + cost(message).answer + further(message);
  if (observed()) [[unlikely]]
    tell(&Observer::answered, index, message.receive, time, there);
  --rank_of(message.target).open_receives;
  agenda_.push({there, EventKind::answer, message.source, message.target, message.order, index});
}

void Engine::answer_arrived(std::uint32_t index, Time now) {
  Rank& sender = rank_of(messages_[index].source);
  if (!by_calls() || (sender.entry <= now && (sender.in_call || now <= sender.exit))) return ask(index, now);
  sender.attention_due = true;
  seldom_of(messages_[index].source).answered.push_back(index);
}

}  // namespace parcast::simulate
