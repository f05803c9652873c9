// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much processor time each phase takes per unit of sequential time (Lemeire and Dirkx 2004, equations 1 to 5):
//
//   Ovh_phase = sum over processes of T_phase / Tseq,   E = 1 / sum over phases of Ovh_phase,   S = p E
//
// The equations need every process to end at the same time, so what a process waits for the last one is a phase of its own:
// idle, "end". Ratios are not bounded: an overhead above 1 takes longer than the useful work, computation below 1 is work
// that many processes do faster than one. docs/models/overheads.md.
//
//   n = 150, p = 4: computation 1.04 + communication 0.31 + idle 0.12 = 1.47, efficiency 68 %, speedup 2.72

#include <string>
#include <vector>

#include "causes/runs.h"

namespace parcast::causes {

/// The name of the phase that ends all processes together.
inline constexpr std::string_view kEnd = "end";

struct Overhead {
  PhaseClass phase;
  double seconds = 0;               // of all processes
  double ratio = 0;                 // seconds / Tseq
  std::vector<double> by_process;   // seconds
};

/// The time that the overheads refer to, and how it came to be.
struct Sequential {
  enum class Basis { measured, modelled };
  double seconds = 0;               // > 0
  Basis basis = Basis::measured;
  std::size_t runs = 0;             // measured ones that it rests on
};

struct Overheads {
  Sequential sequential;
  double parallel_seconds = 0;      // of the slowest process
  double efficiency = 0, speedup = 0;
  std::vector<Overhead> phases;     // by kind and name; a phase of idle "end" where processes end at different times
};

/// One phase per kind and name, and the wait at the end. `run` has passed `check`, sequential.seconds is positive.
Overheads overheads(const Run& run, const Sequential& sequential);

/// All of one kind, the developer's phases within it or not.
double ratio_of(const Overheads& overheads, Kind kind);
double seconds_of(const Overheads& overheads, Kind kind);

/// The phases as the developer named them, "solve/exchange" within "solve" within its kind; each row with all below it.
struct OverheadRow {
  std::size_t depth = 0;            // 0: a kind
  std::string name;                 // "exchange"
  double seconds = 0, ratio = 0;
};
std::vector<OverheadRow> tree_of(const Overheads& overheads);

/// Parameters that say how the processes are laid out, and nothing of the problem: up to three whose product is the number of processes in
/// every run, which must differ in it.
std::vector<std::string> grid_parameters(const Runs& runs);

/// The runs at p = 1 with the parameters of this one, grid_parameters() apart: the same problem on one process.
std::vector<std::size_t> alone_at(const Runs& runs, const Run& run);

/// Tseq of a run: the mean time of the runs at p = 1 with its parameters, grid_parameters() apart; without such a run, where at least three others
/// were made at p = 1, what statistics::fit_growth says of them at these parameters. Nothing where neither is there.
std::optional<Sequential> sequential_of(const Runs& runs, const Run& run);

}  // namespace parcast::causes
