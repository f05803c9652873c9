// SPDX-License-Identifier: Apache-2.0
#include "predict/assumed_link.h"

#include <algorithm>

#include "machine/cost.h"
#include "predict/intervals.h"

namespace parcast::predict {

void hold_assumed_link(const machine::Machine& machine, Prediction& prediction) {
  const Question& question = prediction.question;
  if (question.point.processes < 2 || !(question.level > 0) || machine.name == machine::ideal_machine().name)
    return;
  const machine::LinkChoice link =
      machine::link_for(machine, question.point.processes, prediction.ranks_per_node);
  if (link.note.empty()) return;
  const Parts& parts = prediction.parts;
  const double messages = link.link.empty()
                              ? prediction.seconds.value
                              : parts.message_startup.value + parts.transfer.value + parts.wait.value;
  Estimate seconds = prediction.seconds;
  seconds.high = std::max(seconds.high, seconds.value + (kStandInFactor - 1) * messages);
  set_seconds(seconds, prediction);
}

}  // namespace parcast::predict
