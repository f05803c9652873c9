// SPDX-License-Identifier: Apache-2.0
#pragma once
// Interpretation of a program on an abstract system (Parashar, Hariri, Haupt, Fox 1993, algorithm 1). Each
// rank's chain of units is followed depth first. A unit is evaluated (red) as soon as everything that it
// waits for is known. A chain that has to wait stays active until another chain releases it. Units that are
// not red at the end are deadlocked. docs/models/interpretation.md defines the results: those of
// message_passing.md, but interfaces serve messages in the order of the program instead of the order of time.
// So times do not depend on the order in which chains are followed.
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

/// Times of one message (message_passing.md, "Parameters of a link"). The parts for its bytes are separate.
struct MessageTimes {
  bool eager = true;
  Time sender = 0, sender_bytes = 0;  // s, busy; the part of it for bytes
  // o_s: time from the beginning of the call until an eager message leaves.
  Time departs_after = 0;
  // l + b: from its departure until it can be received; the part of it for bytes.
  Time flight = 0, flight_bytes = 0;
  Time latency = 0;                       // l: until its envelope arrives
  Time receiver = 0, receiver_bytes = 0;  // q
  // Time from the departure until a rendezvous is complete at the sender.
  Time transfer = 0;
  Time occupies = 0;             // f: how long it occupies each of the two interfaces
  Time request = 0, answer = 0;  // H1, H2
};

/// Times of a collective after the members that it needs have entered.
struct CollectiveTimes {
  Time startup = 0, transfer = 0;
};

/// Messages of one step of a member, in a collective that is executed as messages. Places in its
/// communicator; -1: none.
struct CollectiveStep {
  std::int32_t to = -1, from = -1;
  std::uint64_t sent = 0;
};

/// The interface to the abstract system for the interpretation function. An error names the operation without
/// a cost.
class Costs {
 public:
  virtual ~Costs() = default;
  /// Returns the times of a message between world ranks.
  virtual Result<MessageTimes> message(std::int32_t from, std::int32_t to, std::uint64_t bytes,
                                       trace::Mode mode) const = 0;
  /// Returns the times of a member that contributes the operation's bytes. `members`: number in its
  /// communicator.
  virtual Result<CollectiveTimes> collective(const trace::Operation& operation,
                                             std::int32_t members) const = 0;
  /// True: collectives with steps() are executed as messages, and each step ends when both of its messages
  /// have.
  virtual bool sends_collectives() const { return false; }
  /// Returns the number of steps of the member at a place; nothing: the collective takes the times of
  /// collective().
  virtual std::optional<std::int32_t> steps(const trace::Operation&, std::int32_t /*members*/,
                                            std::int32_t /*place*/) const {
    return {};
  }
  virtual CollectiveStep step(const trace::Operation&, std::int32_t /*members*/, std::int32_t /*place*/,
                              std::int32_t /*number*/) const {
    return {};
  }
  /// Returns the time of a recorded computation on the unit to which the rank is mapped.
  virtual Time computing(std::int32_t rank, Time recorded) const = 0;
  /// Returns the share of a core of each rank. Computing times and message overheads are those of a process
  /// that always runs.
  virtual dependence::CoreShare core_share() const { return {}; }
  /// Returns a value that is equal for pairs of ranks between which all messages cost the same.
  virtual std::uint64_t way(std::int32_t from, std::int32_t to) const = 0;
  /// Returns a value that is equal for ranks with equal computing speed.
  virtual std::uint64_t processor(std::int32_t rank) const = 0;
};

/// The unit of the application graph of each operation, and of the computing before it; indices below
/// `units`.
struct Labels {
  std::vector<std::uint32_t> operation, computing;  // by index into Trace::operations
  std::uint32_t tail = 0;                           // computing after the last operation
  // By operation: it does not count as an execution of its unit (e.g. the sends of an MPI_Sendrecv); empty:
  // none.
  std::vector<bool> part_of_call;
  std::uint32_t units = 1;
};

/// Time and counts of a rank in a unit. Its time is the sum of the four times.
struct Statistics {
  Time compute = 0;
  Time startup = 0, transfer = 0;  // communication: fixed costs, and costs for bytes
  Time wait = 0;                   // for a partner that had not arrived
  // sent messages; for a collective the contributed bytes
  std::int64_t executions = 0, messages = 0, bytes = 0;

  Time time() const { return compute + startup + transfer + wait; }
  Statistics& operator+=(const Statistics& other);
  bool operator==(const Statistics&) const = default;
};

/// A unit of a rank that has become active (everything before it is red), and then red.
struct Evaluated {
  std::int32_t rank = 0;
  std::uint32_t unit = 0;
  Time tau = 0, delta = 0;  // when it became active, and its duration
  Statistics spent;
};

/// Messages from calls of one unit to calls of another, over all ranks.
struct Edge {
  std::uint32_t from = 0, to = 0;
  std::int64_t messages = 0, bytes = 0;
};

struct RankClasses;

struct Options {
  /// Classes of this trace for these costs, or for others that distinguish no more pairs of ranks
  /// (rank_classes.h); null: they are searched for.
  const RankClasses* classes = nullptr;
  bool edges = false;  // count messages between units
  // Limit on the calls evaluated one by one, over all ranks; more is an error. 0: no limit.
  std::uint64_t most_calls = 0;
  // Evaluate repeated iterations, and ranks that advance in step, once; this does not change the result.
  bool fold = true;
  /// Order in which active chains are followed. Nothing: the chain that became active last; otherwise a
  /// random order with this seed. It does not change the result.
  std::optional<std::uint64_t> shuffle{};
  /// Called for every unit in the order in which units become red; every iteration is evaluated then.
  std::function<void(const Evaluated&)> evaluated{};
};

struct Interpretation {
  std::int32_t ranks = 0;
  std::uint32_t units = 0;
  Time makespan = 0;                   // meaningless when ranks deadlock
  std::vector<Time> ends;              // of each rank; of a deadlocked one, the time since which it waits
  std::vector<std::int32_t> class_of;  // of each rank: its row in by_class; empty: its own
  std::vector<Statistics> by_class;    // classes x units
  // Calls of all ranks: in evaluated iterations, and in folded ones.
  std::uint64_t evaluated = 0, folded = 0;
  std::uint64_t unreceived = 0;
  std::vector<Edge> edges;              // ascending (from, to); only if requested
  std::vector<trace::Waiting> waiting;  // by rank; empty: all leaves are red
  // the smallest subset of them that explains the deadlock, in cyclic order
  std::vector<std::int32_t> fewest;
  bool by_choice = false;  // another order of arrivals might avoid the deadlock

  const Statistics& statistics(std::int32_t rank, std::uint32_t unit) const {
    const auto r = static_cast<std::size_t>(rank);
    return by_class[(class_of.empty() ? r : static_cast<std::size_t>(class_of[r])) * units + unit];
  }
  /// Returns the sum over all units of a rank. Its time is the rank's end, unless the rank is deadlocked.
  Statistics of_rank(std::int32_t rank) const;
  /// Returns the first rank with the latest end.
  std::int32_t slowest() const;
};

/// Text of the error when times exceed their range.
inline constexpr std::string_view kTooLong = "times leave the range of a run (26 days)";

/// Text of the error when more than Options::most_calls calls would be evaluated.
inline constexpr std::string_view kTooManyCalls =
    "the run has too many different rounds to follow them rank by rank in a second";

/// The trace must have passed check(). Fails when members of a communicator call different collectives, when
/// an operation has no cost, when times exceed their range, and for locks of windows. A deadlock is a result.
Result<Interpretation> interpret(const trace::Trace& trace, const Costs& costs, const Labels& labels,
                                 const Options& options = {});

/// Labels all operations, and the computing before them, as unit 0.
Labels one_unit(const trace::Trace& trace);

}  // namespace parcast::interpret
