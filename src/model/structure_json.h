// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads and writes a structure in a model's file: docs/formats/model.md.

#include "model/structure.h"
#include "model/value_json.h"

namespace parcast::program {

Json write_structure(const Structure& structure);
Result<Structure> read_structure(const Value& value, const Kinds& kinds);

}  // namespace parcast::program
