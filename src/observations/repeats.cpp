// SPDX-License-Identifier: Apache-2.0
#include "observations/repeats.h"

#include <map>
#include <set>
#include <utility>

#include "base/plain_number.h"
#include "base/text.h"

namespace parcast::program {

using recording::CallClass;

bool deterministic(CallClass kind) {
  return kind != CallClass::test && kind != CallClass::poll;
}

std::optional<Notice> unlike_repeats(const Inputs& inputs, const Traces& traces) {
  // Run -> key -> executions and bytes.
  std::map<std::size_t, std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>>> done;
  std::set<std::size_t> partial;
  for (const Trace& trace : traces.traces) {
    if (!trace.complete) partial.insert(trace.run);
    auto& of_run = done[trace.run];
    for (const auto& [key, totals] : trace.calls) {
      if (!deterministic(traces.keys[static_cast<std::size_t>(key)].call_class)) continue;
      of_run[key].first += totals.executions;
      of_run[key].second += totals.bytes + totals.collective_bytes;
    }
  }
  std::map<std::pair<std::int32_t, std::vector<double>>, std::size_t> first;  // first run of each point
  for (const auto& [number, calls] : done) {
    const Run& run = inputs.runs[number];
    if (partial.contains(number)) continue;
    const auto [at, is_new] = first.emplace(std::pair(run.processes, run.parameters), number);
    if (is_new || done.at(at->second) == calls) continue;
    std::string point = "p = " + std::to_string(run.processes);
    for (std::size_t v = 0; v < inputs.parameters.size(); ++v)
      point += ", " + inputs.parameters[v] + " = " + format_plain(run.parameters[v]);
    return Notice{
        "unlike-repeats",
        "runs of " + point +
            " do not make the same calls with the same amounts of data, and no parameter explains it",
        "record with --param NAME=... for what was changed between them; if nothing was, the program goes by "
        "chance or by time"};
  }
  return std::nullopt;
}

}  // namespace parcast::program
