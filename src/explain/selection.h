// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranks several machines for a program, or several programs for a machine, with the probability of each being
// the fastest (docs/models/selection.md).

#include <vector>

#include "predict/equation/machine_errors.h"
#include "predict/prediction.h"

namespace parcast::explain {

/// One of the machines, or of the programs.
struct Choice {
  std::size_t prediction = 0;   // index in the given predictions
  double probability_best = 0;  // of being the fastest
  double slower = 1;            // its time divided by that of the fastest
};

struct Selection {
  std::vector<Choice> choices;  // the fastest first; the probabilities sum to 1
  // errors of the program's model (for programs: of the machine) are shared by all; else all errors are
  // independent
  bool shared = false;
};

// standard errors of 0.0008 and 0.0035
inline constexpr std::size_t kMachineDraws = 400'000, kMachineDrawsOfSweep = 20'000;

/// Ranks predictions of one program for the same question. The draws are seeded: the same input gives the
/// same probabilities, to 0.2 %. `outdone` (outdone.h): for each machine, or empty; these are never the
/// fastest.
Selection select_machine(const std::vector<predict::Prediction>& predictions,
                         const std::vector<bool>& outdone = {}, std::size_t draws = kMachineDraws);

/// The rank of a machine among others at a point of a sweep.
struct Standing {
  double probability_best = 0;  // of being the fastest there
  double slower = 1;            // its time divided by that of the fastest
};
struct Standings {
  std::vector<Standing> each;  // one per prediction; empty: there is only one machine
  bool shared = false;         // as in Selection, at every point
};
/// Ranks the machines at each point of a sweep, whose predictions list `machines` machines for each point in
/// turn.
Standings standings_of(const std::vector<predict::Prediction>& predictions, std::size_t machines,
                       const std::vector<bool>& outdone = {});

// standard errors of 0.0016 and 0.0035
inline constexpr std::size_t kVariantDraws = 100'000, kVariantDrawsOfSweep = 20'000;

/// Ranks predictions of several programs on one machine for the same question. `errors`: one for each, or
/// empty. If empty, the machine's errors count as independent, as if every program ran on another machine.
Selection select_variant(const std::vector<predict::Prediction>& predictions,
                         const std::vector<predict::MachineErrors>& errors, const machine::Machine& machine,
                         std::size_t draws = kVariantDraws);

}  // namespace parcast::explain
