// SPDX-License-Identifier: Apache-2.0
#pragma once
// The processor time of each phase per unit of sequential time (Lemeire and Dirkx 2004, equations 1 to 5):
//
//   Ovh_phase = sum over processes of T_phase / Tseq,   E = 1 / sum over phases of Ovh_phase,   S = p E
//
// The equations require that all processes end at the same time. So the wait of each process for the last one
// is a separate phase: idle, "end". Ratios are not bounded. An overhead above 1 takes longer than the useful
// work; computation below 1 is work that many processes do faster than one. docs/models/overheads.md.
//
//   n = 150, p = 4: computation 1.04 + communication 0.31 + idle 0.12 = 1.47, efficiency 68 %, speedup 2.72

#include <string>
#include <vector>

#include "causes/runs.h"

namespace parcast::causes {

/// The name of the phase that makes all processes end together.
inline constexpr std::string_view kEnd = "end";

struct Overhead {
  PhaseClass phase;
  double seconds = 0;              // sum over processes
  double ratio = 0;                // seconds / Tseq
  std::vector<double> by_process;  // seconds
};

/// The time to which the overheads refer, and how it was obtained.
struct Sequential {
  enum class Basis { measured, modelled };
  double seconds = 0;  // > 0
  Basis basis = Basis::measured;
  std::size_t runs = 0;  // number of measured runs that it rests on
};

struct Overheads {
  Sequential sequential;
  double parallel_seconds = 0;  // of the slowest process
  double efficiency = 0, speedup = 0;
  // by kind and name; with an idle phase "end" if processes end at different times
  std::vector<Overhead> phases;
};

/// Returns one phase per kind and name, and the wait at the end. Preconditions: `run` has passed `check`,
/// sequential.seconds is positive.
Overheads overheads(const Run& run, const Sequential& sequential);

/// Sums over one kind, with or without the developer's phases.
double ratio_of(const Overheads& overheads, Kind kind);
double seconds_of(const Overheads& overheads, Kind kind);

/// A row of the developer's tree of phases: "solve/exchange" is within "solve", which is within its kind. A
/// row includes all rows below it.
struct OverheadRow {
  std::size_t depth = 0;  // 0: a kind
  std::string name;       // e.g. "exchange"
  double seconds = 0, ratio = 0;
};
std::vector<OverheadRow> tree_of(const Overheads& overheads);

/// Returns the parameters that define the layout of the processes rather than the problem: up to three whose
/// product is the number of processes in every run. The runs must differ in that number.
std::vector<std::string> grid_parameters(const Runs& runs);

/// Returns the runs at p = 1 with the parameters of this one, except grid_parameters(): the same problem on
/// one process.
std::vector<std::size_t> alone_at(const Runs& runs, const Run& run);

/// Returns Tseq of a run: the mean time of the runs at p = 1 with its parameters, except grid_parameters().
/// Without such a run, but with at least three others at p = 1, the estimate of statistics::fit_growth at
/// these parameters. Nothing without either.
std::optional<Sequential> sequential_of(const Runs& runs, const Run& run);

}  // namespace parcast::causes
