// SPDX-License-Identifier: Apache-2.0
// Messages that share links. Flows begin and end in order of time, and a message's arrival is known only when
// its flow ends.
#include "predict/simulate/engine.h"
#include "predict/simulate/steps.h"

namespace parcast::simulate {
void OnNetwork::report(Outcome& outcome) const {
  constexpr std::size_t kMost = 10;
  outcome.slowed = flows.slowed();
  std::vector<network::LinkId> links;
  for (network::LinkId link = 0; link < network.capacities().size(); ++link)
    if (flows.carried(link) > 0) links.push_back(link);
  const auto busier = [&](network::LinkId a, network::LinkId b) {
    const Wide x = Wide{flows.capacity(b)} * flows.carried(a), y = Wide{flows.capacity(a)} * flows.carried(b);
    return x > y || (x == y && a < b);
  };
  const std::size_t shown = std::min(links.size(), kMost);
  std::partial_sort(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(shown), links.end(), busier);
  links.resize(shown);
  for (const network::LinkId link : links)
    outcome.busiest.push_back(
        {network.name_of(link), flows.carried(link),
         static_cast<double>(flows.capacity(link)) / static_cast<double>(network::kPerBytePerSecond)});
}

/// In one instant, first ends flows and computing, then handles other events; shares are computed when time
/// advances.
void Engine::run_in_order() {
  while (!failure_) {
    const Time first = agenda_.empty() ? network::kNever : agenda_.first();
    const Time computed = memory_ ? memory_->domains.next_end() : network::kNever;
    const Time flowed = network_ ? next_flow_end(std::min(first, computed)) : network::kNever;
    const Time end = std::min(computed, flowed);
    if (end == network::kNever && agenda_.empty()) return;
    if (end > first) {
      handle(agenda_.pop());
      continue;
    }
    if (end > trace::kLongest) return take_too_long(0);
    if (flowed == end)
      for (const std::uint32_t message : network_->flows.end(end)) flow_ended(message, end);
    if (computed == end) end_computing();
  }
}

/// Returns when the next flow ends, if nothing else happens before; at `first` the next other event happens.
Time Engine::next_flow_end(Time first) {
  network::Flows& flows = network_->flows;
  if (flows.unsettled() && first > flows.time()) flows.settle();
  return flows.unsettled() ? network::kNever : flows.next_end();
}

/// A message requests the interface, or the interface is free again.
void Engine::ask_in_order(const Event& event) {
  if (event.subject != kNone) {
    --rank_of(event.rank).asking;
    network_->passage(event.subject).asked = event.time;
    network_->senders[static_cast<std::size_t>(event.rank)].waiting.push_back(event.subject);
  }
  serve_sender(event.rank, event.time);
}

void Engine::serve_sender(std::int32_t rank, Time now) {
  OnNetwork::Sender& sender = network_->senders[static_cast<std::size_t>(rank)];
  const Time& free = rank_of(rank).sending_free;
  while (!sender.empty() && !sender.sending && free <= now) depart(sender.take(), now);
  if (sender.empty() || sender.sending || sender.called == free) return;
  sender.called = free;
  agenda_.push({free, EventKind::ask, rank, rank, 0, kNone});
}

/// The message leaves through the sending interface, as a flow if its route has links.
void Engine::depart(std::uint32_t index, Time now) {
  Message& message = messages_[index];
  const MessageCost of = cost(message);
  Rank& sender = rank_of(message.source);
  const Time head = within(now + of.latency + further(message));
  if (head > trace::kLongest) arrive_too_late(message.source);
  OnNetwork::Passage& passage = network_->passage(index);
  passage.departure = now;
  passage.head = head;
  if (observed()) [[unlikely]]
    tell(&Observer::departed, index, message.send, passage.asked, now, head);
  sender.sending_free = within(now + of.interface);
  if (message.send != kNone) --sender.open_sends;
  if (of.eager && message.listed) announce(index, head);
  rank_of(message.target).arrivals.push({head, message.source, message.order, index});
  network_->network.way(network_->node_of(message.source), network_->node_of(message.target), network_->way);
  if (of.stream.bytes == 0 || network_->way.empty()) return whole(index, within(now + of.stream.time));
  network_->senders[static_cast<std::size_t>(message.source)].sending = true;
  network_->flows.start(now, of.stream.bytes, network_->way, of.stream.bound, index);
}

void Engine::flow_ended(std::uint32_t index, Time now) {
  const std::int32_t source = messages_[index].source;
  const Time end =
      std::max(now, within(network_->passage(index).departure + cost(messages_[index]).stream.time));
  Time& free = rank_of(source).sending_free;
  free = std::max(free, end);
  network_->senders[static_cast<std::size_t>(source)].sending = false;
  whole(index, end);
  serve_sender(source, now);
}

/// Records that the last byte leaves the sender at `end`. Now the time at which the message can be received
/// is known. For waiting ranks it is not earlier than now.
void Engine::whole(std::uint32_t index, Time end) {
  Message& message = messages_[index];
  const auto [asked, departure, head] = network_->passage(index);
  message.head = std::max(head, end);
  const bool served = message.available != kUnknown;  // its head already was
  message.available =
      std::max(message.available, within(end + (head - departure) - cost(message).stream.copying));
  if (served && observed()) [[unlikely]]
    tell(&Observer::delayed, index, message.available);
  if (message.send != kNone) {
    Request& request = requests_[message.send];
    request.time = rank_of(message.source).sending_free;
    request.complete = true;
    if (request.awaited)
      one_known(message.send);
    else if (request.forgotten)
      requests_.give(message.send);
    message.send = kNone;
  }
  if (message.receive != kNone && requests_[message.receive].awaited) one_known(message.receive);
}

}  // namespace parcast::simulate
