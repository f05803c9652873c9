// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks of a model in its file.

#include "model/checks.h"
#include "model/value_json.h"

namespace parcast::program {

Json write_checks(const Checks& checks);
/// `nodes` and `segments`: how many the model has.
Result<Checks> read_checks(const Value& value, std::size_t nodes, std::size_t segments);

}  // namespace parcast::program
