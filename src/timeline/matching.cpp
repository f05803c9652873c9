// SPDX-License-Identifier: Apache-2.0
#include "timeline/matching.h"

#include <algorithm>

namespace parcast::timeline {
namespace {

using recording::CallClass;
using recording::Event;
using recording::Pattern;

bool sends(CallClass kind) {
  return kind == CallClass::send || kind == CallClass::send_receive || kind == CallClass::start_send;
}
bool receives(CallClass kind) {
  return kind == CallClass::receive || kind == CallClass::send_receive;
}

/// Returns whether all members, or the root and the others, wait for each other in this call.
bool meets(const recording::Call& call, const Event& event) {
  if (call.kind == CallClass::communicator) return event.created != 0;
  if (call.kind == CallClass::epoch) return call.pattern == Pattern::barrier;
  return call.kind == CallClass::collective && call.pattern != Pattern::neighbourhood;
}

std::size_t ranks_of(const recording::Recording& recording) {
  std::int32_t most = recording.processes;
  for (const auto& rank : recording.ranks) most = std::max(most, rank.rank + 1);
  return static_cast<std::size_t>(std::max(most, 0));
}

void take_later(std::optional<Cause>& latest, const std::optional<Cause>& other) {
  if (other && (!latest || other->at > latest->at)) latest = other;
}

}  // namespace

std::size_t Matching::Hash::operator()(const Key& key) const {
  std::uint64_t hash = key.communicator;
  for (const std::int32_t part : {key.from, key.to, key.tag})
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15ULL, hash ^= hash >> 29;
  return hash;
}

Matching::Matching(const recording::Recording& recording)
    : recording_(recording),
      communicators_(recording),
      requests_(ranks_of(recording)),
      meetings_(communicators_.all().size()),
      calls_(requests_.size()) {}

const recording::Call& Matching::call_of(const Placed& call) const {
  return recording_.calls[call.event->call];
}

std::optional<std::uint32_t> Matching::communicator(const Placed& call) const {
  return communicators_.number(call.rank, call.event->communicator);
}

Matching::Flow* Matching::flow(const std::optional<std::uint32_t>& communicator, std::int32_t from,
                               std::int32_t to, std::int32_t tag) {
  if (!communicator || from < 0 || to < 0) return nullptr;
  return &flows_[Key{*communicator, from, to, tag}];
}

/// Returns the request and forgets it.
Matching::Request Matching::take_request(std::int32_t rank, std::uint32_t number) {
  auto& own = requests_[static_cast<std::size_t>(rank)];
  const auto at = own.find(number);
  if (at == own.end()) return {};
  const Request out = at->second;
  own.erase(at);
  return out;
}

Matching::Meeting* Matching::meeting(const Placed& call) {
  const auto number = communicator(call);
  if (!number) return nullptr;
  const std::size_t which = calls_[static_cast<std::size_t>(call.rank)][*number]++;
  auto& all = meetings_[*number];
  if (all.size() <= which) all.resize(which + 1);
  return &all[which];
}

void Matching::note_meeting(const Placed& call) {
  Meeting* const met = meeting(call);
  if (!met) return;
  const Cause own{call.lane, call.enter, false};
  if (met->members++ == 0 || own.at > met->last.at) met->last = own;
  if (call.event->message.peer == call.rank) met->root = own;
}

void Matching::note(const Placed& call) {
  const Event& event = *call.event;
  const CallClass kind = call_of(call).kind;
  const auto where = communicator(call);
  if (event.request != 0)
    requests_[static_cast<std::size_t>(call.rank)][event.request] = {where.value_or(0), call.enter};
  if (sends(kind))
    if (Flow* to = flow(where, call.rank, event.message.peer, event.message.tag))
      to->sends.push_back({call.lane, call.enter, call.exit, event.message.bytes});
  if (receives(kind))
    if (Flow* from = flow(where, event.received.peer, call.rank, event.received.tag))
      from->receives.push_back({call.lane, call.enter, call.exit, event.received.bytes});
  for (const recording::Completion& done : call.completions) {
    const Request request = take_request(call.rank, done.request);
    if (Flow* from = flow(request.communicator, done.source, call.rank, done.tag))
      from->receives.push_back({call.lane, request.posted, call.exit, done.bytes});
  }
  if (meets(call_of(call), event)) note_meeting(call);
}

void Matching::finish() {
  for (auto& own : requests_) own.clear();
  for (auto& own : calls_) own.clear();
}

/// Returns the send of the message that the receive completes; null if there is none.
const Matching::Side* Matching::next_send(const Placed& call,
                                          const std::optional<std::uint32_t>& communicator, std::int32_t from,
                                          std::int32_t tag) {
  Flow* const found = flow(communicator, from, call.rank, tag);
  if (!found) return nullptr;
  const std::size_t number = found->received++;
  return number < found->sends.size() ? &found->sends[number] : nullptr;
}

/// A root waits for all others, or all others for it; without one, everybody waits for the last.
std::optional<Cause> Matching::cause_in_meeting(const Placed& call) {
  const Meeting* const met = meeting(call);
  if (!met || met->members != communicators_.all()[*communicator(call)].members.size()) return std::nullopt;
  const bool is_root = call.event->message.peer == call.rank;
  switch (call_of(call).pattern) {
    case Pattern::broadcast:
    case Pattern::scatter:
      return is_root ? std::nullopt : std::optional(met->root);
    case Pattern::reduce:
    case Pattern::gather:
      return is_root ? std::optional(met->last) : std::nullopt;
    case Pattern::scan:
      return std::nullopt;
    default:
      return met->last;
  }
}

std::optional<Cause> Matching::cause_of(const Placed& call) {
  const Event& event = *call.event;
  const CallClass kind = call_of(call).kind;
  const auto where = communicator(call);
  std::optional<Cause> latest;
  const auto wait_for_sender = [&](const Side* sent) {
    if (sent) take_later(latest, Cause{sent->lane, sent->enter, true});
  };
  // A send that waits for its receiver ends after the receive was posted.
  const auto wait_for_receiver = [&](const Flow& sends, std::size_t number) {
    if (number < sends.receives.size())
      take_later(latest, Cause{sends.receives[number].lane, sends.receives[number].enter, false});
  };
  Request request{where.value_or(0), call.enter};
  if (sends(kind))
    if (Flow* to = flow(where, call.rank, event.message.peer, event.message.tag)) {
      request.sends = to, request.number = to->sent++;
      if (kind != CallClass::start_send) wait_for_receiver(*to, request.number);
    }
  if (event.request != 0) requests_[static_cast<std::size_t>(call.rank)][event.request] = request;
  if (receives(kind)) wait_for_sender(next_send(call, where, event.received.peer, event.received.tag));
  for (const recording::Completion& done : call.completions) {
    const Request begun = take_request(call.rank, done.request);
    if (done.source >= 0) wait_for_sender(next_send(call, begun.communicator, done.source, done.tag));
    if (begun.sends) wait_for_receiver(*begun.sends, begun.number);
  }
  if (meets(call_of(call), event)) take_later(latest, cause_in_meeting(call));
  if (!latest || latest->lane == call.lane || latest->at <= call.enter || latest->at > call.exit)
    return std::nullopt;
  return latest;
}

std::vector<Message> Matching::messages(std::uint64_t every) const {
  std::vector<std::pair<Key, const Flow*>> flows;
  for (const auto& [key, flow] : flows_) flows.emplace_back(key, &flow);
  std::ranges::sort(flows, {}, [](const auto& each) { return each.first; });
  std::vector<Message> out;
  std::uint64_t number = 0;
  for (const auto& [key, flow] : flows)
    for (std::size_t i = 0; i < std::min(flow->sends.size(), flow->receives.size()); ++i)
      if (number++ % every == 0)
        out.push_back({flow->sends[i].lane, flow->receives[i].lane, flow->sends[i].enter,
                       flow->receives[i].exit, flow->sends[i].bytes, key.tag});
  std::ranges::stable_sort(out, {}, [](const Message& each) { return std::pair(each.from, each.sent); });
  return out;
}

std::uint64_t Matching::message_count() const {
  std::uint64_t out = 0;
  for (const auto& [key, flow] : flows_) out += std::min(flow.sends.size(), flow.receives.size());
  return out;
}

std::uint64_t Matching::reversed() const {
  std::uint64_t out = 0;
  for (const auto& [key, flow] : flows_)
    for (std::size_t i = 0; i < std::min(flow.sends.size(), flow.receives.size()); ++i)
      out += flow.receives[i].exit < flow.sends[i].enter;
  return out;
}

}  // namespace parcast::timeline
