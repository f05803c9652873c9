// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tables of a store and their history: each released schema is a step that the next one starts from, so that a new store
// and an old one that was brought up to date are the same (docs/formats/store.md).

#include <soci/soci.h>

#include "base/result.h"
#include "store/dialect.h"

namespace parcast::store {

constexpr int kSchema = 3;

/// Makes the tables where there are none (if `create`), or takes the steps that are missing, each in a transaction. A newer
/// schema than ours is refused and not touched, as is what belongs to another program. May throw soci_error.
Result<void> bring_up_to_date(soci::session& sql, const Dialect& dialect, const std::string& shown, bool create);

}  // namespace parcast::store
