// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine of simulate_schedule(): it handles all events in order of time.

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "predict/simulate/costs.h"
#include "predict/simulate/records.h"
#include "predict/simulate/schedule.h"

namespace parcast::simulate {

/// A message, from its send to the end of its receive.
struct Flight {
  std::int32_t source = 0, target = 0, tag = 0;
  std::uint32_t order = 0;                      // number among the source's sends
  std::uint32_t send = kNone, receive = kNone;  // operations; the receive is set when it is matched
  std::uint32_t cost = 0;
  std::uint32_t next = kNone;  // in Pool
  Time served = kUnknown;      // from when on it can be received
  std::uint8_t nic = 0;
  bool here = false;  // its envelope has arrived, but may still wait for earlier ones of the pair
};

/// A queue of flights or operations.
class Line {
 public:
  bool empty() const { return first_ == items_.size(); }
  std::uint32_t front() const { return items_[first_]; }
  void push(std::uint32_t item) { items_.push_back(item); }
  void pop() {
    if (++first_ == items_.size()) items_.clear(), first_ = 0;
  }

 private:
  std::vector<std::uint32_t> items_;
  std::size_t first_ = 0;
};

/// Messages without a receive, or receives without a message, of one source and tag.
struct Meeting {
  Line line;
  bool of_messages = false;
};

/// Of a rank's graph: the operations that depend on the end of each operation, or on its start.
class Dependents {
 public:
  Dependents(const trace::RankGraph& graph, bool on_start);
  std::span<const std::uint32_t> of(std::uint32_t operation) const {
    return std::span(items_).subspan(begins_[operation], begins_[operation + 1] - begins_[operation]);
  }

 private:
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> items_;
};

class ScheduleEngine {
 public:
  ScheduleEngine(const trace::OperationGraph& graph, const trace::Trace& trace, const Platform& platform);
  Result<Outcome> run();

 private:
  /// In the order in which events of one instant are handled.
  enum class What : std::uint8_t {
    head,       // a message's data reach the receiving interface
    envelope,   // it can be matched
    answer,     // the answer to a rendezvous request is at the sender
    sent,       // a rendezvous' data have left
    end,        // a cpu has finished its part of an operation
    ready,      // all requirements of an operation are met
    available,  // the message of a receive can be taken
    choose,     // a cpu takes what came first
    ask,        // a message requests the sending interface
  };
  struct Event {
    Time time = 0;
    What what = What::ready;
    std::int32_t rank = 0, source = 0;
    std::uint32_t order = 0;  // operation or cpu of the rank; for messages, number among the source's sends
    std::uint32_t flight = kNone;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const;
  };
  struct Startable {
    Time since = 0;
    std::uint32_t operation = 0, flight = kNone;
    bool operator>(const Startable& other) const {
      return since != other.since ? since > other.since : operation > other.operation;
    }
  };
  struct Cpu {
    std::priority_queue<Startable, std::vector<Startable>, std::greater<>> startable;
    std::vector<std::uint32_t> unanswered, answered;  // flights that wait for its attention
    bool used = false, busy = false, computes = false, chooses = false;
  };
  struct Nic {
    Time sending_free = 0, receiving_free = 0;  // I, J
  };
  struct Rank {
    Rank(const trace::RankGraph& of, std::size_t nics);
    const trace::RankGraph* graph;
    Dependents on_end, on_start;
    std::vector<std::uint32_t> missing;  // of each operation: number of unmet requirements
    std::vector<Time> begun;             // of each operation: kUnknown before, kDone after
    std::uint32_t left = 0, sends = 0;
    std::vector<Cpu> cpus;
    std::vector<Nic> nics;
    bool in_order = false;                                // it receives from any source, or with any tag
    std::unordered_map<std::uint64_t, Meeting> meetings;  // if not in_order: by source and tag
    std::vector<std::uint32_t> posted, unexpected;        // if in_order: operations, flights
    RankOutcome outcome;
  };
  static constexpr Time kDone = -2;

  // schedule_engine.cpp: operations
  void push(const Event& event);
  /// Adds an event of an operation or a cpu; `flight`: the message of a receive.
  void push_operation(Time time, What what, std::int32_t rank, std::uint32_t number,
                      std::uint32_t flight = kNone);
  /// Adds an event of a message, at the rank `where`.
  void push_message(Time time, What what, std::int32_t where, std::uint32_t index);
  void handle(const Event& event);
  void fulfil(std::int32_t rank, std::span<const std::uint32_t> dependents);
  void ready(std::int32_t rank, std::uint32_t operation);
  void can_start(std::int32_t rank, std::uint32_t operation, std::uint32_t flight);
  void wake(std::int32_t rank, std::uint32_t cpu);
  void choose(std::int32_t rank, std::uint32_t cpu);
  Time start(std::int32_t rank, const Startable& next);
  void end(std::int32_t rank, std::uint32_t operation, std::uint32_t flight);
  void done(std::int32_t rank, std::uint32_t operation);
  void attend(Cpu& cpu);

  // schedule.cpp: the end
  void report();
  Waiting waiting_of(std::int32_t rank) const;
  std::uint32_t in_trace(std::int32_t rank, const trace::GraphOperation& operation) const;

  // schedule_messages.cpp
  const MessageCost& send(std::int32_t rank, std::uint32_t operation);
  void ask(std::uint32_t flight);
  void head(std::uint32_t flight);
  void envelope(std::uint32_t flight);
  void meet(std::uint32_t flight);
  void post(std::int32_t rank, std::uint32_t operation);
  void match(std::uint32_t flight, std::uint32_t operation);
  void answer(std::uint32_t flight);
  void answered(std::uint32_t flight);

  Rank& rank_of(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  Cpu& cpu_of(std::int32_t rank, std::uint32_t operation) {
    return rank_of(rank).cpus[rank_of(rank).graph->operations[operation].cpu];
  }
  const MessageCost& cost(const Flight& flight) const { return costs_[flight.cost]; }
  bool attends(const Cpu& cpu) const { return platform_.attention == Attention::always || !cpu.computes; }

  const trace::Trace& trace_;
  const Platform& platform_;
  CostBook costs_;
  std::vector<Rank> ranks_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  Pool<Flight> flights_;
  /// By source and target: envelopes that have not arrived, in order of their sends.
  std::unordered_map<std::uint64_t, Line> pairs_;
  Time now_ = 0;
  std::uint64_t matched_ = 0;
  Outcome outcome_;
  std::optional<Error> failure_;
};

}  // namespace parcast::simulate
