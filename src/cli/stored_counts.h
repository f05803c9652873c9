// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs of a store with what their programs' models say that they do: for `parcast regress --store URL`.

#include <memory>

#include "machine/machine.h"
#include "regress/runs.h"
#include "store/store.h"

namespace parcast::cli {

/// Recordings and measurements that answer the query, of one machine. The counts of a run follow from the newest model that the store has
/// of its program (model_counts.h), where a machine is given by its prices of operations.
///
/// Fails where no run is meant, where they are of several machines, where models rest on recordings of several, and where no program
/// has a model. Runs of programs without one are left out, which the notes say.
Result<regress::Runs> stored_counts(const store::Store& store, store::Query query, std::shared_ptr<const machine::Machine> prices = nullptr);

}  // namespace parcast::cli
