// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/waiting.h"

namespace parcast::simulate {

void explain_hang(const trace::Trace& trace, Outcome& outcome) {
  const auto finished = [&](std::int32_t rank) {
    return outcome.ranks[static_cast<std::size_t>(rank)].finished;
  };
  outcome.cycle = trace::circle_of(trace.ranks, outcome.waiting, finished);
  outcome.by_choice = trace::is_by_choice(trace, outcome.waiting, finished);
}

}  // namespace parcast::simulate
