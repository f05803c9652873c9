// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs of a store as measured values: for `parcast fit --store URL --program wave`, whose flags choose runs as `parcast store runs` does.

#include <string>
#include <vector>

#include "cli/measurement_files.h"
#include "cli/verb.h"
#include "fit/measurements.h"
#include "store/store.h"

namespace parcast::cli {

/// --store and the flags that choose runs; --regions.
const std::vector<Flag>& stored_flags();
/// Whether one of them is given: the runs of a store are meant.
bool asks_store(const Invocation& invocation);

/// Recordings name the processor, measurements the machine: one name of each may be the same machine, which is said. Fails where
/// runs are of several.
Result<void> of_one_machine(const std::vector<store::Entry>& runs, std::vector<std::string>& warnings);

struct StoredOptions {
  std::vector<std::string> parameters;  // that count; empty: all that the runs have
  bool regions = false;                 // also what their recordings measured, where these still lie
};

/// Recordings and measurements that answer the query: p, the parameters of the runs, and of nodes, ranks_per_node and threads what
/// varies. The metric of the whole program is `seconds` (of the slowest rank, as validate compares it); with `regions` all of
/// recorded_measurements.h but the times of the whole program. Runs of one point are repetitions.
/// Fails where there is no such run, where they are of several programs or machines, where one lacks a parameter that others
/// have, and where parameters move together, so that their effects cannot be told apart. What is assumed stands in `warnings`.
Result<LoadedMeasurements> stored_measurements(const store::Store& store, store::Query query, const StoredOptions& options);

/// What a verb measures by: its inputs, or the runs of a store where the flags ask for them; one of the two.
Result<LoadedMeasurements> load_measurements(const Invocation& invocation);

}  // namespace parcast::cli
