// SPDX-License-Identifier: Apache-2.0
#include "report/contention_text.h"

#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

double contended_seconds(trace::Time time) {
  return static_cast<double>(time) * 1e-12;
}

}  // namespace

std::string memory_name(const simulate::MemoryLoad& load) {
  return (load.socket < 0 ? "" : "socket " + std::to_string(load.socket) + " of ") + "node " +
         std::to_string(load.node);
}

std::string contention_text(const simulate::Outcome& outcome, const Style& style) {
  if (!outcome.contended) return "";
  double lost = 0;
  for (const simulate::RankOutcome& rank : outcome.ranks) lost += contended_seconds(rank.contention);
  if (lost <= 0) return "  sharing memory costs no time\n";
  const simulate::MemoryLoad& most = *outcome.contended;
  return wrapped(style,
                 "  sharing memory makes computing take " + duration(lost) +
                     " longer, all ranks together; most on " + memory_name(most) + ": " +
                     duration(contended_seconds(most.contention)) + " of its " +
                     duration(contended_seconds(most.compute)),
                 2) +
         "\n";
}

}  // namespace parcast::report
