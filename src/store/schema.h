// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tables of a store and their history. Each released schema is a step from the previous one. A new store
// and an upgraded old one are therefore the same (docs/formats/store.md).

#include <soci/soci.h>

#include "base/result.h"
#include "store/dialect.h"

namespace parcast::store {

constexpr int kSchema = 3;

/// Makes missing tables (if `create`), or takes the missing steps, each in a transaction. Refuses a newer
/// schema and the database of another program, without changing them. May throw soci_error.
Result<void> bring_up_to_date(soci::session& sql, const Dialect& dialect, const std::string& shown,
                              bool create);

}  // namespace parcast::store
