// SPDX-License-Identifier: Apache-2.0
#pragma once
// Implementation of interpretation.h: the chains of all ranks, the messages between them, and which chains
// can continue.

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "predict/interpret/interpretation.h"
#include "predict/interpret/rank_classes.h"

namespace parcast::interpret {

constexpr Time kUnknown = -1;
// Numbers of requests that no wait of the trace names: of a blocking call, and of a step of a collective.
constexpr std::uint64_t kBlocking = ~std::uint64_t{0}, kStepReceives = kBlocking - 1,
                        kStepSends = kBlocking - 2;

/// Returns how many requests before the last one it began; negative: one of the numbers above.
inline std::int64_t requests_ago(std::uint64_t begun, std::uint64_t number) {
  return number >= kStepSends ? -1 - static_cast<std::int64_t>(kBlocking - number)
                              : static_cast<std::int64_t>(begun - number);
}

/// A request that the rank began and has not waited for.
struct Request {
  std::uint64_t number = 0;
  std::uint32_t operation = 0;
  bool receives = false;
  Time since = 0;        // a receive: when posted; a rendezvous: when called
  Time done = kUnknown;  // when it can be received from a free interface; when complete at the sender
  Time departed = 0;     // from then on it waits for the message instead of its partner
  Time arrived = 0;      // a receive that is known, or a read: when the head of its data arrives
  Time envelope = 0;     // likewise: it cannot be received earlier
  const MessageTimes* times = nullptr;
};

/// A message that no receive has taken.
struct Message {
  std::int32_t sender = 0;
  std::int32_t from = 0, tag = 0;  // from: a key of Interpreter::key_of()
  std::uint32_t communicator = 0;
  std::uint64_t order = 0;  // among the messages of its sender
  Time envelope = 0;
  // Eager: when it asked for the sending interface, and when it left; otherwise both when its request left.
  Time departed = 0, left = 0;
  std::uint64_t request = 0;  // of a rendezvous, at its sender
  std::uint32_t operation = 0;
  const MessageTimes* times = nullptr;
};

/// A message that its sender is about to send.
struct Outgoing {
  std::int32_t to = 0, tag = 0;
  std::uint32_t communicator = 0;
  std::uint64_t bytes = 0;
  trace::Mode mode = trace::Mode::standard;
  std::uint64_t request = 0;
};

struct Post {
  std::uint64_t request = 0;
  std::int32_t from = 0, tag = 0;
  std::uint32_t communicator = 0;

  bool fits(const Message& message) const {
    return (from == trace::kAny || from == message.from) && communicator == message.communicator &&
           trace::tag_fits(tag, message.tag);
  }
};

/// Messages from one sender to a rank, and the rank's posted receives for that sender only.
struct Pair {
  std::int32_t from = 0, sender = 0;
  Time last_envelope = 0;
  std::vector<Message> messages{};
  std::vector<Post> posts{};
  // Times of earlier messages of the same size and mode.
  struct Known {
    std::uint64_t bytes = 0;
    trace::Mode mode = trace::Mode::standard;
    const MessageTimes* times = nullptr;
  };
  std::vector<Known> known{};
};

struct LaterEnvelope {
  bool operator()(const Message& a, const Message& b) const {
    return std::tie(a.envelope, a.from, a.order) > std::tie(b.envelope, b.from, b.order);
  }
};

/// For a rank that receives from any source: arrivals and posted receives are handled in order of time.
struct InTime {
  std::priority_queue<Message, std::vector<Message>, LaterEnvelope> coming;
  std::deque<Message> unexpected;
  std::deque<Post> posts{};
};

enum class Mood : std::uint8_t {
  ready,
  waiting,  // for requests
  probing,
  gathering,  // in a collective
  holding,    // before it looks for a message: the arrivals until then are not known yet
  parked,     // at the beginning of a round
  red,        // all its units are red
};

struct Rank {
  trace::Walker walker;
  Time clock = 0, entry = 0;
  Time sends_from = 0;  // when its sending interface is free
  Time receives_since = 0,
       receives_from = 0;     // the last time in which its receiving interface was never free
  dependence::Budget budget;  // for a share of a core
  Time computed = 0;          // since the last operation
  std::uint64_t begun = 0, sent = 0, rounds = 0;
  Mood mood = Mood::ready;
  bool runnable = false, pending = false;  // pending: the walker's item is not executed yet
  Statistics call;                         // of its current call
  std::vector<Request> requests;
  std::vector<std::uint64_t> awaited;
  std::vector<Pair> inbox;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> collectives;  // number executed, by communicator
  // Of a collective executed as messages: steps begun, and all steps; 0: not in one.
  std::int32_t step = 0, steps = 0;
  Time gathered = kUnknown;  // when the members needed by its collective had entered
  // Rounds left of the loops around it when it last began one.
  std::array<std::uint32_t, trace::kDeepest> left{};
  std::uint32_t begins = 0;  // parked: level of the loop whose round it begins; 0 is the outermost
  bool enters = false;       // parked: this is its first stop in that loop
};

/// Members of one call of a collective.
struct Gathering {
  recording::Pattern pattern = recording::Pattern::none;
  std::int32_t root = 0, members = 0, come = 0;
  std::int32_t first_rank = 0;
  std::uint32_t first_operation = 0;
  Time latest = 0, root_at = kUnknown;
  std::vector<std::int32_t> inside;  // ranks that wait in it
  std::vector<bool> there;           // by place
  std::int32_t prefix = 0;           // of scans: number of first places that have all entered
  std::vector<Time> at;              // and the latest time up to each of these; of the others their own time
};

/// A comparison of two times during a watched round of a loop.
struct Comparison {
  enum class What : std::uint8_t {
    larger,   // the larger one counts; equal ones are interchangeable
    earlier,  // whether one is earlier; equal ones are not
    waiting,  // the time that a rank waited
  };
  Time apart = 0;
  What what = What::larger;
  std::size_t stay = 0;  // of waiting: index into Watched::stays
};

/// A wait of a rank in a call. During its last `under_way` it waited for a message, of whose `flight` the
/// part `flight_bytes` is for its bytes.
struct Stay {
  std::size_t row = 0;
  std::uint32_t unit = 0;
  Time under_way = 0, flight = 0, flight_bytes = 0;
};

/// The comparisons and waits of a watched round.
struct Watched {
  std::vector<Comparison> comparisons;
  std::vector<Stay> stays;
};

class Interpreter {
 public:
  /// `classes`: classes of ranks that advance in step; null: each rank is evaluated.
  Interpreter(const trace::Trace& trace, const Costs& costs, const Labels& labels, const Options& options,
              const RankClasses* classes);
  Result<Interpretation> run();
  /// After run(): whether ranks of one class did not advance in step; then the result is invalid.
  bool came_apart() const { return apart_; }

 private:
  // Chains (interpreter.cpp)
  bool settle();
  std::int32_t next_runnable();
  void follow(std::int32_t rank);
  void resume(std::int32_t rank);
  void let_go(std::int32_t rank);
  void compute(std::int32_t rank, Time recorded);
  Time work(Rank& self, Time given);
  void begin(std::int32_t rank);
  void finish_call(std::int32_t rank);
  void finish_chain(std::int32_t rank);
  void count(std::int32_t rank, std::uint32_t unit, Time tau, const Statistics& spent);
  void fail(Error error) {
    if (!failure_) failure_ = std::move(error);
  }

  // Messages (messages.cpp)
  void send(std::int32_t rank, const trace::Operation& operation, bool blocks);
  bool dispatch(std::int32_t rank, const Outgoing& outgoing);
  void receive(std::int32_t rank, bool blocks);
  void post(std::int32_t rank, std::int32_t from, std::int32_t tag, std::uint32_t communicator,
            std::uint64_t number);
  void access(std::int32_t rank, const trace::Operation& operation);
  void probe(std::int32_t rank);
  void wait(std::int32_t rank, const trace::Operation& operation);
  void await_blocking(std::int32_t rank);
  void await(std::int32_t rank);
  bool all_known(const Rank& self) const;
  void finish_wait(std::int32_t rank);
  void serve(Rank& self, std::vector<Request>& done);
  void take_awaited(Rank& self);
  void stay(Rank& self, Time until, Time under_way, Time flight, Time flight_bytes);
  void deliver(std::int32_t to, Message message);
  void match(std::int32_t receiver, std::uint64_t request, const Message& message);
  Request* request_of(std::int32_t rank, std::uint64_t number);
  Pair& pair(std::int32_t receiver, std::int32_t sender);
  const MessageTimes* times_of(std::int32_t from, std::int32_t to, std::uint64_t bytes, trace::Mode mode);
  const MessageTimes* times_of(Pair& pair, std::int32_t from, const Outgoing& outgoing);

  // In order of time (in_time.cpp)
  bool next_in_time();
  void look(std::int32_t rank);
  void arrive(std::int32_t rank);

  // Collectives (gathering.cpp)
  void collective(std::int32_t rank, const trace::Operation& operation, std::uint32_t index);
  void enter(Gathering& gathering, std::int32_t place, std::int64_t ranks, Time now);
  static Time needed_at(const Gathering& gathering, std::int32_t place);
  void release(Gathering& gathering, const trace::Operation& operation);
  void leave(std::int32_t rank);
  void go_through_steps(std::int32_t rank);
  CollectiveStep current_step(std::int32_t rank) const;
  /// Returns a communicator with the same members in which only steps of collectives send.
  std::uint32_t private_communicator(std::uint32_t communicator) const {
    return communicator + static_cast<std::uint32_t>(trace_.communicators.size());
  }
  bool is_private(std::uint32_t communicator) const { return communicator >= trace_.communicators.size(); }
  std::int32_t size_of(std::uint32_t communicator) const;
  std::int32_t place_in(std::uint32_t communicator, std::int32_t rank) const;
  std::int32_t member_of(std::uint32_t communicator, std::int32_t place) const;
  std::uint64_t& called(std::int32_t rank, std::uint32_t communicator);
  static std::uint64_t gathering_key(std::uint32_t communicator, std::uint64_t call) {
    return std::uint64_t{communicator} << 40 | call;
  }

  // Repeated iterations (repeating.cpp)
  struct Snapshot;
  static Time earliest_arrival(const Rank& self, Time base);
  void park(std::int32_t rank);
  void unpark();
  Snapshot snapshot(bool with_times = true) const;
  void skip(const Snapshot& before, const Snapshot& now);
  struct Rounds;
  std::optional<Rounds> rounds_between(const Snapshot& before, const Snapshot& now) const;
  void repeat(const Snapshot& before, const Snapshot& now, const Rounds& rounds, std::int64_t repetitions);
  template <class Visit>
  void for_each_time(Visit visit);

  // Rounds that take each rank a time of its own (drifting.cpp)
  bool drift(std::uint32_t level, bool anew);
  std::int64_t repetitions_of_drift() const;
  void add_waits_of_drift(std::int64_t repetitions);
  Snapshot drifting_snapshot();
  bool watches() const { return watched_ != nullptr; }
  void watch(Time apart, Comparison::What what) {
    if (watches()) watched_->comparisons.push_back({apart, what});
  }
  void watch_wait(const Rank& self, Time waited, Time under_way, Time flight, Time flight_bytes);
  Time later_of(Time a, Time b) {
    watch(a - b, Comparison::What::larger);
    return std::max(a, b);
  }

  bool is_earlier(Time a, Time b) {
    watch(b - a, Comparison::What::earlier);
    return a < b;
  }

  // Deadlocks (hanging.cpp)
  void report();
  trace::Waiting waiting_of(std::int32_t rank) const;
  std::vector<std::int32_t> awaited_ranks(std::int32_t rank) const;

  std::size_t row_of(std::int32_t rank) const {
    return static_cast<std::size_t>(classes_ ? classes_->class_of[static_cast<std::size_t>(rank)] : rank);
  }
  Rank& at(std::int32_t rank) { return ranks_[row_of(rank)]; }
  const Rank& at(std::int32_t rank) const { return ranks_[row_of(rank)]; }
  /// Returns the representative of the rank's class.
  std::int32_t represents(std::int32_t rank) const {
    return classes_ ? classes_->representatives[row_of(rank)] : rank;
  }
  std::int32_t rank_of_row(std::size_t row) const {
    return classes_ ? classes_->representatives[row] : static_cast<std::int32_t>(row);
  }
  std::int64_t ranks_like(std::int32_t rank) const { return classes_ ? classes_->size[row_of(rank)] : 1; }
  /// Returns the key by which a receiver identifies a sender: equal for all ranks of their classes.
  std::int32_t key_of(std::int32_t sender, std::int32_t receiver) const {
    return classes_ ? classes_->channels.at({sender, receiver}) : sender;
  }
  const trace::Operation& operation_of(const Rank& self) const {
    return trace_.operations[self.walker.item().index()];
  }
  bool keeps_time(std::int32_t rank) const { return in_time_of_[row_of(rank)] >= 0; }
  InTime& in_time(std::int32_t rank) { return in_time_[static_cast<std::size_t>(in_time_of_[row_of(rank)])]; }

  const trace::Trace& trace_;
  const Costs& costs_;
  const Labels& labels_;
  const Options& options_;
  const RankClasses* classes_;
  const dependence::CoreShare share_;
  std::vector<Rank> ranks_;
  std::vector<std::int32_t> runnable_, parked_;
  std::vector<std::int32_t> in_time_of_;  // in the order of ranks_: index into in_time_, or -1
  std::vector<std::int32_t> timed_;       // ranks that handle messages in order of time
  std::vector<InTime> in_time_;
  std::unordered_map<std::uint64_t, Gathering> gatherings_;
  std::vector<std::unordered_map<std::int32_t, std::int32_t>> places_;  // by communicator; [0] is empty
  struct Times {
    std::uint64_t bytes = 0;
    std::int32_t from = 0, to = 0;
    trace::Mode mode = trace::Mode::standard;
    bool operator==(const Times&) const = default;
  };
  struct TimesHash {
    std::size_t operator()(const Times& key) const;
  };
  std::unordered_map<Times, const MessageTimes*, TimesHash> known_times_;
  std::deque<MessageTimes> all_times_;
  std::vector<Request> done_;  // completed by a wait
  std::optional<Error> failure_;
  std::optional<std::mt19937_64> draw_;
  struct Sent {
    std::int64_t messages = 0, bytes = 0;
  };
  using Edges = std::unordered_map<std::uint64_t, Sent>;  // by units: sender << 32 | receiver
  Edges edges_;
  bool folds_ = false;
  bool apart_ = false;  // ranks of one class do not advance in step
  struct Reference {
    std::uint64_t stops = 0, next = 1;   // number at this level; the stop at which the reference is replaced
    std::unique_ptr<Snapshot> snapshot;  // null: none yet
  };
  struct Drift;
  std::unique_ptr<Drift> drift_;  // null: rounds are never watched
  Watched* watched_ = nullptr;    // null: rounds are not watched now
  // by level of the outermost loop that begins a round
  std::array<Reference, trace::kDeepest> references_;
  std::uint64_t followed_ = 0;  // evaluated calls; calls of a class of ranks count once
  Interpretation out_;
};

/// The state of all ranks, and the sums so far.
struct Interpreter::Snapshot {
  std::vector<std::int64_t> state;  // times minus `base`
  std::vector<std::uint32_t> left;  // rounds of all open loops, rank by rank
  Time base = 0;
  std::vector<Statistics> sums;
  Edges edges;
  std::uint64_t calls = 0;  // evaluated and folded
  std::vector<Time> times;  // for a state without times: all times in the order of for_each_time()
};

/// The loop and number of rounds by which each rank advanced, and how often it can repeat that.
struct Interpreter::Rounds {
  struct Done {
    std::uint32_t level = 0, rounds = 0;
  };
  std::vector<Done> done;
  std::int64_t most = 0;
};

/// Three consecutive stops at the beginning of rounds, and the comparisons between them.
struct Interpreter::Drift {
  std::uint32_t level = trace::kDeepest;
  // Stops of the level; the stop from which rounds are watched again, and its distance from the last.
  std::uint64_t stops = 0, next = 1, pause = 1;
  std::vector<Snapshot> taken;
  Watched first, second;
};

/// Visits all known times on which the future depends, in an order that depends only on the rest of the
/// state.
template <class Visit>
void Interpreter::for_each_time(Visit visit) {
  for (Rank& self : ranks_) {
    if (self.mood != Mood::red)
      visit(self.clock), visit(self.entry), visit(self.sends_from), visit(self.receives_since),
          visit(self.receives_from), visit(self.budget.busy_until), visit(self.budget.period_ends);
    if (self.gathered != kUnknown) visit(self.gathered);
    for (Request& request : self.requests) {
      visit(request.since), visit(request.departed), visit(request.arrived), visit(request.envelope);
      if (request.done != kUnknown) visit(request.done);
    }
    for (Pair& pair : self.inbox) {
      visit(pair.last_envelope);
      for (Message& message : pair.messages)
        visit(message.envelope), visit(message.departed), visit(message.left);
    }
  }
  std::vector<std::uint64_t> open;
  for (const auto& [key, gathering] : gatherings_) open.push_back(key);
  std::ranges::sort(open);
  for (const std::uint64_t key : open) {
    Gathering& gathering = gatherings_.at(key);
    visit(gathering.latest);
    if (gathering.root_at != kUnknown) visit(gathering.root_at);
    for (Time& time : gathering.at) visit(time);
  }
}

}  // namespace parcast::interpret
