// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads and writes the checks in a model's file.

#include "model/checks.h"
#include "model/value_json.h"

namespace parcast::program {

Json write_checks(const Checks& checks);
/// `nodes` and `segments`: the model's number of each. Indices out of range are errors.
Result<Checks> read_checks(const Value& value, std::size_t nodes, std::size_t segments);

}  // namespace parcast::program
