// SPDX-License-Identifier: Apache-2.0
#pragma once
// The place of a call, equal in recordings, models and orders of operations.

#include <string>
#include <tuple>

#include "model/model.h"
#include "observations/traces.h"
#include "trace/trace.h"

namespace parcast::program {

/// Path of regions ("solve/exchange/"), call, file and line.
using CallPlace = std::tuple<std::string, std::string, std::string>;

CallPlace place_of(const CallKey& key);
CallPlace place_of(const Model& model, const Node& call);
CallPlace place_of(const trace::Place& place);

}  // namespace parcast::program
