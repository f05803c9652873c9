// SPDX-License-Identifier: Apache-2.0
#pragma once
// The model's results for recorded runs, compared with the recordings. docs/models/checks.md.

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

/// One part of a run: a node, a segment or a rank, by its index.
struct ComparedPiece {
  std::int32_t index = -1;
  Compared seconds;
};

/// A recorded run compared with the model. Recorded times of computing exclude what scheduling took.
struct RunCheck {
  std::int32_t processes = 1;
  std::map<std::string, double> parameters;
  Compared computing;                    // all ranks together
  Compared slowest;                      // on each side the rank that computes longest
  std::vector<ComparedPiece> regions;    // innermost regions and loops by node, all ranks together
  std::optional<ComparedPiece> segment;  // the one with the largest error in seconds, all ranks together
  std::optional<ComparedPiece> rank;     // the one with the largest error in computing
  /// From MPI_Init's return to MPI_Finalize's entry. Absent if no machine was named, processes shared cores,
  /// or the engine gives no result.
  std::optional<Compared> total;
  // Something slowed the recording (observations/slowed_runs.h), so its error is not the model's.
  bool slowed = false;
};

/// Runs that were left out, compared with a model of all other runs.
struct ForwardCheck {
  std::string without;   // parameter whose largest value was left out; "p": the largest process count
  double largest = 0;    // the value that was left out
  double remaining = 0;  // the largest value that the model was built from
  std::vector<RunCheck> runs;
};

/// Returns (larger value / smaller value) - 1: 0.06 is 6 %. Infinite if only one of them is 0.
double miss(const Compared& seconds);
struct Checks {
  std::vector<RunCheck> given_back;  // every recording, compared with the model of all of them
  std::vector<ForwardCheck> forward;
  std::string machine = {};  // on which totals were predicted; empty: none
};

/// Errors of several runs, without slowed ones.
struct Misses {
  std::size_t count = 0;
  double median = 0, largest = 0;
  std::size_t worst = 0;  // index of the run with the largest error; the first one if several are equal
};
Misses computing_misses(const std::vector<RunCheck>& runs);
/// Returns the computing that the model of all runs gives for a run. A run with which that model was not
/// compared counts as given exactly.
double given_by_all(const RunCheck& run, const std::vector<RunCheck>& given_back);
/// Returns the largest relative difference between the computing that the model of the other runs gives for
/// the runs left out, and what the model of all runs gives there: growth that the others did not show. The
/// noise of the runs is in neither. A run that the model of all was not compared with counts by its miss.
double growth_missed(const ForwardCheck& check, const std::vector<RunCheck>& given_back);
/// Of the runs that have a total.
Misses total_misses(const std::vector<RunCheck>& runs);

}  // namespace parcast::program
