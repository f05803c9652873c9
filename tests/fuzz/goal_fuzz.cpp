// SPDX-License-Identifier: Apache-2.0
// Fuzzes the readers of GOAL, text and binary: the first bytes select one.
//
//   build/fuzz/fuzz/goal_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS tests/fuzz/seeds/goal
#include "accept_trace.h"
#include "interchange/goal.h"
#include "predict/simulate/schedule.h"

namespace {

/// Input that is readable as lists is readable as graphs; a simulation of a small one ends, fails or
/// deadlocks.
void accept_graph(const std::filesystem::path& path, const parcast::trace::Trace& trace) {
  const auto graph = parcast::interchange::read_goal_graph(path);
  parcast::fuzz::demand(bool(graph));
  if (!parcast::fuzz::is_small(trace)) return;
  parcast::simulate::Platform platform;
  platform.links = {
      {.latency = 1000, .send_overhead = 100, .receive_overhead = 100, .gap = 50, .eager_limit = 1000}};
  const auto outcome = parcast::simulate::simulate_schedule(*graph, trace, platform);
  if (outcome) parcast::fuzz::demand(outcome->ranks.size() == static_cast<std::size_t>(trace.ranks));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const parcast::fuzz::InMemory file(data, size);
  const auto goal = parcast::interchange::read_goal(file.path());
  if (goal)
    parcast::fuzz::accept_trace(goal->trace), accept_graph(file.path(), goal->trace);
  else
    parcast::fuzz::demand(!goal.error().what.empty());
  return 0;
}
