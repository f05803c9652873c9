// SPDX-License-Identifier: Apache-2.0
#pragma once
// Interpretation of a program on an abstract system (Parashar, Hariri, Haupt, Fox 1993, algorithm 1): each rank's chain of units is
// followed depth first, a unit is evaluated (red) as soon as all that it waits for is known, and a chain that has to wait stays active
// until another one lets it go on. What is not red in the end hangs. docs/models/interpretation.md is its meaning: that of
// message_passing.md without contention at interfaces, so that times do not depend on the order in which chains are followed.
//
//     const Result<Interpretation> result = interpret(trace, costs, labels);
//     result->makespan                          the latest rank's end
//     result->statistics(rank, unit).compute    of each unit and rank

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predict/dependence/core_share.h"
#include "trace/trace.h"
#include "trace/waiting.h"

namespace parcast::interpret {

using trace::Time;  // picoseconds

/// What one message takes (message_passing.md, "Parameters of a link"). The parts that are for its bytes are told apart.
struct MessageTimes {
  bool eager = true;
  Time sender = 0, sender_bytes = 0;      // s, busy; of it for bytes
  Time departs_after = 0;                 // o_s: an eager message leaves so long after its call began
  Time flight = 0, flight_bytes = 0;      // l + b: from its departure until it can be received; of it for bytes
  Time latency = 0;                       // l: until its envelope is there
  Time receiver = 0, receiver_bytes = 0;  // q
  Time transfer = 0;                      // f: a rendezvous is complete at the sender so long after the departure
  Time request = 0, answer = 0;           // H1, H2
};

/// What a collective takes once those are there whom it needs.
struct CollectiveTimes {
  Time startup = 0, transfer = 0;
};

/// What a member of a collective that goes by messages does at once: places in its communicator, -1: nobody.
struct CollectiveStep {
  std::int32_t to = -1, from = -1;
  std::uint64_t sent = 0;
};

/// The abstract system, as the interpretation function asks it. An error names what has no cost.
class Costs {
 public:
  virtual ~Costs() = default;
  /// Of messages between world ranks.
  virtual Result<MessageTimes> message(std::int32_t from, std::int32_t to, std::uint64_t bytes, trace::Mode mode) const = 0;
  /// Of a member that contributes the operation's bytes. `members`: of its communicator.
  virtual Result<CollectiveTimes> collective(const trace::Operation& operation, std::int32_t members) const = 0;
  /// True: collectives for which steps() has any are the messages of these, and each step ends when both of its messages have.
  virtual bool sends_collectives() const { return false; }
  /// Of the member at a place, in order; nothing: the collective takes what collective() says.
  virtual std::optional<std::int32_t> steps(const trace::Operation&, std::int32_t /*members*/, std::int32_t /*place*/) const { return {}; }
  virtual CollectiveStep step(const trace::Operation&, std::int32_t /*members*/, std::int32_t /*place*/, std::int32_t /*number*/) const { return {}; }
  /// What was recorded to take so long, on the unit that the rank is mapped to.
  virtual Time computing(std::int32_t rank, Time recorded) const = 0;
  /// Of each rank. Computing and what messages cost their processes are times of one that computes all the time.
  virtual dependence::CoreShare core_share() const { return {}; }
  /// Equal for pairs of ranks between which all messages cost the same.
  virtual std::uint64_t way(std::int32_t from, std::int32_t to) const = 0;
  /// Equal for ranks that compute alike.
  virtual std::uint64_t processor(std::int32_t rank) const = 0;
};

/// Which unit of the application graph an operation is, and which one the computing before it; indices below `units`.
struct Labels {
  std::vector<std::uint32_t> operation, computing;  // by index into Trace::operations
  std::uint32_t tail = 0;                           // computing after the last operation
  std::vector<bool> part_of_call;                   // by operation: it is no execution of its unit by itself (the sends of an MPI_Sendrecv); empty: none
  std::uint32_t units = 1;
};

/// What a rank spent in a unit. Its time is the sum of the four.
struct Statistics {
  Time compute = 0;
  Time startup = 0, transfer = 0;  // communication: fixed costs, and what is for bytes
  Time wait = 0;                   // for a partner that had not come
  std::int64_t executions = 0, messages = 0, bytes = 0;  // messages that it sent; of a collective the bytes it contributed

  Time time() const { return compute + startup + transfer + wait; }
  Statistics& operator+=(const Statistics& other);
  bool operator==(const Statistics&) const = default;
};

/// A unit of a rank becomes active (all before it is red), and then red.
struct Evaluated {
  std::int32_t rank = 0;
  std::uint32_t unit = 0;
  Time tau = 0, delta = 0;     // when it became active, and how long it then took
  Statistics spent;
};

/// Messages that calls of one unit send and calls of another receive, of all ranks.
struct Edge {
  std::uint32_t from = 0, to = 0;
  std::int64_t messages = 0, bytes = 0;
};

struct RankClasses;

struct Options {
  /// Of this trace, and of these costs or others that tell no more pairs of ranks apart (rank_classes.h); null: they are looked for.
  const RankClasses* classes = nullptr;
  bool edges = false;          // who sends to whom is counted
  std::uint64_t most_calls = 0;  // of all ranks that are evaluated one by one: with more there is an error; 0: any number
  bool fold = true;            // iterations that repeat themselves, and ranks that advance in step, are evaluated once, which changes nothing
  /// In which order active chains are followed: nothing: the one that became active last; else drawn. It changes no result.
  std::optional<std::uint64_t> shuffle{};
  /// Told of every unit in the order in which they become red; every iteration is evaluated then.
  std::function<void(const Evaluated&)> evaluated{};
};

struct Interpretation {
  std::int32_t ranks = 0;
  std::uint32_t units = 0;
  Time makespan = 0;                     // meaningless where ranks hang
  std::vector<Time> ends;                // of each rank; of one that hangs since when it waits
  std::vector<std::int32_t> class_of;    // of each rank: its row in by_class; empty: its own
  std::vector<Statistics> by_class;      // classes x units
  std::uint64_t evaluated = 0, folded = 0;  // calls of all ranks: in iterations that were evaluated, and in those that were not
  std::uint64_t unreceived = 0;
  std::vector<Edge> edges;               // ascending (from, to); only where asked for
  std::vector<trace::Waiting> waiting;   // by rank; empty: all leaves are red
  std::vector<std::int32_t> fewest;      // the fewest of them that explain it, in order of a circle
  bool by_choice = false;                // another order of arrivals might not hang

  const Statistics& statistics(std::int32_t rank, std::uint32_t unit) const {
    const auto r = static_cast<std::size_t>(rank);
    return by_class[(class_of.empty() ? r : static_cast<std::size_t>(class_of[r])) * units + unit];
  }
  /// All that a rank spent: its time is its end, unless it hangs.
  Statistics of_rank(std::int32_t rank) const;
  /// The first rank with the latest end.
  std::int32_t slowest() const;
};

/// What an error says where times leave their range.
inline constexpr std::string_view kTooLong = "times leave the range of a run (26 days)";

/// What an error says where more than Options::most_calls calls would be evaluated.
inline constexpr std::string_view kTooManyCalls = "the run has too many different rounds to follow them rank by rank in a second";

/// The trace has passed check(). An error where members of a communicator call different collectives, where something has no cost,
/// where times leave their range, and for locks of windows. A hang is an answer.
Result<Interpretation> interpret(const trace::Trace& trace, const Costs& costs, const Labels& labels, const Options& options = {});

/// Each operation and the computing before it are one unit: 0.
Labels one_unit(const trace::Trace& trace);

}  // namespace parcast::interpret
