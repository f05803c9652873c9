// SPDX-License-Identifier: Apache-2.0
#pragma once
// The efficiencies of the POP centre (pop-coe.eu, standard metrics), and the seconds that each of them loses:
//
//   parallel = load balance x communication,   communication = serialisation x transfer
//   load balance = mean useful / longest useful,   communication = longest useful / T
//   serialisation = longest useful / T on an ideal network,   transfer = T on an ideal network / T
//
// Useful time is the time of computation. Summed over processes, in seconds: useful + imbalance +
// serialisation + transfer = p T, as the overheads of the same run sum to p T.

#include <optional>

#include "causes/runs.h"

namespace parcast::causes {

struct Efficiencies {
  double load_balance = 0, communication = 0, parallel = 0;
  std::optional<double> serialisation, transfer;  // if the time on an ideal network is known
  std::optional<double> computation_scalability;  // useful seconds of the reference / of this run
  double useful_seconds = 0, imbalance_seconds = 0, communication_seconds = 0;  // sum: p T
  std::optional<double> serialisation_seconds, transfer_seconds;                // sum: communication_seconds
};

/// Returns the efficiencies. `reference`: a run of the same problem on fewer processes, or null. Fails if no
/// process computes, and if Run::ideal_seconds is shorter than the longest computing or longer than the run.
/// Precondition: `run` has passed `check`.
Result<Efficiencies> efficiencies(const Run& run, const Run* reference = nullptr);

}  // namespace parcast::causes
