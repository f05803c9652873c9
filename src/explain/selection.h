// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which of several machines runs a program fastest, with the probability of each being it (docs/models/selection.md).

#include <vector>

#include "predict/prediction.h"

namespace parcast::explain {

/// One of the machines.
struct Choice {
  std::size_t prediction = 0;      // its place among those given
  double probability_best = 0;     // of being the fastest
  double slower = 1;               // its time over that of the first
};

struct Selection {
  std::vector<Choice> choices;  // the fastest first; the probabilities sum to 1
  bool shared = false;          // what errs in the program's model was taken to err alike on all machines; else all errs apart
};

/// Of predictions of one program for the same question. Seeded draws: the same input gives the same probabilities, to 0.2 %.
Selection select_machine(const std::vector<predict::Prediction>& predictions);

}  // namespace parcast::explain
