// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which of several machines runs a program fastest, or which of several programs is the fastest on a machine, with the probability of each
// being it (docs/models/selection.md).

#include <vector>

#include "predict/equation/machine_errors.h"
#include "predict/prediction.h"

namespace parcast::explain {

/// One of the machines, or of the programs.
struct Choice {
  std::size_t prediction = 0;      // its place among those given
  double probability_best = 0;     // of being the fastest
  double slower = 1;               // its time over that of the first
};

struct Selection {
  std::vector<Choice> choices;  // the fastest first; the probabilities sum to 1
  bool shared = false;          // what errs in the program's model (of programs: in the machine) was taken to err alike; else all errs apart
};

inline constexpr std::size_t kMachineDraws = 400'000, kMachineDrawsOfSweep = 20'000;  // standard errors of 0.0008 and 0.0035

/// Of predictions of one program for the same question. Seeded draws: the same input gives the same probabilities, to 0.2 %.
/// `outdone` (outdone.h): of each machine, or empty; these are never the fastest.
Selection select_machine(const std::vector<predict::Prediction>& predictions, const std::vector<bool>& outdone = {}, std::size_t draws = kMachineDraws);

/// How a machine does at a point of a sweep among those asked about.
struct Standing {
  double probability_best = 0;     // of being the fastest there
  double slower = 1;               // its time over that of the fastest
};
struct Standings {
  std::vector<Standing> each;      // of each prediction; none: there is one machine
  bool shared = false;             // as in Selection, at every point
};
/// Of a sweep, at whose points the predictions of so many machines follow each other.
Standings standings_of(const std::vector<predict::Prediction>& predictions, std::size_t machines, const std::vector<bool>& outdone = {});

inline constexpr std::size_t kVariantDraws = 100'000, kVariantDrawsOfSweep = 20'000;  // standard errors of 0.0016 and 0.0035

/// Of predictions of several programs on one machine for the same question. `errors` of each, or none: what errs in the machine then counts
/// as if every program had another one.
Selection select_variant(const std::vector<predict::Prediction>& predictions, const std::vector<predict::MachineErrors>& errors, const machine::Machine& machine,
                         std::size_t draws = kVariantDraws);

}  // namespace parcast::explain
