// SPDX-License-Identifier: Apache-2.0
#include "cli/schedules.h"

#include <algorithm>
#include <array>
#include <string>

#include "interchange/goal.h"
#include "predict/simulate/schedule.h"

namespace parcast::cli {
namespace {

/// Returns whether --vary makes platforms that need lists.
bool varies_to_lists(const Invocation& invocation) {
  const auto of_lists = [](const std::string& name) {
    return name.starts_with("network.") || name == "core_share" || name == "share_period" ||
           name == "memory-bound";
  };
  const auto variations = invocation.values("--vary");
  return std::ranges::any_of(
      variations, [&](const std::string& text) { return of_lists(text.substr(0, text.find('='))); });
}

bool asks_for_lists(const Invocation& invocation) {
  constexpr std::array kFlags{"--regions", "--pairs", "--critical-path", "--to", "--noise", "--memory-bound"};
  return std::ranges::any_of(kFlags, [&](const char* flag) { return invocation.has(flag); }) ||
         varies_to_lists(invocation);
}

}  // namespace

Result<Graph> graph_to_simulate(const Invocation& invocation, LoadedTrace& loaded,
                                const simulate::Platform& platform, Progress& progress) {
  if (loaded.schedule.empty() || asks_for_lists(invocation) || !simulate::runs_schedules(platform))
    return Graph();
  const auto show = [&](double part, const std::string& what) { progress.show(part, what); };
  PARCAST_ASSIGN(trace::OperationGraph graph, interchange::read_goal_graph(loaded.schedule, show));
  loaded.warnings.clear();
  loaded.trace.assumptions.clear();
  return Graph(std::make_shared<const trace::OperationGraph>(std::move(graph)));
}

}  // namespace parcast::cli
