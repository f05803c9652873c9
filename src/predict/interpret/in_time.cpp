// SPDX-License-Identifier: Apache-2.0
// Ranks that receive from any source. Their matches depend on which message arrives first. When no chain can
// continue, the earliest event at such ranks is handled. No later event can precede it, since all later
// events follow from events at this time or later.
#include <algorithm>

#include "predict/interpret/interpreter.h"

namespace parcast::interpret {

using trace::Kind;
using trace::Operation;

bool Interpreter::next_in_time() {
  std::int32_t first = -1;
  Time when = 0;
  bool arrives = false;
  for (const std::int32_t rank : timed_) {
    const Rank& self = at(rank);
    const auto& coming = in_time(rank).coming;
    const bool holds = self.mood == Mood::holding;
    if (self.mood == Mood::red || (!holds && coming.empty())) continue;
    const bool message = !coming.empty() && (!holds || coming.top().envelope <= self.clock);
    const Time time = message ? coming.top().envelope : self.clock;
    if (first >= 0 && std::tuple(time, !message, rank) >= std::tuple(when, !arrives, first)) continue;
    first = rank, when = time, arrives = message;
  }
  if (first < 0) return false;
  if (arrives)
    arrive(first);
  else
    look(first);
  return true;
}

/// Posts a receive, or probes; all earlier messages have arrived.
void Interpreter::look(std::int32_t rank) {
  Rank& self = at(rank);
  const Operation& operation = operation_of(self);
  InTime& mail = in_time(rank);
  const bool probes = operation.kind == Kind::probe, blocks = operation.kind == Kind::receive;
  const std::uint64_t number = probes ? 0 : blocks ? kBlocking : ++self.begun;
  const Post wanted{number, operation.peer == trace::kAny ? trace::kAny : rank + operation.peer,
                    operation.tag, operation.communicator};
  const auto fits =
      std::ranges::find_if(mail.unexpected, [&](const Message& message) { return wanted.fits(message); });
  if (probes) {
    if (fits == mail.unexpected.end())
      self.mood = Mood::probing;
    else
      finish_call(rank), let_go(rank);
    return;
  }
  self.requests.push_back(
      {.number = number, .operation = self.walker.item().index(), .receives = true, .since = self.clock});
  self.mood = Mood::ready;
  if (fits == mail.unexpected.end()) {
    mail.posts.push_back(wanted);
  } else {
    const Message message = *fits;
    mail.unexpected.erase(fits);
    match(rank, number, message);
  }
  if (blocks)
    await_blocking(rank);
  else
    finish_call(rank);
  if (self.mood == Mood::ready) let_go(rank);
}

void Interpreter::arrive(std::int32_t rank) {
  Rank& self = at(rank);
  InTime& mail = in_time(rank);
  const Message message = mail.coming.top();
  mail.coming.pop();
  const auto fits = std::ranges::find_if(mail.posts, [&](const Post& post) { return post.fits(message); });
  if (fits != mail.posts.end()) {
    const std::uint64_t request = fits->request;
    mail.posts.erase(fits);
    return match(rank, request, message);
  }
  mail.unexpected.push_back(message);
  if (self.mood != Mood::probing) return;
  const Operation& operation = operation_of(self);
  const Post wanted{0, operation.peer == trace::kAny ? trace::kAny : rank + operation.peer, operation.tag,
                    operation.communicator};
  if (!wanted.fits(message)) return;
  stay(self, message.envelope, message.envelope - message.departed, 0, 0);
  finish_call(rank);
  let_go(rank);
}

}  // namespace parcast::interpret
