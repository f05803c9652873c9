// SPDX-License-Identifier: Apache-2.0
#pragma once
// Simulation of message passing: a trace on a platform. docs/models/message_passing.md defines its results.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "predict/simulate/platform.h"
#include "trace/trace.h"
#include "trace/waiting.h"

namespace parcast::simulate {

struct RankOutcome {
  Time end = 0;
  Time compute = 0;        // sum of computing times on the platform
  Time communication = 0;  // the processor's time with messages
  bool finished = true;    // false: it waits for ever
  // Part of `compute`: time added because others computed at the same memory.
  Time contention = 0;
  std::int32_t cpus = 1;  // that work in parallel; the times above are their sums
  bool operator==(const RankOutcome&) const = default;
};

using trace::Waiting;

/// Traffic of a link of a network, or of a node's memory.
struct LinkLoad {
  std::string link;  // "switch (0, 1) to switch (0, 2)"
  std::uint64_t bytes = 0;
  double bytes_per_second = 0;  // capacity
};

/// Times of the ranks that share a memory, together.
struct MemoryLoad {
  std::uint32_t node = 0;
  std::int32_t socket = -1;  // of the node; -1: all its cores share one memory
  Time compute = 0, contention = 0;
};

struct Outcome {
  Time makespan = 0;  // meaningless when ranks deadlock
  std::vector<RankOutcome> ranks;
  std::uint64_t operations = 0;           // completed sends, receives and collectives, and computes
  std::uint64_t messages = 0, bytes = 0;  // point to point, without those of collectives
  std::uint64_t collective_messages = 0, collective_bytes = 0;
  std::uint64_t accesses = 0;    // to the memory of other ranks and to the own memory
  std::uint64_t unreceived = 0;  // messages without a receive
  std::uint64_t skipped = 0;     // operations in iterations that were skipped
  // Sum over all messages of the time added because they share links.
  Time slowed = 0;
  std::vector<LinkLoad> busiest;  // of a network: the links that were busy longest, at most ten
  // When ranks share memory: the memory whose ranks lose most; the first of several.
  std::optional<MemoryLoad> contended;
  std::vector<Waiting> waiting;  // by rank; empty: all finished
  // Another order of arrivals might avoid the deadlock: some rank on which it depends receives from any
  // source or with any tag, or waits for a lock.
  bool by_choice = false;
  std::vector<std::int32_t> cycle;  // ranks that wait for each other in a cycle, in its order; empty: none
};

class Observer;  // observer.h

/// Whether the trace is checked already, e.g. when it was read from a file; checking takes a considerable
/// part of a simulation's time.
enum class Trust : std::uint8_t { none, checked };

/// Whether iterations that have become periodic are skipped or simulated one by one. The outcome is the same.
enum class Iterations : std::uint8_t { skipped, every };

/// Fails when the trace or the platform is inconsistent (check(trace)), or when times exceed their range.
/// Fails also when the trace needs an unsupported feature. A deadlock is an outcome.
Result<Outcome> simulate(const trace::Trace& trace, const Platform& platform, Trust trust = Trust::none,
                         Iterations iterations = Iterations::skipped);
/// Reports all events, of every iteration, to the observers; they do not change the outcome.
Result<Outcome> simulate(const trace::Trace& trace, const Platform& platform, Trust trust,
                         std::span<Observer* const> observers);

}  // namespace parcast::simulate
