// SPDX-License-Identifier: Apache-2.0
// Quotations are from docs/models/extrap.md.
#include "predict/simulate/extrap/test_reference.h"

#include <algorithm>
#include <coroutine>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "predict/simulate/extrap/test_network.h"
#include "predict/simulate/extrap/test_task.h"
#include "predict/simulate/test_reference_actions.h"

namespace parcast::simulate::extrap::reference {
namespace {

using simulate::reference::Act;
using simulate::reference::Action;

constexpr Time kNever = std::numeric_limits<Time>::max();

struct Rank {
  std::int32_t number = 0;
  std::vector<Action> actions;
  std::coroutine_handle<> at;          // place where it continues
  Time until = 0;                      // time when it continues, or
  bool on_news = false, news = false;  // when an event for it occurs
  RankOutcome outcome;
  bool ended = false;
  std::list<std::pair<Message*, std::uint64_t>> requests;  // to serve, with their place in the queue
  std::list<Message*> unexpected;
  std::list<Wanted*> posted;
  std::vector<Wanted*> named, own;
  std::uint64_t sent = 0, queued = 0;
  std::map<std::uint32_t, std::uint64_t> barriers;
};

struct HardwareBarrier {
  std::size_t in = 0;
  Time all_in = kNever, lowered = kNever;
};

class Simulation {
 public:
  Simulation(const trace::Trace& trace, const Platform& platform, BarrierAlgorithm barrier)
      : trace_(trace),
        p_(platform.parameters),
        barrier_(barrier),
        ranks_(static_cast<std::size_t>(trace.ranks)),
        network_(platform.parameters, trace.ranks, moments_) {
    simulate::Platform like;  // the parts needed to unroll loops and schedules
    like.links.emplace_back();
    like.compute_ratio = p_.mips_ratio;
    like.collectives = platform.collectives;
    for (std::int32_t r = 0; r < trace.ranks; ++r) {
      Rank& one = rank(r);
      one.number = r;
      one.actions = simulate::reference::unroll(trace, like, r, true);
      lives_.push_back(live(one));
      one.at = lives_.back().handle;
    }
  }

  Outcome run() {
    moments_.insert(0);
    while (!moments_.empty()) {
      now_ = *moments_.begin();
      moments_.erase(moments_.begin());
      happen();
    }
    for (const Rank& one : ranks_) {
      outcome_.ranks.push_back(one.outcome);
      outcome_.ranks.back().finished = one.ended;
      if (one.ended)
        outcome_.makespan = std::max(outcome_.makespan, one.outcome.end);
      else
        outcome_.waiting.push_back({.rank = one.number});
    }
    return outcome_;
  }

 private:
  Rank& rank(std::int32_t r) { return ranks_[static_cast<std::size_t>(r)]; }

  void happen() {
    network_.arrive(now_);
    become_available();
    for (bool changed = true; changed;) {
      changed = false;
      for (Rank& one : ranks_) {
        if (one.until > now_ && !(one.on_news && one.news)) continue;
        one.until = kNever;
        one.on_news = one.news = false;
        one.at.resume();
        changed = true;
      }
    }
    network_.use(now_);
  }

  // ---- Time of a processor

  struct Pause {
    Simulation& simulation;
    Rank& one;
    Time until;
    bool on_news;
    bool await_ready() const { return until <= simulation.now_ && !on_news; }
    void await_suspend(std::coroutine_handle<> at) {
      one.at = at;
      one.until = until;
      one.on_news = on_news;
      one.news = false;
      if (until != kNever) simulation.moments_.insert(until);
    }
    void await_resume() const {}
  };
  Pause busy(Rank& one, Time time) {
    if (!one.ended) one.outcome.communication += time;
    return {*this, one, now_ + time, false};
  }
  Pause news(Rank& one, Time at_latest = kNever) { return {*this, one, at_latest, true}; }

  Time packing(std::uint64_t m) const { return p_.pack_startup + product(m, p_.byte_pack); }
  Time taking() const { return p_.get_try + p_.get_startup + p_.get; }

  /// "To serve a request: R + MsgProcessingTime + P(reply), then the reply is handed over."
  Task serve(Rank& one) {
    const Message request = *one.requests.front().first;
    one.requests.pop_front();
    co_await busy(one, taking() + p_.processing + packing(request.reply_bytes));
    Message& reply = new_message(one.number, request.source, request.reply_bytes);
    reply.asked_by = request.asked_by;
    network_.hand_over(reply, now_);
  }

  /// "As long as a look finds a request it is served; the look that finds none ends the poll."
  Task poll(Rank& one) {
    while (!one.requests.empty()) co_await serve(one);
    co_await busy(one, p_.get_try);
  }

  Task compute(Rank& one, Time left) {
    one.outcome.compute += left;
    const bool periodic = p_.service == Service::periodic_polling || p_.service == Service::both_pollings;
    Time chunk = p_.delta;
    while (left > 0) {
      if (p_.service == Service::interrupt && !one.requests.empty()) {
        co_await serve(one);
        continue;
      }
      const Time stretch = periodic ? std::min(left, chunk) : left, began = now_;
      if (p_.service == Service::interrupt)
        co_await news(one, now_ + stretch);
      else
        co_await Pause{*this, one, now_ + stretch, false};
      left -= now_ - began;
      chunk -= now_ - began;
      if (!periodic || chunk > 0) continue;
      co_await poll(one);
      chunk = p_.delta;
    }
  }

  /// "a rank under every policy takes what is available first of what it waits for and of requests to serve"
  Task wait(Rank& one, std::vector<Wanted*> wanted, Time extra = 0) {
    std::erase_if(wanted, [](const Wanted* each) { return each->done; });
    while (!wanted.empty()) {
      auto first = wanted.end();
      for (auto each = wanted.begin(); each != wanted.end(); ++each)
        if ((*each)->message && (first == wanted.end() || (*each)->place < (*first)->place)) first = each;
      if (!one.requests.empty() && (first == wanted.end() || one.requests.front().second < (*first)->place)) {
        co_await serve(one);
      } else if (first != wanted.end()) {
        (*first)->done = true;
        wanted.erase(first);
        co_await busy(one, taking() + extra);
      } else {
        co_await news(one);
      }
    }
  }

  /// "waits [...] until a message that fits is in the queue and no receive has it"; requests that arrived
  /// before it are served first.
  Task probe(Rank& one, const Action& action) {
    Wanted wanted;
    wanted.source = action.partner;
    wanted.tag = action.tag;
    wanted.communicator = action.communicator;
    for (;;) {
      const auto found = std::find_if(one.unexpected.begin(), one.unexpected.end(),
                                      [&](const Message* each) { return wanted.fits(*each); });
      const bool there = found != one.unexpected.end();
      if (!one.requests.empty() && (!there || one.requests.front().second < places_[*found]))
        co_await serve(one);
      else if (there)
        co_return;
      else
        co_await news(one);
    }
  }

  /// The same for a time that other ranks set ("ties: requests first").
  Task wait_until(Rank& one, const Time& moment) {
    for (;;) {
      if (!one.requests.empty() && available_[one.requests.front().first] <= moment)
        co_await serve(one);
      else if (moment != kNever)
        co_return;
      else
        co_await news(one);
    }
  }

  // ---- A rank

  Task live(Rank& one) {
    for (const Action& action : one.actions) {
      switch (action.act) {
        case Act::compute:
          co_await compute(one, action.time);
          break;
        case Act::enter:
          one.own.clear();
          if (p_.service == Service::predefined_polling || p_.service == Service::both_pollings)
            co_await poll(one);
          break;
        case Act::post:
          post(one, want(one, action));
          break;
        case Act::send:
          co_await send(one, action);
          break;
        case Act::probe:
          co_await probe(one, action);
          break;
        case Act::read:
          co_await access(one, action, p_.request_bytes, action.bytes);
          break;
        case Act::write:
          co_await access(one, action, p_.request_bytes + action.bytes, p_.request_bytes);
          break;
        case Act::barrier:
          if (p_.barrier_by_messages)
            co_await barrier(one, action.communicator);
          else
            co_await hardware_barrier(one, action.communicator);
          break;
        case Act::wait: {
          std::vector<Wanted*> wanted = one.own;
          if (!action.distances.empty()) wanted.clear();
          for (const std::uint32_t distance : action.distances)
            if (Wanted* each = one.named[one.named.size() - distance]) wanted.push_back(each);
          co_await wait(one, wanted);
          one.own.clear();
          break;
        }
        case Act::lock:  // ExtraP has none
        case Act::unlock:
        case Act::leave:
          break;
      }
    }
    one.outcome.end = now_;
    one.ended = true;
    for (;;) {
      if (one.requests.empty())
        co_await news(one);
      else
        co_await serve(one);
    }
  }

  Wanted& want(Rank& one, const Action& action) {
    Wanted& wanted = wanted_.emplace_back();
    wanted.source = action.partner;
    wanted.tag = action.tag;
    wanted.communicator = action.communicator;
    wanted.collective = action.collective;
    (action.named ? one.named : one.own).push_back(&wanted);
    return wanted;
  }

  void post(Rank& one, Wanted& wanted) {
    const auto found = std::find_if(one.unexpected.begin(), one.unexpected.end(),
                                    [&](const Message* each) { return wanted.fits(*each); });
    if (found == one.unexpected.end()) return one.posted.push_back(&wanted);
    match(wanted, **found);
    one.unexpected.erase(found);
  }

  void match(Wanted& wanted, Message& message) {
    --outcome_.unreceived;
    wanted.message = &message;
    wanted.place = places_[&message];
  }

  Message& new_message(std::int32_t source, std::int32_t target, std::uint64_t bytes) {
    Message& message = messages_.emplace_back();
    message.source = source;
    message.target = target;
    message.bytes = bytes;
    message.number = rank(source).sent++;
    return message;
  }

  Task send(Rank& one, const Action& action) {
    Message& message = new_message(one.number, action.partner, action.bytes);
    message.tag = action.tag;
    message.communicator = action.communicator;
    message.collective = action.collective;
    if (action.named) one.named.push_back(nullptr);
    ++(action.collective ? outcome_.collective_messages : outcome_.messages);
    (action.collective ? outcome_.collective_bytes : outcome_.bytes) += action.bytes;
    ++outcome_.unreceived;
    co_await busy(one, packing(action.bytes));
    network_.hand_over(message, now_);
  }

  Task access(Rank& one, const Action& action, std::uint64_t out, std::uint64_t back) {
    ++outcome_.accesses;
    if (action.partner == one.number) {
      if (action.named) one.named.push_back(nullptr);
      co_return;
    }
    outcome_.messages += 2;
    outcome_.bytes += out + back;
    Message& request = new_message(one.number, action.partner, out);
    request.is_request = true;
    request.reply_bytes = back;
    request.asked_by = &want(one, action);
    co_await busy(one, packing(out));
    network_.hand_over(request, now_);
  }

  // ---- Barriers

  /// Linear, or a binomial tree: "parent: the place less its lowest set bit; the release goes to the largest
  /// subtree first".
  Task barrier(Rank& one, std::uint32_t communicator) {
    const std::vector<std::int32_t> members = simulate::reference::members_of(trace_, communicator);
    const int p = static_cast<int>(members.size()),
              self =
                  static_cast<int>(std::find(members.begin(), members.end(), one.number) - members.begin());
    const auto parent_of = [&](int place) {
      return barrier_ == BarrierAlgorithm::linear ? 0 : place & (place - 1);
    };
    std::vector<int> children;
    for (int place = 1; place < p; ++place)
      if (parent_of(place) == self) children.push_back(place);
    if (barrier_ == BarrierAlgorithm::logarithmic) std::reverse(children.begin(), children.end());
    Action message{.communicator = communicator, .collective = true, .bytes = p_.barrier_bytes};
    co_await busy(one, p_.entry);
    if (self == 0 || !children.empty()) co_await busy(one, p_.check);
    one.own.clear();
    for (const int child : children) {
      message.partner = members[static_cast<std::size_t>(child)];
      post(one, want(one, message));
    }
    co_await wait(one, one.own, p_.check);
    one.own.clear();
    if (self == 0) {
      co_await busy(one, p_.model);
    } else {
      message.partner = members[static_cast<std::size_t>(parent_of(self))];
      co_await send(one, message);
      post(one, want(one, message));
      co_await wait(one, one.own, p_.exit_check);
      one.own.clear();
    }
    for (const int child : children) {
      message.partner = members[static_cast<std::size_t>(child)];
      co_await send(one, message);
    }
    co_await busy(one, p_.exit);
  }

  Task hardware_barrier(Rank& one, std::uint32_t communicator) {
    const std::vector<std::int32_t> members = simulate::reference::members_of(trace_, communicator);
    HardwareBarrier& barrier = hardware_[{communicator, one.barriers[communicator]++}];
    co_await busy(one, p_.entry);
    if (++barrier.in == members.size()) barrier.all_in = now_, tell(members);
    if (members[0] == one.number) {
      co_await wait_until(one, barrier.all_in);
      co_await busy(one, p_.check + p_.model);
      barrier.lowered = now_;
      tell(members);
    } else {
      co_await wait_until(one, barrier.lowered);
      co_await busy(one, p_.exit_check);
    }
    co_await busy(one, p_.exit);
  }

  void tell(const std::vector<std::int32_t>& members) {
    for (const std::int32_t member : members) rank(member).news = true;
  }

  // ---- The queue

  void become_available() {
    while (Message* next = network_.next_available(now_)) {
      Message& message = *next;
      Rank& one = rank(message.target);
      one.news = true;
      available_[&message] = now_;
      const std::uint64_t place = places_[&message] = one.queued++;
      if (message.is_request) {
        one.requests.emplace_back(&message, place);
      } else if (message.asked_by != nullptr) {
        message.asked_by->message = &message;
        message.asked_by->place = place;
      } else {
        const auto found = std::find_if(one.posted.begin(), one.posted.end(),
                                        [&](const Wanted* each) { return each->fits(message); });
        if (found == one.posted.end()) {
          one.unexpected.push_back(&message);
        } else {
          match(**found, message);
          one.posted.erase(found);
        }
      }
    }
  }

  const trace::Trace& trace_;
  const Parameters& p_;
  BarrierAlgorithm barrier_;
  Time now_ = 0;
  std::set<Time> moments_;
  std::vector<Rank> ranks_;
  Network network_;
  std::list<Task> lives_;
  std::list<Message> messages_;
  std::list<Wanted> wanted_;
  std::map<const Message*, Time> available_;
  std::map<const Message*, std::uint64_t> places_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, HardwareBarrier> hardware_;
  Outcome outcome_;
};

}  // namespace

Outcome interpret(const trace::Trace& trace, const Platform& platform, BarrierAlgorithm barrier) {
  return Simulation(trace, platform, barrier).run();
}

}  // namespace parcast::simulate::extrap::reference
