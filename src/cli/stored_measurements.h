// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs of a store as measured values: for `parcast fit --store URL --program wave`, whose flags select runs
// as those of `parcast store runs` do.

#include <string>
#include <vector>

#include "cli/measurement_files.h"
#include "cli/verb.h"
#include "fit/measurements.h"
#include "store/store.h"

namespace parcast::cli {

/// Returns --store, the flags that select runs, and --regions.
const std::vector<Flag>& stored_flags();
/// Returns whether one of these flags is given, so that runs of a store are the input.
bool asks_store(const Invocation& invocation);

/// Checks that all runs are of one machine. Recordings name the processor, measurements the machine: one name
/// of each kind may be the same machine, and a warning reports this assumption. Fails if the runs are of
/// several machines.
Result<void> of_one_machine(const std::vector<store::Entry>& runs, std::vector<std::string>& warnings);

struct StoredOptions {
  std::vector<std::string> parameters;  // parameters to use; empty: all that the runs have
  bool regions = false;  // adds the measurements in the recordings of the runs, if the files still exist
};

/// Returns the recordings and measurements that match the query as measured values. Parameters are p and the
/// parameters of the runs; nodes, ranks_per_node and threads if they vary. The metric of the program is
/// `seconds` (of the slowest rank, as validate compares it). With `regions` all of recorded_measurements.h is
/// added, except the times of the program. Runs at one point are repetitions. Fails if no run matches,
/// if the runs are of several programs or machines, and if a run lacks a parameter that others have. Also
/// fails if parameters vary together, so that their effects cannot be separated. `warnings` name the
/// assumptions.
Result<LoadedMeasurements> stored_measurements(const store::Store& store, store::Query query,
                                               const StoredOptions& options);

/// Loads the measurements of a verb: from its inputs, or from the runs of a store if the flags select them.
/// Both together are an error.
Result<LoadedMeasurements> load_measurements(const Invocation& invocation);

}  // namespace parcast::cli
