// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes that arrive, from the messages that partners send. A wait completes receives from several directions,
// and ranks at the sides of a grid receive fewer: its total often follows no formula of the family, while
// each of the sends does. docs/models/counts.md, "Bytes that arrive".

#include <map>
#include <optional>
#include <vector>

#include "model/model.h"
#include "observations/inputs.h"
#include "observations/traces.h"

namespace parcast::program {

/// Returns what a rank receives from this send of its partner: the send's bytes at the partner's place, 0
/// where no rank has this one as its partner. Nothing if the partners follow no relation that an expression
/// can reverse, or the bytes depend on places in another grid.
std::optional<symbolic::Expression> arriving(const Node& send);

/// Replaces received bytes that are not identified by the sum of what some sends of the model deliver, if
/// that sum equals the received bytes of every process in every recording. Where the sends have a fitted law
/// only, received bytes take it if every process receives about as much as it sends, all together exactly as
/// much, and the law's error is smaller than that of their own.
void identify_arrivals(Model& model, const Inputs& inputs, const Traces& traces,
                       const std::map<std::int32_t, NodeId>& node_of_key);

}  // namespace parcast::program
