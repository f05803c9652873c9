// SPDX-License-Identifier: Apache-2.0
#pragma once
// The simulation engine. A rank runs ahead as long as its actions depend on nothing unknown: through
// computing, sends, and receives whose messages are known. Where the order of arrivals at its interface
// matters, it waits until no earlier message can arrive. The agenda holds the next actions of all other
// ranks, and none of them reaches another rank before the lookahead has passed. When nothing can delay a
// message, plain.cpp processes the items of the trace in fewer steps, with the same result.
// docs/models/message_passing.md defines what the engine computes; the result does not depend on the order in
// which ranks are processed. An item of a sequence is also called a word.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "predict/simulate/agenda.h"
#include "predict/simulate/arrivals.h"
#include "predict/simulate/collectives.h"
#include "predict/simulate/compiled.h"
#include "predict/simulate/gathering.h"
#include "predict/simulate/locks.h"
#include "predict/simulate/observer.h"
#include "predict/simulate/on_memory.h"
#include "predict/simulate/on_network.h"
#include "predict/simulate/periods.h"
#include "predict/simulate/records.h"
#include "predict/simulate/simulate.h"
#include "predict/simulate/slices.h"

namespace parcast::simulate {

/// Envelopes from one rank to another, which arrive in order.
struct Pair {
  Time last = 0;  // arrival of the last known one
  // Later messages whose arrival is unknown, since their own or an earlier message's is.
  std::uint32_t first = kNone, end = kNone;
};

/// A collective in progress.
struct Progress {
  CollectiveCall call;
  std::int32_t step = 0, steps = 0;
  std::uint32_t communicator = 0;
  std::uint64_t gathering = 0;  // key
  // Duration after all members have entered, for a measured collective; unknown: that of its messages.
  Time measured = kUnknown;
};

enum class Mood : std::uint8_t { running, waiting, due, finished };

/// Messages of collectives without a receive yet, in order of their sends: a few in a list, more by channel.
class EarlyMessages {
 public:
  struct Early {
    std::uint64_t key = 0;  // communicator and source
    std::uint32_t message = kNone;
  };
  void add(std::uint64_t key, std::uint32_t message) {
    if (const auto more = more_.find(key); more != more_.end()) return more->second.push_back(message);
    if (few_.size() < kFew)
      few_.push_back({key, message});
    else
      more_[key].push_back(message);
  }
  /// Removes and returns the first message of the channel; kNone if there is none.
  std::uint32_t take(std::uint64_t key) {
    for (auto at = few_.begin(); at != few_.end(); ++at) {
      if (at->key != key) continue;
      const std::uint32_t message = at->message;
      few_.erase(at);
      return message;
    }
    const auto more = more_.find(key);
    if (more == more_.end()) return kNone;
    const std::uint32_t message = more->second.front();
    more->second.pop_front();
    if (more->second.empty()) more_.erase(more);
    return message;
  }
  const std::vector<Early>& few() const { return few_; }
  const std::map<std::uint64_t, std::deque<std::uint32_t>>& more() const { return more_; }

 private:
  static constexpr std::size_t kFew = 32;
  std::vector<Early> few_;
  std::map<std::uint64_t, std::deque<std::uint32_t>> more_;
};

/// State of a rank that is rarely needed.
struct Seldom {
  Progress progress;
  std::uint64_t expected = 0;       // channel of the awaited message of a collective
  std::uint32_t expecting = kNone;  // the request for it; kNone: none
  EarlyMessages early;
  std::vector<std::uint32_t> unanswered, answered;  // messages that wait for this rank's attention
  std::vector<std::uint32_t> posted, unexpected;    // of a rank that matches in order: requests, messages
  std::unordered_map<std::int32_t, Pair> pairs;     // by source
  // Collectives begun so far, by communicator.
  std::unordered_map<std::uint32_t, std::uint32_t> collectives;
  OwnLocks locks;
};

/// Senders to this rank touch its first cache line; its own items touch the next two.
struct alignas(64) Rank {
  Arrivals arrivals;
  List awaited;
  Time until = 0;             // latest time of the awaited requests with a known time
  std::uint32_t missing = 0;  // awaited requests without a known time
  Mood mood = Mood::running;
  bool in_order = false;  // matches receives when envelopes arrive
  bool in_call = false;
  bool again : 1 = false;          // the current item was postponed
  bool in_collective : 1 = false;  // with simulated messages
  bool gathered : 1 = false;       // in a collective with a measured time
  bool probing : 1 = false;        // in a probe, until an envelope arrives
  bool attention_due : 1 = false;  // some message waits for its attention

  Time clock = 0;
  Time sending_free = 0, receiving_free = 0;  // I, J of docs/models/message_passing.md
  Time entry = 0, exit = 0;                   // of the last stay in a call, or the time of the last item
  std::uint32_t sends = 0, begun = 0;         // send calls; requests
  List requests;                              // the last `window` requests, by number

  Time compute = 0, communication = 0;
  std::uint32_t open_sends = 0;  // sends whose message has not left
  std::uint32_t asking = 0;      // its messages in the agenda that request the interface
  trace::Walker walker;
  std::uint32_t open_receives = 0;  // posted receives not known to be eager or answered
  std::uint32_t sequence = 0;
};

class Engine {
 public:
  /// `memory`: state of ranks that share memory; null when they do not.
  Engine(Compiled& compiled, Iterations iterations, std::span<Observer* const> observers,
         std::unique_ptr<OnMemory> memory = nullptr);
  Result<Outcome> run();

 private:
  friend class StateOf;

  // engine.cpp: items of the trace
  void prefetch(std::int32_t rank) const;
  void prefetch_lists(const Rank& self) const;
  void resume(std::int32_t rank, Time time);
  std::uint64_t enough_rounds(const Rank& self) const;
  Time time_of_computing(std::int32_t rank, Time given);
  Time work(Rank& self, std::int32_t rank, Time given);
  Time work_before_asking(Rank& self, std::int32_t rank, const MessageCost& of);
  void go_on(std::int32_t rank);
  bool word(Rank& self, std::int32_t rank);
  bool perform(Rank& self, std::int32_t rank, std::uint32_t operation);
  bool begin(Rank& self, std::int32_t rank, std::uint32_t operation);
  bool must_wait_for_others(const Rank& self, trace::Kind kind) const;
  void attend(Rank& self, std::int32_t rank);
  std::uint32_t send(Rank& self, std::int32_t rank, std::int32_t target, std::uint32_t cost,
                     std::uint32_t operation);
  std::uint32_t send_operation(Rank& self, std::int32_t rank, std::uint32_t operation);
  Channel& own_channel(const Rank& self, std::int32_t rank, const Action& action);
  Channel* channel_of(const Rank& receiver, std::int32_t target, const Action& action);
  std::uint32_t post(Rank& self, std::int32_t rank, std::uint32_t operation);
  void expect(Channel& channel, std::uint32_t request);
  void remember(Rank& self, std::uint32_t request);
  void forget(std::uint32_t request);
  bool choose_awaited(Rank& self, std::int32_t rank, std::uint32_t set);
  void never_begun(const Rank& self, std::int32_t rank);
  bool await_set(Rank& self, std::int32_t rank, std::uint32_t set);
  bool stay(Rank& self, std::int32_t rank);
  void leave(Rank& self);
  void take_receives(Rank& self);
  void take_only(Rank& self, const Request& request);
  void serve(Rank& self, Time until);
  Time next_event() const;
  Time horizon() const;
  Time known_at(const Request& request) const {
    return request.receive ? messages_[request.message].known() : request.time;
  }
  Time awaited_until(const Rank& self) const;
  void settle(Rank& self, std::uint32_t request);
  void drop(std::uint32_t message);
  void finish(Rank& self, std::int32_t rank);
  void take_too_long(std::int32_t rank);
  void arrive_too_late(std::int32_t rank);
  void resume_at_clock(Rank& self, std::int32_t rank);

  // plain.cpp: when nothing can delay a message, and there is no observer
  struct Arrived {
    Time available = 0;
    const MessageCost* cost = nullptr;
  };
  void run_by_slices();
  void go_on_plainly(std::int32_t rank);
  bool word_plainly(Rank& self, std::int32_t rank);
  void send_plainly(Rank& self, std::int32_t rank, const Action& action, std::uint32_t operation);
  std::uint32_t post_plainly(Rank& self, std::int32_t rank, const Action& action, std::uint32_t operation);
  bool receive_plainly(Rank& self, std::int32_t rank, const Action& action, std::uint32_t operation);
  bool wait_plainly(Rank& self, std::int32_t rank, std::uint32_t set);
  bool stay_plainly(Rank& self, std::int32_t rank);
  void leave_plainly(Rank& self);
  void serve_plainly(Rank& self, Time until);
  Arrived settle_plainly(Rank& self, std::uint32_t request);
  void put_in_order(const Arrived& next);
  void take(Rank& self, const Arrived& next);
  [[gnu::cold]] void take_with_share(Rank& self, const Arrived& next);
  void take_in_order(Rank& self);

  // observing.cpp: only with observers
  bool observed() const { return !observers_.empty(); }
  /// Kept out of the path without observers: arguments are passed by value, so that none must be stored in
  /// memory for this.
  template <class... Parameters, class... Arguments>
  [[gnu::noinline, gnu::cold]] void tell(void (Observer::*what)(Parameters...), Arguments... arguments) {
    for (Observer* each : observers_) (each->*what)(arguments...);
  }
  [[gnu::cold]] void note_entered(const Rank& self, std::int32_t rank, std::uint32_t operation);
  [[gnu::cold]] void note_stayed(const Rank& self, std::int32_t rank, bool finished);
  [[gnu::cold]] void note_sent(const Rank& self, std::uint32_t message, Time began);
  [[gnu::cold]] void note_taken(const Rank& self, std::int32_t rank);

  // rendezvous.cpp: events of the agenda
  void handle(const Event& event);
  void ask(std::uint32_t message, Time time);
  void reserve(std::uint32_t message, Time asked);
  void announce(std::uint32_t message, Time own);
  void envelope(std::uint32_t message);
  void match(std::uint32_t message, std::uint32_t request);
  void match_in_order(std::uint32_t message);
  bool take_unexpected(std::int32_t rank, std::uint32_t request);
  bool fits(std::uint32_t operation, std::int32_t rank, const Message& message) const;
  void consider_answer(std::uint32_t message);
  void answer(std::uint32_t message, Time time);
  void answer_arrived(std::uint32_t message, Time now);
  void one_known(std::uint32_t request);

  // probe.cpp
  bool begin_probe(Rank& self, std::int32_t rank, std::uint32_t operation);
  void notice(std::uint32_t message);
  void end_probe(Rank& self);

  // on_network.cpp: messages share links
  void run_in_order();
  Time next_flow_end(Time first);
  void ask_in_order(const Event& event);
  void serve_sender(std::int32_t rank, Time now);
  void depart(std::uint32_t message, Time now);
  void flow_ended(std::uint32_t message, Time now);
  void whole(std::uint32_t message, Time end);
  Time further(const Message& message) const {
    return network_ ? network_->further(message.source, message.target) : 0;
  }

  // on_memory.cpp: computing ranks share memory
  [[gnu::cold]] bool compute_in_order(Rank& self, std::int32_t rank);
  bool begin_computing(Rank& self, std::int32_t rank);
  void end_computing();

  // collective.cpp
  bool begin_collective(Rank& self, std::int32_t rank, std::uint32_t operation);
  bool join(const CollectiveCall& call, Time now, std::int32_t rank, std::uint32_t operation);
  bool wait_for_members(Rank& self, std::int32_t rank);
  bool try_to_leave(std::int32_t rank, Gathering& gathering);
  bool continue_collective(Rank& self, std::int32_t rank);
  std::uint32_t send_step(Rank& self, std::int32_t rank, std::int32_t target, std::uint64_t bytes);
  std::uint32_t post_step(Rank& self, std::int32_t rank, std::int32_t source);
  std::int32_t world_rank(std::uint32_t communicator, std::int32_t place) const;
  void deliver_step(std::int32_t source, std::int32_t target, std::uint32_t message);

  // periods.cpp
  void look_for_a_period(Time now);
  void mark(const Digest& digest, Time now);
  Counted counted() const;
  std::pair<std::uint32_t, std::uint32_t> advance_of(std::size_t rank) const;
  std::uint64_t periods_to_skip(Time now) const;
  void skip(Time now, std::uint64_t periods);

  // access.cpp
  std::uint32_t access(Rank& self, std::int32_t rank, std::uint32_t operation);
  void read(Rank& self, std::uint32_t request, std::uint32_t message);
  void write(Rank& self, std::uint32_t request, std::uint32_t message);
  Time control_latency(const Message& message);
  void written(std::uint32_t message, Time departure);

  // locks.cpp
  std::uint32_t lock(Rank& self, std::int32_t rank, std::uint32_t operation);
  void unlock(Rank& self, std::int32_t rank, std::uint32_t operation);
  bool changes_own_locks(std::int32_t rank, std::uint32_t operation);
  void spend_on_locks(Rank& self, std::int32_t rank, const trace::Operation& operation);
  void send_to_owner(std::int32_t rank, std::int32_t owner, std::uint32_t operation, std::uint32_t request,
                     std::uint32_t order);
  void count_control(std::int32_t rank, std::int32_t owner, std::uint64_t messages);
  void for_each_owner(std::int32_t rank, const trace::Operation& operation,
                      const std::function<void(std::int32_t)>& then) const;
  std::uint32_t control_cost(std::int32_t from, std::int32_t to);
  Time lock_latency(std::int32_t rank, std::int32_t owner);
  void asked_for(std::uint32_t message, Time now);
  void given_back(std::uint32_t message, Time now);
  LockedPart& part_of(const Message& message);
  bool wants_alone(const Message& message) const {
    return trace_.operations[message.operation].kind == trace::Kind::lock_exclusive;
  }
  void grant(LockedPart& part, std::uint32_t message, Time now);
  void add_holders(std::uint32_t request, std::vector<std::int32_t>& ranks) const;

  // hang.cpp
  void report_waiting();
  Waiting waiting_of(const Rank& self, std::int32_t rank) const;
  std::vector<std::int32_t> absent_members(std::int32_t rank) const;
  std::vector<std::int32_t> partners_of(const Rank& self, std::int32_t rank) const;

  const MessageCost& cost(const Message& message) const { return compiled_.costs[message.cost]; }
  Rank& rank_of(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  Seldom& seldom_of(std::int32_t rank) { return seldom_[static_cast<std::size_t>(rank)]; }
  const Seldom& seldom_of(std::int32_t rank) const { return seldom_[static_cast<std::size_t>(rank)]; }
  bool by_calls() const { return platform_.attention == Attention::calls; }

  Compiled& compiled_;
  const trace::Trace& trace_;
  const Platform& platform_;
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> lists_;  // memory of the ranks' lists
  std::vector<Seldom> seldom_;
  std::vector<NoiseOfRank> noise_;           // empty: none
  std::vector<dependence::Budget> budgets_;  // for shares of a core; empty: each rank has a complete core
  ChannelNumbers numbers_;
  std::vector<Channel> channels_;
  Pool<Message> messages_;
  Pool<Request> requests_;
  Agenda agenda_;
  // Replaces the agenda when ranks may continue in any order within a slice of time.
  std::optional<Slices> slices_;
  std::unique_ptr<OnNetwork> network_;  // null: messages share no links
  LockedParts locked_;
  // By communicator and the number of earlier collectives in it.
  std::unordered_map<std::uint64_t, Gathering> gatherings_;
  Outcome outcome_;
  std::span<Observer* const> observers_;
  struct OpenStay {
    std::uint32_t operation = kNone;
    Time from = 0, communication = 0;  // communication: of the rank until then
  };
  std::vector<OpenStay> open_;                  // of each rank; empty without observers
  std::uint64_t step_bytes_ = 0;                // size of the message of a collective that is being sent
  static constexpr std::size_t kFewTaken = 32;  // up to this number sorted on insertion
  std::vector<Arrived> taken_;                  // of the current wait
  std::uint64_t matched_ = 0;
  const bool careful_;  // items may have to wait for actions of other ranks
  // A known message may still be delayed, by earlier ones of its pair or by shared links.
  const bool delays_;
  const bool plain_;  // the complete run takes the path of plain.cpp
  const bool skips_;  // skip iterations that have become periodic
  Looks looks_;
  std::unique_ptr<OnMemory> memory_;  // null: no rank's computing slows another's
  Reference reference_;
  std::uint64_t counted_at_last_look_ = 0;
  std::optional<Error> failure_;
};

}  // namespace parcast::simulate
