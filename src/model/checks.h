// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a model gives for runs that were recorded, beside what was recorded. docs/models/checks.md.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace parcast::program {

/// Seconds.
struct Compared {
  double recorded = 0, given = 0;
};

/// One piece of a run: a node, a segment or a rank, by its index.
struct ComparedPiece {
  std::int32_t index = -1;
  Compared seconds;
};

/// A recorded run as the model gives it. Recorded times of computing are without what scheduling took.
struct RunCheck {
  std::int32_t processes = 1;
  std::map<std::string, double> parameters;
  Compared computing;                     // of all ranks together
  Compared slowest;                       // of the rank that computes longest, on each side
  std::vector<ComparedPiece> regions;     // innermost regions and loops by node, all ranks together
  std::optional<ComparedPiece> segment;   // that misses most seconds, all ranks together
  std::optional<ComparedPiece> rank;      // that misses most seconds of computing
  /// From MPI_Init's return to MPI_Finalize's entry. Nothing where no machine was
  /// named, processes shared cores, or the engine has no answer.
  std::optional<Compared> total;
  bool slowed = false;  // something slowed the recording (observations/slowed_runs.h): its miss is none of the model's
};

/// Runs that were left out, as the model of all others gives them.
struct ForwardCheck {
  std::string without;   // parameter whose largest value was left out; "p": the largest process count
  double largest = 0;    // that value
  double remaining = 0;  // the largest one that the model was made from
  std::vector<RunCheck> runs;
};

/// By which part the greater of both exceeds the smaller: 0.06 is 6 %. Infinite where one alone is 0.
double miss(const Compared& seconds);
struct Checks {
  std::vector<RunCheck> given_back;   // of each whole recording
  std::vector<ForwardCheck> forward;
  std::string machine = {};           // on which totals were predicted; empty: none
};

/// The misses of several runs, without slowed ones.
struct Misses {
  std::size_t count = 0;
  double median = 0, largest = 0;
  std::size_t worst = 0;              // run of the largest miss; of several the first
};
Misses computing_misses(const std::vector<RunCheck>& runs);
/// Of those that have a total.
Misses total_misses(const std::vector<RunCheck>& runs);

}  // namespace parcast::program
