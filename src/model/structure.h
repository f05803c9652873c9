// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the ranks of a program do, in order, at any parameters, process count and rank: operations, loops and rounds whose
// attributes are rules and counts. A trace (trace/trace.h) of a run that was never made is generated from it.
// docs/models/structure.md.
//
//     loop steps                                       of every rank
//       MPI_Irecv from grid (0, -1), 8*(n/g2_0) bytes  where there is such a rank
//       MPI_Isend to grid (0, +1), ...
//       MPI_Waitall of all that is open
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

/// Whom an operation exchanges with. A is the amount in round k.
struct Partner {
  enum class Kind {
    none,          // not a message
    any,           // a receive from anybody
    fixed,         // rank A
    from_last,     // rank p - 1 - A
    offset,        // rank r + A, where there is one
    ring,          // rank (r + A) mod p
    exclusive_or,  // rank r xor A, where there is one
    others,        // the A-th of the other ranks
    grid,          // this rank's place in a process grid, shifted
  };
  Kind kind = Kind::none;
  std::int64_t amount = 0;
  Change change = Change::none;
  int dimensions = 0;                   // of the grid
  std::array<std::int8_t, 3> shift{};   // along each dimension
  std::uint8_t periodic = 0;            // bit k: dimension k is

  bool operator==(const Partner&) const = default;
};

/// Which ranks do it, by the rank (dimensions = 0) or a coordinate in a process grid: c of 0 .. P - 1.
struct Guard {
  /// second: rank 1 alone, as who answers a host for all of its nodes. neighboured: who has a neighbour at `shift`.
  enum class Kind { all, first, not_first, last, not_last, inner, odd, even, second, neighboured };
  Kind kind = Kind::all;
  int dimensions = 0, dimension = 0;
  std::array<std::int8_t, 3> shift{};  // of neighboured: along each dimension of a grid that is not periodic

  bool operator==(const Guard&) const = default;
};

/// The communicator that an operation is of.
struct Members {
  enum class Kind {
    all,     // all ranks, in order
    plane,   // ranks with the same coordinates in a process grid, but for the dimensions kept
    modulo,  // ranks r' with r' mod amount = r mod amount
    block,   // ranks r' with floor(r' / amount) = floor(r / amount)
    nodes,   // all ranks but rank 0, the host of a host-node program, who is alone
  };
  Kind kind = Kind::all;
  int dimensions = 0;
  std::uint8_t kept = 0;     // bit k: dimension k is
  std::int64_t amount = 0;
  std::uint32_t number = 0;  // of those with the same members, in order of their making; all, 0: MPI_COMM_WORLD

  bool operator==(const Members&) const = default;
};

struct Tag {
  enum class Kind { any, number, own_rank, partners_rank, round };
  Kind kind = Kind::number;
  std::int64_t amount = 0;  // added

  bool operator==(const Tag&) const = default;
};

/// What a wait is for: of the open requests that a step began all, the oldest or the newest; or the request that was begun so
/// many ago, whatever step began it (1: the last).
struct Awaited {
  enum class Which { all, oldest, newest, ago };
  std::uint32_t step = 0;  // or how many ago
  Which which = Which::all;

  bool operator==(const Awaited&) const = default;
};

/// A statement of computing, as a person wrote it (language/): one stretch, a loop over such, or what is done under a condition.
struct ComputingPart {
  enum class Kind { sequence, iteration, condition };
  Kind kind = Kind::sequence;
  std::string label, where;          // "points of the block", "solve.program:12"
  symbolic::Expression executions;   // each time that what holds it is executed: 1; rounds; how often the condition is true
  symbolic::Expression seconds;      // of all that, each time that the computing it is part of is done
  std::vector<ComputingPart> parts;  // in order; their seconds sum to these
};

/// Seconds of computing before an operation.
struct Computing {
  std::uint32_t after = 0;  // the step done before; Structure::step_count: none
  std::uint32_t loops = 0;  // that were entered since
  symbolic::Expression seconds;
  Origin origin = Origin::unknown;
  std::vector<ComputingPart> parts = {};  // of a written program: their seconds sum to these; else none
};

/// A count in each round.
struct RoundCount {
  Count count;
  Change change = Change::none;
  Count slope;  // up, down: what is added, or taken away, per round; else not used
};

struct Step {
  enum class Kind {
    operation,
    loop,    // the body, as often as `rounds` says, always the same
    rounds,  // the body, but in its attributes the number of the round counts
    every,   // in the body of a loop: its own body, in some of the loop's iterations alone
  };
  Kind kind = Kind::operation;
  std::uint32_t id = 0;            // in order of the steps, a loop before its body
  std::uint32_t place = trace::kNowhere;  // index into Structure::places; of loops that a person wrote as well
  Guard guard;
  // loops and rounds:
  Count rounds;
  std::vector<Step> body;
  // every: in iterations i = 0, 1, ... of the innermost loop around it with i mod every = offset
  std::int64_t every = 1, offset = 0;
  // operations:
  trace::Kind operation = trace::Kind::send;
  trace::Mode mode = trace::Mode::standard;
  recording::Pattern pattern = recording::Pattern::none;
  bool uneven = false;
  Partner partner;
  std::vector<std::pair<Guard, Partner>> rivals;  // other rules that hold for all recordings
  Members members;
  Tag tag;
  Count root;
  std::int32_t root_change = 0;    // 1, -1: root + k, root - k, modulo the members
  RoundCount bytes;
  std::vector<Awaited> awaited;    // of waits
  std::vector<Computing> computing;
};

struct Structure {
  std::vector<trace::Place> places;
  std::vector<Step> steps;
  std::uint32_t step_count = 0;               // loops and bodies included
  std::vector<Computing> tail;                // after the last operation: one entry, or none; of a written program one for each step that may be the last
  std::vector<std::int32_t> processes;        // from which it was found, ascending, none below 2
  std::vector<std::string> assumptions;       // of the traces it was found from, and of this

  /// Nothing was found, and this says why; all else is empty then.
  Error missing;
  bool gave_up = false;  // the search met a bound: there may be a rule that it did not come to; in no file
  bool found() const { return missing.what.empty(); }
  /// For who needs it.
  Error refusal() const {
    return {"the model does not hold what the ranks do in order: " + missing.what, missing.where,
            missing.hint};
  }
};

}  // namespace parcast::program
