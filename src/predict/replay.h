// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recording as an answer: its own run, simulated on another machine. It needs no model, and so no rule for
// the order of operations; it answers for the recorded processes and parameters alone. That suffices where
// runs of any size can be recorded, as with virtual processors on one core.

#include <memory>
#include <span>
#include <string_view>

#include "predict/prediction.h"
#include "recording/recording.h"

namespace parcast::predict {

/// The engine that such a prediction names.
inline constexpr std::string_view kReplay = "replay";

/// `recordings`: one or more of the same run; each computing time is the shortest of them, where all have the
/// same operations, else that of the first. Their sites are resolved (recording::resolve_sites). On a machine
/// with [extrap] by ExtraP's model (docs/models/extrap.md), else by the machine's links. Regions are the
/// calls, as means over ranks. There is no interval: what is simulated is taken as recorded. Fails where a
/// recording has no order of events, and where the run would not end.
Result<Prediction> replayed(std::span<const recording::Recording> recordings, const machine::Machine& machine,
                            std::shared_ptr<const machine::Machine> recorded_machine = nullptr);

}  // namespace parcast::predict
