// SPDX-License-Identifier: Apache-2.0
#pragma once
// The order of the ranks' operations at any parameters, process count and rank: operations, loops and rounds
// whose attributes are rules and counts. A trace (trace/trace.h) of a run that never took place is generated
// from it. docs/models/structure.md.
//
//     loop steps                                       of every rank
//       MPI_Irecv from grid (0, -1), 8*(n/g2_0) bytes  where there is such a rank
//       MPI_Isend to grid (0, +1), ...
//       MPI_Waitall of all outstanding requests
//       every 10th iteration, from the 10th on
//         MPI_Allreduce of 8 bytes over all ranks
//     rounds log2(p)
//       MPI_Sendrecv with r xor 2^k
//     MPI_Allreduce of 8 bytes over all ranks

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/origin.h"
#include "model/count.h"
#include "symbolic/expression.h"
#include "trace/trace.h"

namespace parcast::program {

/// How a number changes from round to round, k = 0 .. rounds - 1.
enum class Change {
  none,      // a
  up,        // a + k
  down,      // a - k
  doubling,  // a 2^k
  halving,   // a 2^(rounds - 1 - k)
  halved,    // a / 2^k
};

/// The partner of an operation. A is the amount in round k.
struct Partner {
  enum class Kind {
    none,          // not a message
    any,           // a receive from any source
    fixed,         // rank A
    from_last,     // rank p - 1 - A
    offset,        // rank r + A, where there is one
    ring,          // rank (r + A) mod p
    exclusive_or,  // rank r xor A, where there is one
    others,        // the A-th of the other ranks
    grid,          // this rank's coordinates in a process grid, shifted
  };
  Kind kind = Kind::none;
  std::int64_t amount = 0;
  Change change = Change::none;
  int dimensions = 0;                  // of the grid
  std::array<std::int8_t, 3> shift{};  // along each dimension
  std::uint8_t periodic = 0;           // bit k: dimension k is periodic

  bool operator==(const Partner&) const = default;
};

/// The ranks that execute a step, by rank (dimensions = 0) or by a coordinate c in a process grid, 0 .. P -
/// 1.
struct Guard {
  /// second: only rank 1, such as the node that answers a host for all nodes. neighboured: ranks with a
  /// neighbour at `shift`. copied: c mod of = remainder.
  enum class Kind { all, first, not_first, last, not_last, inner, odd, even, second, neighboured, copied };
  Kind kind = Kind::all;
  int dimensions = 0, dimension = 0;
  // Of neighboured: along each dimension of a grid that is not periodic.
  std::array<std::int8_t, 3> shift{};
  std::int32_t of = 1, remainder = 0;

  bool operator==(const Guard&) const = default;
};

/// The communicator of an operation.
struct Members {
  enum class Kind {
    all,     // all ranks, in order
    plane,   // ranks with the same coordinates in a process grid, except in the kept dimensions
    modulo,  // ranks r' with r' mod amount = r mod amount
    block,   // ranks r' with floor(r' / amount) = floor(r / amount)
    nodes,   // all ranks except rank 0, the host of a host-node program, which is alone
  };
  Kind kind = Kind::all;
  int dimensions = 0;
  std::uint8_t kept = 0;  // bit k: dimension k is kept
  std::int64_t amount = 0;
  // Among communicators with the same members, in order of creation; all, 0: MPI_COMM_WORLD.
  std::uint32_t number = 0;

  bool operator==(const Members&) const = default;
};

struct Tag {
  enum class Kind { any, number, own_rank, partners_rank, round };
  Kind kind = Kind::number;
  std::int64_t amount = 0;  // added to the rank or round

  bool operator==(const Tag&) const = default;
};

/// The requests that a wait completes: all open requests that a step began, or the oldest or newest of them;
/// or one request from any step: by its age (1: the last one begun), or the first open one.
struct Awaited {
  enum class Which { all, oldest, newest, ago, first };
  std::uint32_t step = 0;  // of `ago`: the age; of `first`: 0
  Which which = Which::all;

  bool operator==(const Awaited&) const = default;
};

/// A statement of computing in a written program (language/): a stretch, a loop over such, or the statements
/// under a condition.
struct ComputingPart {
  enum class Kind { sequence, iteration, condition };
  Kind kind = Kind::sequence;
  std::string label, where;  // "points of the block", "solve.program:12"
  // Per execution of the containing part: 1; rounds; or the number of times that the condition is true.
  symbolic::Expression executions;
  // Of all executions, per execution of the computing that it is part of.
  symbolic::Expression seconds;
  std::vector<ComputingPart> parts;  // in order; their seconds sum to these
};

/// Seconds of computing before an operation.
struct Computing {
  std::uint32_t after = 0;  // the step before; Structure::step_count: none
  std::uint32_t loops = 0;  // loops entered since that step
  symbolic::Expression seconds;
  Origin origin = Origin::unknown;
  std::vector<ComputingPart> parts = {};  // of a written program: their seconds sum to these; else empty
};

/// A count in each round.
struct RoundCount {
  Count count;
  Change change = Change::none;
  Count slope;  // up, down: added or subtracted per round; else not used
};

struct Step {
  enum class Kind {
    operation,
    loop,    // the body, `rounds` times, always the same
    rounds,  // the body, whose attributes change with the number of the round
    every,   // in the body of a loop: its own body, in some of the loop's iterations only
  };
  Kind kind = Kind::operation;
  std::uint32_t id = 0;  // in order of the steps, a loop before its body
  // Index into Structure::places; also of loops in written programs.
  std::uint32_t place = trace::kNowhere;
  Guard guard;
  // Loops and rounds:
  Count rounds;
  std::vector<Step> body;
  // every: in iterations i = 0, 1, ... of the innermost loop around it with i mod every = offset. A parameter
  // of the name every_of, if it is not empty, is the period; then offset < 0 counts from the period's end.
  std::int64_t every = 1, offset = 0;
  std::string every_of;
  // Operations:
  trace::Kind operation = trace::Kind::send;
  trace::Mode mode = trace::Mode::standard;
  recording::Pattern pattern = recording::Pattern::none;
  bool uneven = false;
  Partner partner;
  std::vector<std::pair<Guard, Partner>> alternatives;  // other rules that hold for all recordings
  Members members;
  Tag tag;
  Count root;
  std::int32_t root_change = 0;  // 1, -1: root + k, root - k, modulo the members
  RoundCount bytes;
  std::vector<Awaited> awaited;  // of waits
  std::vector<Computing> computing;
};

struct Structure {
  std::vector<trace::Place> places;
  std::vector<Step> steps;
  std::uint32_t step_count = 0;  // loops and bodies included
  // After the last operation: one entry, or none. A written program has one for each step that may be the
  // last.
  std::vector<Computing> tail;
  std::vector<std::int32_t> processes;   // recorded counts from which it was found, ascending, none below 2
  std::vector<std::string> assumptions;  // of the traces from which it was found, and of the search

  /// The reason why no rules were found; the other members are then empty, unless the steps are copies.
  Error missing;
  // The search reached a limit, so it may have missed a rule. Not stored in files.
  bool gave_up = false;
  // Without rules: each rank r does what rank r mod copied did in a recorded run on so many processes; 0: the
  // steps are no copies. Assumed for every other number of processes.
  std::int32_t copied = 0;

  /// Returns whether rules were found, which hold for all recordings.
  bool found() const { return missing.what.empty(); }
  /// Returns whether there are steps: rules, or copies of a recorded run.
  bool has_steps() const { return found() || copied > 0; }
  /// Returns the error for callers that need steps.
  Error refusal() const {
    return {"the model does not hold what the ranks do in order: " + missing.what, missing.where,
            missing.hint};
  }
};

}  // namespace parcast::program
