// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON of the operation for which a deadlocked rank waits.

#include <nlohmann/json.hpp>

#include "trace/waiting.h"

namespace parcast::report {

nlohmann::ordered_json waiting_json(const trace::Trace& trace, const trace::Waiting& waiting);

}  // namespace parcast::report
