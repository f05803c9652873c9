// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine of ExtraP's model. A rank's processor is a state machine: each step inspects its queue and
// begins an activity, and the next step comes when the activity ends. docs/models/extrap.md defines what it
// computes.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "predict/simulate/collectives.h"
#include "predict/simulate/extrap/agenda.h"
#include "predict/simulate/extrap/barrier.h"
#include "predict/simulate/extrap/matching.h"
#include "predict/simulate/extrap/network.h"
#include "predict/simulate/extrap/simulate.h"
#include "predict/simulate/gathering.h"

namespace parcast::simulate::extrap {

/// Activity of a processor at its next step.
enum class Doing : std::uint8_t {
  next_word,
  begin_call,
  act,          // the call's next action
  compute,      // begin or continue computing
  end_stretch,  // computing has continued until now
  look,         // a poll
  send,         // the message is packed
  reply,        // a request is served
  wait,         // take or serve what has arrived, or
  idle,         // nothing has arrived
  ended,
};

/// A part of a call.
struct Action {
  enum class What : std::uint8_t {
    spend,
    send,
    post,
    access,
    find,
    await_all,
    join,
    await_lowered,
    await_all_in,
    lower
  };
  What what = What::spend;
  Time time = 0;             // spend; await_all: for each message in addition to taking it
  std::int32_t partner = 0;  // world rank
  std::uint64_t bytes = 0, returned = 0;
  std::uint32_t operation = kNone;  // of send, post and find; kNone: of a collective
  bool named = false;               // a request that waits can name
};

/// A receive or an access that is not complete.
struct Pending {
  std::int32_t rank = 0;
  std::int32_t partner = 0;  // trace::kAny: any rank
  std::uint32_t operation = kNone;
  std::uint32_t number = 0;  // of its message in the rank's queue
  std::size_t slot = 0;      // in the rank's window, or in the list of its current call
  bool named = false;        // by waits
  bool there = false, awaited = false, forgotten = false;
  std::uint32_t next = kNone;  // in the list of free records
};

/// A barrier without messages, or the call of each member when members differ.
struct Meeting {
  Gathering gathering;
  std::int32_t master = 0;  // world rank
  std::vector<std::int32_t> members_in;
  Time all_in = kUnknown, lowered = kUnknown;
};

struct Processor {
  Doing doing = Doing::next_word, after_look = Doing::act, after_reply = Doing::wait;
  std::uint32_t turn = 0;  // earlier steps are outdated
  Time clock = 0, compute = 0, communication = 0, end = 0, since = 0;
  Time left = 0, began = 0, until = 0;  // of computing
  Time entered = 0, noted = 0;          // for the profile: of the call; `communication` that it has
  Time poll = 0;                        // number of the poll that will find something; 0: none
  bool finished = false;
  trace::Walker walker;
  std::vector<Action> plan;
  std::size_t at = 0;  // in `plan`
  bool in_collective = false;
  CollectiveCall call;
  std::int32_t step = 0, steps = 0;  // of a collective by messages
  std::uint32_t communicator = 0;
  std::uint64_t meeting = 0;
  std::deque<std::uint32_t> requests;  // of other ranks, in order of availability
  std::uint32_t serving = kNone, sending = kNone;
  Matching matching;
  std::vector<std::uint32_t> own;     // pending ones of this call
  std::vector<std::uint32_t> window;  // the last ones that waits can name, by number
  std::uint32_t begun = 0, sent = 0, queued = 0;
  std::uint32_t missing = 0;                              // awaited and not yet taken
  using Ready = std::pair<std::uint32_t, std::uint32_t>;  // number in the queue, pending
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  std::unordered_map<std::uint32_t, std::uint64_t> met;  // collectives begun, by communicator
};

class Engine {
 public:
  using Barriers = std::function<BarrierAlgorithm(std::uint32_t)>;
  Engine(const trace::Trace& trace, const Platform& platform, const Barriers& barriers, Profile* profile);
  Result<Outcome> run();

 private:
  // engine.cpp: events, steps, computing, service
  void handle(const Event& event);
  void proceed(std::int32_t rank, Time now);
  bool advance(Processor& self, std::int32_t rank, Time now);
  bool spend(Processor& self, std::int32_t rank, Time now, Time time, Doing next);
  void schedule(Processor& self, std::int32_t rank, Time at);
  void next_word(Processor& self, std::int32_t rank, Time now);
  bool compute(Processor& self, std::int32_t rank, Time now);
  void end_stretch(Processor& self);
  Time polls_in(const Processor& self) const;
  Time poll_at(const Processor& self, Time number) const;
  bool look(Processor& self, std::int32_t rank, Time now);
  bool serve(Processor& self, std::int32_t rank, Time now, Doing next);
  void reply(Processor& self, Time now);
  void available(std::uint32_t message, Time now);
  void request_available(Processor& self, std::int32_t rank, Time now);
  void fulfil(std::uint32_t pending, std::uint32_t number, Time now);
  void wake(std::int32_t rank, Time now);
  std::uint32_t new_message(std::int32_t source, std::int32_t target, std::uint64_t bytes);
  void too_long(std::int32_t rank);

  // calls.cpp: actions of a call
  void begin_call(Processor& self, std::int32_t rank, Time now);
  void plan_call(Processor& self, std::int32_t rank, std::uint32_t operation, Time now);
  void plan_access(Processor& self, std::int32_t rank, std::uint32_t operation);
  bool act(Processor& self, std::int32_t rank, Time now);
  bool wait(Processor& self, std::int32_t rank, Time now);
  bool take(Processor& self, std::int32_t rank, Time now);
  bool find(Processor& self, std::int32_t rank, Time now);
  bool send(Processor& self, std::int32_t rank, const Action& action, Time now);
  void post(Processor& self, std::int32_t rank, const Action& action);
  std::uint32_t begin_pending(Processor& self, Pending like, bool named);
  void remember(Processor& self, std::uint32_t pending);
  void forget(std::uint32_t pending);
  void await_set(Processor& self, const trace::Operation& operation, std::int32_t rank);
  void await(Processor& self, std::uint32_t pending);

  // collective.cpp
  void begin_collective(Processor& self, std::int32_t rank, std::uint32_t operation, Time now);
  void plan_barrier(Processor& self);
  void plan_hardware_barrier(Processor& self, std::int32_t rank);
  void plan_step(Processor& self);
  void join(Processor& self, std::int32_t rank, Time now);
  void lower(Processor& self, Time now);
  void leave(Processor& self);
  Time released(const Processor& self) const;
  std::int32_t place_in(std::uint32_t communicator, std::int32_t rank);
  std::int32_t world_rank(std::uint32_t communicator, std::int32_t place) const;

  // outcome.cpp
  void note_entered(Processor& self, std::int32_t rank, Time now);
  void note_stayed(Processor& self, std::int32_t rank, Time now);
  void finish(Processor& self, std::int32_t rank, Time now);
  void report_waiting();
  Waiting waiting_of(const Processor& self, std::int32_t rank) const;
  std::vector<std::int32_t> absent_members(const Processor& self) const;

  Processor& processor(std::int32_t rank) { return processors_[static_cast<std::size_t>(rank)]; }

  const trace::Trace& trace_;
  const Platform& platform_;
  const Parameters& parameters_;
  const Barriers& barriers_;
  Profile* profile_;
  Agenda agenda_;
  Pool<Message> messages_;
  Pool<Pending> pendings_;
  Network network_;
  std::vector<Processor> processors_;
  // Of members, by communicator, filled on first use.
  std::vector<std::unordered_map<std::int32_t, std::int32_t>> places_;
  std::unordered_map<std::uint64_t, Meeting> meetings_;  // by communicator and number
  Outcome outcome_;
  std::uint64_t matched_ = 0, data_ = 0;
  std::optional<Error> failure_;
};

}  // namespace parcast::simulate::extrap
