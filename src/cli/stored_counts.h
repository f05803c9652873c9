// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs of a store with the counts from their programs' models: for `parcast regress --store URL`.

#include <memory>

#include "machine/machine.h"
#include "regress/runs.h"
#include "store/store.h"

namespace parcast::cli {

/// Returns the recordings and measurements that match the query, all of one machine. The newest model of its
/// program in the store gives the counts of a run (model_counts.h). If `prices` is given, computing is priced
/// by that machine's operations.
///
/// Fails if no run matches, if the runs are of several machines, if models rest on recordings of several
/// machines, and if no program has a model. Runs of programs without a model are left out; the notes report
/// it.
Result<regress::Runs> stored_counts(const store::Store& store, store::Query query,
                                    std::shared_ptr<const machine::Machine> prices = nullptr);

}  // namespace parcast::cli
