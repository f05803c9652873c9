// SPDX-License-Identifier: Apache-2.0
// Quotations are from docs/models/message_passing.md.
#include "predict/simulate/test_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "predict/simulate/test_reference_actions.h"
#include "predict/simulate/test_reference_locks.h"
#include "predict/simulate/test_reference_memory.h"
#include "predict/simulate/test_reference_network.h"

namespace parcast::simulate::reference {
namespace {

constexpr Time kNever = std::numeric_limits<Time>::max();

/// Limits the time of an interface: from kLongest on the run is refused.
Time busy_until(Time start, Time cost) {
  return std::min(start + cost, trace::kLongest);
}

struct Message {
  std::int32_t source = 0, destination = 0, tag = 0;
  std::uint32_t communicator = 0;
  bool collective = false;
  std::uint64_t number = 0;  // number among the send calls of its source
  MessageCost cost;
  bool here = false;  // its head (eager) or request (rendezvous) has arrived at the receiver
  bool matched = false;
  Time envelope = kNever;       // arrival of the envelope
  Time received_from = kNever;  // start + b
  Time complete = kNever;       // for the sender
  std::uint64_t bytes = 0;
  Rate gap_per_byte = 0;  // of its protocol
  Time departure = 0, copying = 0;
  Time further = 0;  // on a network: hops x hop latency
  Time whole = 0;    // on a network: earliest time by the end of its flow; unknown until then
  // Data that a rank reads (they count as sent by that rank itself), or writes.
  bool read = false, write = false;
  Time control = 0;  // latency of the message in the other direction

  /// Not before its envelope has arrived: until then no receive has it.
  Time can_be_received() const {
    return received_from == kNever || whole == kNever ? kNever : std::max({received_from, envelope, whole});
  }
};

struct Request {
  bool receives = false;
  std::uint64_t number = 0;          // in order of posting
  std::int32_t source = 0, tag = 0;  // of a receive: what matches
  std::uint32_t communicator = 0;
  bool collective = false;
  Message* message = nullptr;  // of a send its own; of a receive the matched one
  bool taken = false;          // of a receive: by a wait

  bool fits(const Message& candidate) const {
    return collective == candidate.collective && communicator == candidate.communicator &&
           (source == trace::kAny || source == candidate.source) &&
           (tag == trace::kAny ? candidate.tag >= 0 : tag == candidate.tag);
  }
};

struct Rank {
  std::vector<Action> actions;
  std::size_t next = 0;
  Time clock = 0;
  Time left = 0, period_ends = 0, idle_from = 0;  // of its share of a core
  Time sending_free = 0, receiving_free = 0;      // I, J
  Message* flowing = nullptr;                     // message in its sending interface whose end is unknown
  bool inside = false;                            // in a call in which it stays
  Time attended = -1;                             // time at which it last attended for a moment
  std::uint64_t sends = 0;
  std::vector<Request*> named, own;  // requests: all that waits can name, those of the current call
  std::list<Request*> posted;        // receives without a message, in order of posting
  std::list<Message*> unexpected;    // arrived envelopes without a receive, in order of arrival
  std::list<Message*> to_answer;     // requests of matched messages
  // To its own requests, with the time at which they arrive.
  std::list<std::pair<Time, Message*>> answers;
  // Requests for the sending interface: time, number of the send call.
  std::map<std::pair<Time, std::uint64_t>, Message*> asking;
  RankOutcome outcome;
};

class Simulation {
 public:
  Simulation(const trace::Trace& trace, const Platform& platform, Memory* memory = nullptr)
      : platform_(platform),
        fluid_(platform),
        memory_(memory),
        least_latency_(least_latency(trace, platform)),
        ranks_(static_cast<std::size_t>(trace.ranks)) {
    for (std::int32_t r = 0; r < trace.ranks; ++r) {
      rank(r).actions = unroll(trace, memory ? as_given(platform) : platform, r);
      rank(r).left = budget(), rank(r).period_ends = platform.share.period;
    }
  }

  Result<Outcome> run() {
    moments_.insert(0);
    while (!moments_.empty()) {
      now_ = *moments_.begin();
      moments_.erase(moments_.begin());
      if (now_ >= trace::kLongest)
        return Error{"the run takes longer than times can hold", "", "shorten the run"};
      happen();
    }
    return outcome();
  }

 private:
  /// When ranks share memory, computing takes the times of the trace here; Memory adjusts them.
  static Platform as_given(Platform platform) {
    platform.compute_ratio = kOne;
    platform.noise.reset();
    return platform;
  }

  Rank& rank(std::int32_t r) { return ranks_[static_cast<std::size_t>(r)]; }

  /// Records that an event occurs at that time.
  void remember(Time time) {
    if (time > now_) moments_.insert(time);
  }

  /// Handles all events at this time. The sending interfaces come last, so that they choose among all current
  /// requests.
  void happen() {
    if (platform_.network) end_flows();
    locks_.serve(now_);
    if (memory_) end_computing();
    do {
      while (settle()) {
      }
    } while (platform_.network ? serve_sending_interfaces_on_network() : serve_sending_interfaces());
    if (platform_.network) {
      fluid_.settle(now_);
      if (fluid_.next() != network::kNever) remember(fluid_.next());
    }
    if (memory_ && memory_->next(now_) != kNever) remember(memory_->next(now_));
  }

  void end_computing() {
    for (const Memory::Ended& ended : memory_->end(now_)) {
      Rank& one = rank(ended.rank);
      one.outcome.compute += now_ - ended.begun;
      one.outcome.contention += ended.lost;
      one.clock = now_;
      ++one.next;
    }
  }

  bool settle() {
    bool changed = serve_receiving_interfaces();
    changed |= arrive_requests();
    if (changed) arrive_envelopes();
    for (Rank& one : ranks_)
      while (act(one)) changed = true;
    changed |= answer();
    changed |= hear_answers();
    return changed;
  }

  // ---- Interfaces

  /// "Messages are served in order of their requests (ties: order of send calls): departure = max(requested,
  /// I), I = departure + f. The head arrives at departure + l."
  bool serve_sending_interfaces() {
    bool changed = false;
    for (Rank& sender : ranks_) {
      while (!sender.asking.empty() && sender.asking.begin()->first.first <= now_) {
        const auto [key, message] = *sender.asking.begin();
        sender.asking.erase(sender.asking.begin());
        const Time departure = std::max(key.first, sender.sending_free);
        sender.sending_free = busy_until(departure, message->cost.interface);
        const Time arrival = departure + message->cost.latency;
        if (message->write) {
          message->complete = departure + message->cost.interface + message->cost.latency + message->control;
          remember(message->complete);
          changed = true;
          continue;
        }
        heads_[{arrival, message->source, message->number}] = message;
        remember(arrival);
        if (!message->cost.eager) {
          message->complete = departure + message->cost.interface;
          remember(message->complete);
        }
        changed = true;
      }
    }
    return changed;
  }

  // ---- On a network

  /// "sending interface free at I": "max(d + f, E)". A message departs when its own time and that have come.
  bool serve_sending_interfaces_on_network() {
    bool changed = false;
    for (Rank& sender : ranks_) {
      while (sender.flowing == nullptr && !sender.asking.empty() &&
             std::max(sender.asking.begin()->first.first, sender.sending_free) <= now_) {
        Message* message = sender.asking.begin()->second;
        sender.asking.erase(sender.asking.begin());
        depart(sender, *message);
        changed = true;
      }
      if (sender.flowing == nullptr && !sender.asking.empty())
        remember(std::max(sender.asking.begin()->first.first, sender.sending_free));
    }
    return changed;
  }

  void depart(Rank& sender, Message& message) {
    message.departure = now_;
    const Time arrival = now_ + message.cost.latency + message.further;
    heads_[{arrival, message.source, message.number}] = &message;
    remember(arrival);
    sender.sending_free = busy_until(now_, message.cost.interface);
    if (!fluid_.passage(message.source, message.destination, message.bytes).shares)
      return leave(sender, message, now_);
    message.whole = kNever;
    sender.flowing = &message;
    fluid_.start(message.source, message.destination, message.bytes, message.gap_per_byte, &message);
  }

  void end_flows() {
    for (void* subject : fluid_.end(now_)) {
      Message& message = *static_cast<Message*>(subject);
      Rank& sender = rank(message.source);
      sender.flowing = nullptr;
      leave(sender, message, now_);
    }
  }

  /// "E is the later of d + [m G] and the flow's end"; "the later of start + b and E + l + hops x hop_latency
  /// - [m O_r]".
  void leave(Rank& sender, Message& message, Time flow_end) {
    const Time end = std::max(
        flow_end, busy_until(message.departure, rounded_product(message.bytes, message.gap_per_byte)));
    sender.sending_free = std::max(sender.sending_free, end);
    if (!message.cost.eager) message.complete = sender.sending_free;
    message.whole = end + message.cost.latency + message.further - message.copying;
    remember(sender.sending_free);
    remember(message.whole);
  }

  /// "Messages are served in order of their heads' arrival (ties: lower sending rank, then order of its send
  /// calls), receive posted or not: start = max(arrival, J), J = start + f. The message can be received from
  /// start + b".
  bool serve_receiving_interfaces() {
    bool changed = false;
    while (!heads_.empty() && std::get<0>(heads_.begin()->first) <= now_) {
      Message& message = *heads_.begin()->second;
      const Time arrival = std::get<0>(heads_.begin()->first);
      heads_.erase(heads_.begin());
      Rank& receiver = rank(message.destination);
      const Time start = std::max(arrival, receiver.receiving_free);
      receiver.receiving_free = busy_until(start, message.cost.interface);
      message.received_from = start + message.cost.body;
      remember(message.received_from);
      if (message.read) message.envelope = now_;
      if (message.cost.eager) message.here = true;
      changed = true;
    }
    return changed;
  }

  // ---- Envelopes and matching

  bool arrive_requests() {
    bool changed = false;
    while (!requests_.empty() && requests_.begin()->first <= now_) {
      requests_.begin()->second->here = true;
      requests_.erase(requests_.begin());
      changed = true;
    }
    return changed;
  }

  /// "An envelope arrives with the head (eager) or the request (rendezvous), but never before an earlier one
  /// of the same rank to the same receiver (of point-to-point messages; [...]); ties: lower sending rank,
  /// then order of its send calls." The map is ordered by sending rank. Collectives have separate channels;
  /// there a receive is posted only after the previous one from that rank.
  void arrive_envelopes() {
    for (auto& [key, channel] : channels_) {
      while (!channel.empty() && channel.front()->here) {
        Message& message = *channel.front();
        channel.pop_front();
        message.envelope = now_;
        arrive(message);
      }
    }
  }

  /// "a message [...] goes to the first posted receive of r that fits"
  void arrive(Message& message) {
    Rank& receiver = rank(message.destination);
    const auto fitting = std::find_if(receiver.posted.begin(), receiver.posted.end(),
                                      [&](const Request* request) { return request->fits(message); });
    if (fitting == receiver.posted.end()) {
      receiver.unexpected.push_back(&message);
      return;
    }
    match(**fitting, message);
    receiver.posted.erase(fitting);
  }

  /// "A receive takes, and a probe finds, the first arrived envelope that fits."
  void post(Rank& receiver, Request& request) {
    const auto fitting = std::find_if(receiver.unexpected.begin(), receiver.unexpected.end(),
                                      [&](const Message* message) { return request.fits(*message); });
    if (fitting == receiver.unexpected.end()) {
      receiver.posted.push_back(&request);
      return;
    }
    match(request, **fitting);
    receiver.unexpected.erase(fitting);
  }

  void match(Request& request, Message& message) {
    request.message = &message;
    message.matched = true;
    if (!message.cost.eager) rank(message.destination).to_answer.push_back(&message);
  }

  // ---- Rendezvous

  /// "always: a rank attends at all times. calls: it attends when a word other than compute begins, and while
  /// it stays in a receive, a wait, a probe, a read, a write, a lock, a blocking rendezvous send or a
  /// collective, from entry to exit."
  bool attends(const Rank& one) const {
    return platform_.attention == Attention::always || one.inside || one.attended == now_;
  }

  /// "The receiver answers at the earliest time at which the request has arrived, the matching receive is
  /// posted and the receiver attends (below). The answer reaches the sender H2 later."
  bool answer() {
    bool changed = false;
    for (Rank& receiver : ranks_) {
      if (!attends(receiver)) continue;
      for (Message* message : receiver.to_answer) {
        rank(message->source).answers.emplace_back(now_ + message->cost.answer, message);
        remember(now_ + message->cost.answer);
        changed = true;
      }
      receiver.to_answer.clear();
    }
    return changed;
  }

  /// "as soon as the sender attends, the message requests the sending interface"
  bool hear_answers() {
    bool changed = false;
    for (Rank& sender : ranks_) {
      if (!attends(sender)) continue;
      for (auto at = sender.answers.begin(); at != sender.answers.end();) {
        const auto [time, message] = *at;
        if (time > now_) {
          ++at;
          continue;
        }
        sender.asking[{now_, message->number}] = message;
        at = sender.answers.erase(at);
        changed = true;
      }
    }
    return changed;
  }

  // ---- A rank

  Time of_share(Time time) const { return std::llrint(static_cast<double>(time) * platform_.share.part); }
  Time budget() const { return std::max<Time>(1, of_share(platform_.share.period)); }

  /// core_share.md, period by period: "begins to work at t after idling: if t >= d or q > s (d - t): q <- Q,
  /// d <- t + T". Work that exceeds the budget continues after the end of the period, with a full budget Q.
  /// Sets the clock to the end, and returns the elapsed time.
  Time work(Rank& one, Time given) const {
    const Time begun = one.clock;
    if (platform_.share.part >= 1) return one.clock += given, given;
    if (begun > one.idle_from && (begun >= one.period_ends || one.left > of_share(one.period_ends - begun)))
      one.left = budget(), one.period_ends = begun + platform_.share.period;
    Time needed = of_share(given);
    while (needed > one.left) {
      needed -= one.left;
      one.clock = one.period_ends;
      one.left = budget();
      one.period_ends += platform_.share.period;
    }
    one.clock += needed;
    one.left -= needed;
    one.idle_from = one.clock;
    return one.clock - begun;
  }

  /// Performs the next action if it is possible now. The rank's clock is then at its end, which may be later.
  bool act(Rank& one) {
    if (one.next == one.actions.size() || one.clock > now_) return false;
    const Action& action = one.actions[one.next];
    switch (action.act) {
      case Act::compute:
        if (memory_ && memory_->begin(static_cast<std::int32_t>(&one - ranks_.data()), now_, action.time)) {
          one.clock = kNever;  // until it ends
          return true;
        }
        if (memory_) break;  // no work
        one.outcome.compute += work(one, action.time);
        break;
      case Act::enter:
        one.inside = action.stays;
        one.attended = now_;
        break;
      case Act::leave:
        if (action.stays) one.attended = now_;
        one.inside = false;
        break;
      case Act::post:
        post(one, begin_receive(one, action));
        break;
      case Act::probe:
        if (!finds(one, action)) return false;
        one.clock = now_;
        break;
      case Act::send:
        send(one, action);
        break;
      case Act::read:
      case Act::write:
        access(one, action);
        break;
      case Act::lock:
      case Act::unlock:
        lock(one, action);
        break;
      case Act::barrier:
        break;  // replaced by messages
      case Act::wait:
        return wait(one, action);
    }
    ++one.next;
    remember(one.clock);
    return true;
  }

  /// "stays until a matching envelope (below) has arrived that no receive has taken"
  static bool finds(const Rank& one, const Action& action) {
    Request wanted;
    wanted.source = action.partner;
    wanted.tag = action.tag;
    wanted.communicator = action.communicator;
    return std::any_of(one.unexpected.begin(), one.unexpected.end(),
                       [&](const Message* message) { return wanted.fits(*message); });
  }

  Request& new_request(Rank& one, const Action& action) {
    Request& request = all_requests_.emplace_back();
    request.number = all_requests_.size();
    (action.named ? one.named : one.own).push_back(&request);
    return request;
  }

  Request& begin_receive(Rank& one, const Action& action) {
    Request& request = new_request(one, action);
    request.receives = true;
    request.source = action.partner;
    request.tag = action.tag;
    request.communicator = action.communicator;
    request.collective = action.collective;
    return request;
  }

  /// "eager: the message requests the sending interface at t + o_s; t += s. Rendezvous: t += s, the request
  /// (below) leaves at that t"
  void send(Rank& one, const Action& action) {
    Message& message = all_messages_.emplace_back();
    message.source = static_cast<std::int32_t>(&one - ranks_.data());
    message.destination = action.partner;
    message.tag = action.tag;
    message.communicator = action.communicator;
    message.collective = action.collective;
    message.number = one.sends++;
    const Link& link = platform_.links[platform_.link_between(message.source, message.destination)];
    message.cost = message_cost(link, action.bytes, action.mode, least_latency_);
    message.copying = message.cost.receiver - link.receive_overhead;
    if (platform_.network) {
      message.bytes = action.bytes;
      message.gap_per_byte = message.cost.eager ? link.gap_per_byte : link.rendezvous_gap_per_byte;
      message.further = fluid_.passage(message.source, message.destination, action.bytes).further;
      message.cost.request += message.further;
      message.cost.answer += message.further;
    }
    new_request(one, action).message = &message;
    channels_[{message.source, message.destination, message.collective}].push_back(&message);
    count(action);
    one.outcome.communication += work(one, link.send_overhead);
    if (message.cost.eager) {
      one.asking[{one.clock, message.number}] = &message;
      remember(one.clock);
      message.complete = now_;  // "The request of an eager message is complete at once"
    }
    one.outcome.communication += work(one, message.cost.sender - link.send_overhead);
    if (message.cost.eager) return;
    requests_.emplace(one.clock + message.cost.request, &message);
    remember(one.clock + message.cost.request);
  }

  /// "Read: t += o_s; the head of the data is at the own receiving interface at t + l0 + l". "Write: t += s;
  /// it requests the own sending interface at the old t + o_s, and is complete at departure + f + l + l0."
  /// "An access of own memory takes no time."
  void access(Rank& one, const Action& action) {
    const auto self = static_cast<std::int32_t>(&one - ranks_.data());
    ++outcome_.accesses;
    Request& request = new_request(one, action);
    Message& message = all_messages_.emplace_back();
    request.message = &message;
    message.matched = true;
    message.complete = now_;
    if (action.partner == self) return;
    outcome_.messages += 2;
    outcome_.bytes += action.bytes;
    message.source = message.destination = self;
    message.number = one.sends++;
    const Link& link = platform_.links[platform_.link_between(self, action.partner)];
    message.cost = message_cost(link, action.bytes, trace::Mode::standard, least_latency_);
    message.copying = message.cost.receiver - link.receive_overhead;
    message.control = message_cost(link, 0, trace::Mode::buffered, least_latency_).latency;
    message.read = action.act == Act::read;
    message.write = !message.read;
    one.outcome.communication += work(one, link.send_overhead);
    if (message.read) {
      request.receives = true;
      heads_[{one.clock + message.control + message.cost.latency, self, message.number}] = &message;
      remember(one.clock + message.control + message.cost.latency);
    } else {
      message.complete = kNever;
      one.asking[{one.clock, message.number}] = &message;
      remember(one.clock);
      one.outcome.communication += work(one, message.cost.sender - link.send_overhead);
    }
  }

  /// "t += o_s; the request is at the owner at t + l0"; the grant is back l0 after it. "For the own part o_s
  /// is 0 and l0 is 1 ps."
  void lock(Rank& one, const Action& action) {
    const auto self = static_cast<std::int32_t>(&one - ranks_.data());
    const auto link_to = [&](std::int32_t owner) -> const Link& {
      return platform_.links[platform_.link_between(self, owner)];
    };
    Time busy = 0;
    for (const std::int32_t owner : action.owners)
      if (owner != self) busy = std::max(busy, link_to(owner).send_overhead);
    one.outcome.communication += work(one, busy);
    const bool takes = action.act == Act::lock;
    Message* grants = nullptr;  // of the request that is complete when all grants are back
    if (takes) {
      grants = new_request(one, action).message = &all_messages_.emplace_back();
      grants->matched = true;
      grants->complete = kNever;
    }
    const auto missing = std::make_shared<std::size_t>(action.owners.size());
    const auto latest = std::make_shared<Time>(0);
    const std::uint64_t number = one.sends++;
    for (const std::int32_t owner : action.owners) {
      const Time way =
          owner == self ? 1 : message_cost(link_to(owner), 0, trace::Mode::buffered, least_latency_).latency;
      LockLetter letter{.part = {action.communicator, action.tag, owner}, .from = self, .way_back = way};
      if (takes)
        letter.says = action.alone ? LockLetter::Says::wants_alone : LockLetter::Says::wants_to_share;
      letter.granted = [this, grants, missing, latest](Time time) {
        *latest = std::max(*latest, time);
        remember(time);
        if (--*missing == 0) grants->complete = *latest;
      };
      locks_.post(one.clock + way, number, std::move(letter));
      remember(one.clock + way);
      if (owner != self) outcome_.messages += takes ? 2 : 1;
    }
  }

  void count(const Action& action) {
    ++(action.collective ? outcome_.collective_messages : outcome_.messages);
    (action.collective ? outcome_.collective_bytes : outcome_.bytes) += action.bytes;
  }

  /// "the messages of receives are taken one by one in the order in which they can be received (ties: order
  /// of posting): t = max(t, can be received) + q. Then t = max(t, completion) over the sends." Messages
  /// still unknown now can only be received later.
  bool wait(Rank& one, const Action& action) {
    const std::vector<Request*> requests = waited_for(one, action);
    // On a network, the time from which a message could have been received may become known only later.
    const auto unknown = [](const Request* request) {
      return request->receives && !request->taken &&
             (request->message == nullptr || request->message->can_be_received() == kNever);
    };
    if (platform_.network && std::any_of(requests.begin(), requests.end(), unknown)) return false;
    Request* first = nullptr;
    bool all_taken = true;
    const auto order = [](const Request& a) { return std::pair(a.message->can_be_received(), a.number); };
    for (Request* request : requests) {
      if (!request->receives || request->taken) continue;
      all_taken = false;
      if (request->message == nullptr || request->message->can_be_received() > now_) continue;
      if (first == nullptr || order(*request) < order(*first)) first = request;
    }
    if (first != nullptr) {
      take(one, *first);
      return true;
    }
    if (!all_taken) return false;
    Time end = one.clock;
    for (const Request* request : requests)
      if (!request->receives) end = std::max(end, request->message->complete);
    if (end > now_) return false;
    one.clock = end;
    one.own.clear();
    ++one.next;
    return true;
  }

  std::vector<Request*> waited_for(const Rank& one, const Action& action) const {
    if (action.distances.empty()) return one.own;
    std::vector<Request*> requests;
    for (const std::uint32_t distance : action.distances)
      requests.push_back(one.named[one.named.size() - distance]);
    return requests;
  }

  void take(Rank& one, Request& request) {
    request.taken = true;
    one.clock = std::max(one.clock, request.message->can_be_received());
    const Message& message = *request.message;
    one.outcome.communication += work(one, message.cost.receiver - message.copying);
    one.outcome.communication += work(one, message.copying);
    // core_share.md: "A receive is not over before the last byte is there".
    one.clock = std::max(one.clock, message.can_be_received() + message.copying);
    remember(one.clock);
  }

  // ---- The end

  Outcome outcome() {
    for (Rank& one : ranks_) {
      one.outcome.end = one.clock;
      one.outcome.finished = one.next == one.actions.size();
      if (!one.outcome.finished) {
        Waiting waiting;
        waiting.rank = static_cast<std::int32_t>(&one - ranks_.data());
        waiting.since = one.clock;
        waiting.operation = one.actions[one.next].operation;
        outcome_.waiting.push_back(waiting);
      }
      outcome_.makespan = std::max(outcome_.makespan, one.clock);
      outcome_.ranks.push_back(one.outcome);
    }
    for (const Message& message : all_messages_) outcome_.unreceived += message.matched ? 0 : 1;
    return std::move(outcome_);
  }

  const Platform& platform_;
  Fluid fluid_;
  Memory* memory_;
  Time least_latency_ = 0;
  Time now_ = 0;
  std::set<Time> moments_;  // future moments
  std::vector<Rank> ranks_;
  LockOffice locks_;
  std::list<Message> all_messages_;
  std::list<Request> all_requests_;
  std::map<std::tuple<Time, std::int32_t, std::uint64_t>, Message*> heads_;  // arrival, source, number
  std::multimap<Time, Message*> requests_;                                   // under way, with their arrival
  // Source, destination, whether of collectives: envelopes that have not arrived yet.
  std::map<std::tuple<std::int32_t, std::int32_t, bool>, std::list<Message*>> channels_;
  Outcome outcome_;
};

Result<void> supported(const trace::Trace& trace) {
  for (const trace::Operation& operation : trace.operations)
    if (operation.kind == trace::Kind::collective && operation.pattern == recording::Pattern::neighbourhood)
      return Error{"collectives with the neighbours alone are not simulated", "", ""};
  return {};
}

}  // namespace

Result<Outcome> interpret(const trace::Trace& trace, const Platform& platform) {
  PARCAST_TRY(supported(trace));
  if (!platform.contention) return Simulation(trace, platform).run();
  std::vector<std::vector<Memory::Work>> found;
  if (platform.contention->recorded && platform.contention->recorded->contention) {
    Memory memory(*platform.contention->recorded, trace.ranks, Memory::Times::as_recorded, {});
    PARCAST_TRY(Simulation(trace, *platform.contention->recorded, &memory).run());
    found = memory.found();
  }
  Memory memory(platform, trace.ranks, Memory::Times::shared, found);
  return Simulation(trace, platform, &memory).run();
}

}  // namespace parcast::simulate::reference
