// SPDX-License-Identifier: Apache-2.0
#pragma once
// Simulation of message passing: a trace on a platform. docs/models/message_passing.md is its meaning.

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
  Time compute = 0;         // sum of computes on the platform
  Time communication = 0;   // the processor busy with messages
  bool finished = true;     // false: it waits for ever
  Time contention = 0;      // of `compute`: what it took longer than alone, since others computed at the same memory
  std::int32_t cpus = 1;    // that work side by side; the times above are their sums
  bool operator==(const RankOutcome&) const = default;
};

using trace::Waiting;

/// A link of a network, or a node's memory, and what crossed it.
struct LinkLoad {
  std::string link;               // "switch (0, 1) to switch (0, 2)"
  std::uint64_t bytes = 0;
  double bytes_per_second = 0;    // that it can carry
};

/// Ranks that share a memory: their times together.
struct MemoryLoad {
  std::uint32_t node = 0;
  std::int32_t socket = -1;       // of the node; -1: its cores all share one
  Time compute = 0, contention = 0;
};

struct Outcome {
  Time makespan = 0;                    // meaningless where ranks hang
  std::vector<RankOutcome> ranks;
  std::uint64_t operations = 0;         // sends, receives and collectives that were done, and computes
  std::uint64_t messages = 0, bytes = 0;  // point to point, without those of collectives
  std::uint64_t collective_messages = 0, collective_bytes = 0;
  std::uint64_t accesses = 0;           // remote ones, and those of the own memory
  std::uint64_t unreceived = 0;         // messages that nobody received
  std::uint64_t skipped = 0;            // of the operations, those of iterations that were skipped
  Time slowed = 0;                      // by how much longer all messages took, together, than if they shared no links
  std::vector<LinkLoad> busiest;        // of a network: the links that were busy longest, at most ten
  std::optional<MemoryLoad> contended;  // where ranks share memory: that whose ranks lose most, of several the first
  std::vector<Waiting> waiting;         // by rank; empty: all finished
  bool by_choice = false;               // a hang that another order of arrivals might not bring: some rank on which it depends receives from any source, or any tag, or waits for a lock
  std::vector<std::int32_t> cycle;      // ranks that wait for each other in a circle, in its order; empty: none found
};

class Observer;  // observer.h

/// A trace that was read from a file has been checked; checking takes a good part of a simulation's time.
enum class Trust : std::uint8_t { none, checked };

/// Whether iterations that have become periodic are simulated one by one. The outcome is the same.
enum class Iterations : std::uint8_t { skipped, every };

/// An error when the trace or the platform contradicts itself (check(trace)), asks for what is not supported, or when times
/// leave their range. A hang is an outcome.
Result<Outcome> simulate(const trace::Trace& trace, const Platform& platform, Trust trust = Trust::none, Iterations iterations = Iterations::skipped);
/// Observers are told what happens, of every iteration; they change nothing.
Result<Outcome> simulate(const trace::Trace& trace, const Platform& platform, Trust trust, std::span<Observer* const> observers);

}  // namespace parcast::simulate
