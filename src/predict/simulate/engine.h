// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine. A rank runs ahead as far as what it does depends on nothing unknown: through computing, sends, and receives
// whose messages are known. Where the order of arrivals at its interface matters it waits until no earlier one can come:
// all other ranks' next actions stand in an agenda, and nothing they do reaches another rank sooner than the lookahead.
// docs/models/message_passing.md is what it computes; nothing depends on the order in which ranks are taken up.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "predict/simulate/collectives.h"
#include "predict/simulate/compiled.h"
#include "predict/simulate/gathering.h"
#include "predict/simulate/records.h"
#include "predict/simulate/simulate.h"

namespace parcast::simulate {

/// Envelopes of one rank for another, which arrive in order.
struct Pair {
  Time last = 0;                           // arrival of the last one that is known
  std::uint32_t first = kNone, end = kNone;  // messages that follow it, whose own arrival or an earlier one's is not known
};

/// A collective under way.
struct Progress {
  CollectiveCall call;
  std::int32_t step = 0, steps = 0;
  std::uint32_t communicator = 0;
  std::uint64_t gathering = 0;   // key
  Time measured = kUnknown;      // that it takes once all are there; unknown: as its messages do
};

enum class Mood : std::uint8_t { running, waiting, due, finished };

/// What few ranks need, and seldom.
struct Seldom {
  std::vector<std::uint32_t> unanswered, answered;  // messages that wait for this rank's attention
  std::vector<std::uint32_t> posted, unexpected;    // of an ordered rank: requests, messages
  std::unordered_map<std::uint64_t, Channel> collective_channels;  // by communicator and source
  std::unordered_map<std::int32_t, Pair> pairs;     // by source
  std::unordered_map<std::uint32_t, std::uint32_t> collectives;  // begun so far, by communicator
  Progress progress;
};

struct Rank {
  Time clock = 0, compute = 0, communication = 0;
  Time sending_free = 0, receiving_free = 0;   // I, J
  Time entry = 0, exit = 0;                    // of the last stay in a call, or the moment of the last word
  std::uint32_t sequence = 0;
  std::uint32_t sends = 0, begun = 0;          // send calls; requests
  std::uint32_t missing = 0;                   // of the awaited requests, whose time is not known
  std::uint32_t open_receives = 0;             // posted, and not known to be eager or answered
  std::uint32_t open_sends = 0;                // whose message has not left
  std::uint32_t asking = 0;                    // messages that are in the agenda to ask for the interface
  Mood mood = Mood::running;
  bool in_call = false;
  bool again = false;                          // the word at hand was put off
  bool in_collective = false;                  // by messages
  bool gathered = false;                       // in a collective that takes the time measured for it
  bool in_order = false;                       // receives as envelopes arrive
  bool attention_due = false;                  // something waits for its attention
  std::vector<Arrival> arrivals;               // a heap
  std::vector<std::uint32_t> awaited;
  std::vector<std::uint32_t> requests;         // the last `window` ones, by number
  trace::Walker walker;
};

class Engine {
 public:
  explicit Engine(Compiled& compiled);
  Result<Outcome> run();

 private:
  // engine.cpp: words
  void go_on(std::int32_t rank);
  bool word(Rank& self, std::int32_t rank);
  bool perform(Rank& self, std::int32_t rank, std::uint32_t operation);
  bool begin(Rank& self, std::int32_t rank, std::uint32_t operation);
  bool must_wait_for_others(const Rank& self, const trace::Operation& operation) const;
  void attend(Rank& self, std::int32_t rank);
  std::uint32_t send(Rank& self, std::int32_t rank, std::int32_t target, std::uint32_t cost, std::uint32_t operation);
  std::uint32_t send_operation(Rank& self, std::int32_t rank, std::uint32_t operation);
  Channel* channel_of(std::int32_t source, std::int32_t target, std::uint32_t operation);
  std::uint32_t post(Rank& self, std::int32_t rank, std::uint32_t operation);
  void expect(Channel& channel, std::uint32_t request);
  void remember(Rank& self, std::uint32_t request);
  void forget(std::uint32_t request);
  bool await_set(Rank& self, std::int32_t rank, const trace::Operation& operation);
  bool stay(Rank& self, std::int32_t rank);
  void leave(Rank& self);
  void take_receives(Rank& self);
  void serve(Rank& self, Time until);
  Time horizon() const;
  Time awaited_until(const Rank& self) const;
  void settle(Rank& self, std::uint32_t request);
  void drop(std::uint32_t message);
  void finish(Rank& self, std::int32_t rank);
  void take_too_long(std::int32_t rank);

  // rendezvous.cpp: what comes by the agenda
  void handle(const Event& event);
  void ask(std::uint32_t message, Time time);
  void reserve(std::uint32_t message, Time asked);
  void announce(std::uint32_t message, Time own);
  void envelope(std::uint32_t message);
  void match(std::uint32_t message, std::uint32_t request);
  void match_in_order(std::uint32_t message);
  bool take_unexpected(std::int32_t rank, std::uint32_t request);
  bool fits(const Request& request, const Message& message) const;
  void consider_answer(std::uint32_t message);
  void answer(std::uint32_t message, Time time);
  void answer_arrived(std::uint32_t message, Time now);
  void one_known(std::uint32_t request);

  // collective.cpp
  bool begin_collective(Rank& self, std::int32_t rank, std::uint32_t operation);
  bool join(const CollectiveCall& call, Time now, std::int32_t rank, std::uint32_t operation);
  bool wait_for_members(Rank& self, std::int32_t rank);
  bool try_to_leave(std::int32_t rank, Gathering& gathering);
  bool continue_collective(Rank& self, std::int32_t rank);
  std::uint32_t send_step(Rank& self, std::int32_t rank, std::int32_t target, std::uint64_t bytes);
  std::uint32_t post_step(Rank& self, std::int32_t rank, std::int32_t source);
  std::int32_t world_rank(std::uint32_t communicator, std::int32_t place) const;
  Channel& collective_channel(std::int32_t receiver, std::uint32_t communicator, std::int32_t source);

  // access.cpp
  std::uint32_t access(Rank& self, std::int32_t rank, std::uint32_t operation);
  void read(Rank& self, std::uint32_t request, std::uint32_t message, Time control);
  void write(Rank& self, std::uint32_t request, std::uint32_t message, Time control);
  void written(std::uint32_t message, Time departure);

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
  std::vector<Seldom> seldom_;
  ChannelNumbers numbers_;
  std::vector<Channel> channels_;
  Pool<Message> messages_;
  Pool<Request> requests_;
  Agenda agenda_;
  std::unordered_map<std::uint64_t, Gathering> gatherings_;  // by communicator and how many came before in it
  Outcome outcome_;
  struct Taken {
    Time available = 0, busy = 0;
  };
  static constexpr std::size_t kFewTaken = 32;  // sorted as they come
  std::vector<Taken> taken_;                    // of the wait at hand
  std::uint64_t matched_ = 0;
  std::optional<Error> failure_;
};

}  // namespace parcast::simulate
