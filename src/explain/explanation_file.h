// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes an explanation as parcast.explanation/1 (docs/formats/prediction.md).

#include <string>

#include "explain/explain.h"

namespace parcast::explain {

std::string to_json(const Explanation& explanation);

}  // namespace parcast::explain
