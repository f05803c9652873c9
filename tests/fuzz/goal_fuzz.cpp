// SPDX-License-Identifier: Apache-2.0
// The readers of GOAL, text and binary, under libFuzzer: the first bytes decide which.
//
//   build/fuzz/fuzz/goal_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS tests/fuzz/seeds/goal
#include "accept_trace.h"
#include "interchange/goal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const parcast::fuzz::InMemory file(data, size);
  const auto goal = parcast::interchange::read_goal(file.path());
  if (goal) parcast::fuzz::accept_trace(goal->trace);
  else parcast::fuzz::demand(!goal.error().what.empty());
  return 0;
}
