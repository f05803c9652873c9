// SPDX-License-Identifier: Apache-2.0
#pragma once
// Skips iterations that have become periodic. When a rank begins a round of a loop, the complete state is
// compared with that of some rounds before: ranks' places in their sequences, messages under way, requests,
// and times relative to the present. If both are equal, the part in between repeats as long as every rank has
// rounds left. That many periods are skipped at once, exact to the picosecond. (Max-plus linear systems
// become periodic: Baccelli, Cohen, Olsder, Quadrat 1992, ch. 3.)

#include <cstdint>
#include <utility>
#include <vector>

#include "predict/simulate/simulate.h"
#include "trace/trace.h"

namespace parcast::simulate {

/// Digest of a state: the sum of 128 bits of XXH3 for each part.
struct Digest {
  std::uint64_t low = 0, high = 0;
  void add(const std::vector<std::uint64_t>& words, std::uint64_t kind_of_part);
  bool operator==(const Digest&) const = default;
};

/// Counts that grow from one period to the next.
struct Counted {
  std::uint64_t operations = 0, messages = 0, bytes = 0, collective_messages = 0, collective_bytes = 0,
                accesses = 0, matched = 0;
};

/// Of a rank: sums so far, and rounds left of the loops around its current item.
struct Mark {
  Time compute = 0, communication = 0;
  std::uint32_t first_level = 0;  // index into Reference::rounds_left
  std::uint32_t levels = 0;
};

/// A state with which later ones are compared.
struct Reference {
  bool taken = false;
  Digest digest;
  Time base = 0;
  Counted counted;
  std::vector<Mark> marks;
  std::vector<std::uint32_t> rounds_left;
};

/// Decides when to compare states: every `step` rounds of one rank, the witness. After 1, 2, 4, 8, 8 ...
/// comparisons the last state becomes the reference (Brent 1980). From 8 on the step doubles, so that
/// comparing costs less and less when there is no period.
class Looks {
 public:
  explicit Looks(std::uint64_t ranks) : patience_(64 * ranks + 1024) {}

  /// Returns whether a comparison is due after an event of a rank with this walker.
  bool due(std::int32_t rank, const trace::Walker& walker) {
    if (rank == witness_ && walker.rounds() >= next_) return true;
    if (rank == witness_ || ++others_ < patience_ || walker.depth() == 0) return false;
    start_over(rank, walker.rounds());  // the witness has not begun a round for a long time
    return false;
  }
  void start_over(std::int32_t witness, std::uint64_t rounds) {
    witness_ = witness;
    next_ = rounds + 1;
    step_ = 1;
    looks_ = 0;
    segment_ = 1;
    others_ = 0;
  }
  /// Records a comparison; returns true when its state becomes the reference. `little_work`: the work since
  /// the last comparison was small relative to its cost.
  bool made(std::uint64_t rounds, bool little_work) {
    others_ = 0;
    if (little_work) step_ *= 2;
    const bool reference = ++looks_ == segment_;
    if (reference) {
      looks_ = 0;
      if (segment_ < kLongestSegment)
        segment_ *= 2;
      else
        step_ *= 2;
    }
    next_ = rounds + step_;
    return reference;
  }
  std::int32_t witness() const { return witness_; }

 private:
  std::uint64_t patience_;
  std::int32_t witness_ = 0;
  std::uint64_t next_ = 1, step_ = 1, others_ = 0;
  static constexpr std::uint32_t kLongestSegment = 8;
  std::uint32_t looks_ = 0, segment_ = 1;
};

}  // namespace parcast::simulate
