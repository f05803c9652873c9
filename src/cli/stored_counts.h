// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs of a store with what their programs' models say that they do: for `parcast regress --store URL`.

#include "regress/runs.h"
#include "store/store.h"

namespace parcast::cli {

/// Recordings and measurements that answer the query, of one machine. The counts of a run follow from the newest model that the store has
/// of its program, by the equation on a machine whose links have a startup and a cost per byte alone, and are the derivatives by these:
///
///   messages   startups on the longest chain of dependences, collectives by their usual algorithms
///   bytes      on that chain
///   computing  all else, in seconds of the machine of the recordings: its cost is how much slower this machine is
///
/// Fails where no run is meant, where they are of several machines, where models rest on recordings of several, and where no program
/// has a model. Runs of programs without one are left out, which the notes say.
Result<regress::Runs> stored_counts(const store::Store& store, store::Query query);

}  // namespace parcast::cli
