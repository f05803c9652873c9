// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: programs written rank by rank, with partners by world rank, and their traces.

#include <cstdint>
#include <vector>

#include "recording/recording.h"
#include "trace/trace.h"

namespace parcast::simulate::testing {

struct Node {
  trace::Item::What what = trace::Item::What::compute;
  trace::Time time = 0;                       // compute
  trace::Operation operation = {};            // its peer: a world rank or trace::kAny
  std::vector<std::uint32_t> distances = {};  // of a wait, ascending
  std::uint32_t times = 1;                    // operation; loop: rounds
  std::vector<Node> body = {};
};
using Body = std::vector<Node>;

struct Program {
  std::vector<Body> ranks;
  std::vector<trace::Communicator> communicators{trace::Communicator{}};

  /// Returns the world ranks in order of the communicator's ranks, also for the first communicator.
  std::vector<std::int32_t> members(std::uint32_t communicator) const;
};

Node compute(trace::Time time);
Node send(std::int32_t to, std::uint64_t bytes, trace::Mode mode = trace::Mode::standard,
          std::int32_t tag = 0);
Node receive(std::int32_t from, std::int32_t tag = 0);
Node start_send(std::int32_t to, std::uint64_t bytes, trace::Mode mode = trace::Mode::standard,
                std::int32_t tag = 0);
Node start_receive(std::int32_t from, std::int32_t tag = 0);
Node probe(std::int32_t from, std::int32_t tag = 0);
Node wait(std::vector<std::uint32_t> distances);
Node collective(recording::Pattern pattern, std::uint64_t bytes, std::int32_t root = 0,
                std::uint32_t communicator = 0);
/// `kind`: read, write or their starts.
Node access(trace::Kind kind, std::int32_t owner, std::uint64_t bytes);
/// `kind`: a lock or unlock. `owner`: of the part; trace::kAny: all.
Node lock(trace::Kind kind, std::int32_t owner, std::int32_t window = 0);
Node loop(std::uint32_t rounds, Body body);
Node repeat(Node operation, std::uint32_t times);

/// Stores equal operations, sequences and request sets once.
trace::Trace to_trace(const Program& program);

}  // namespace parcast::simulate::testing
