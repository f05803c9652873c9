// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/schedule.h"

#include <algorithm>

#include "predict/simulate/compiled.h"
#include "predict/simulate/schedule_engine.h"
#include "predict/simulate/waiting.h"

namespace parcast::simulate {
namespace {

using Kind = trace::GraphOperation::Kind;

}  // namespace

void ScheduleEngine::report() {
  if (costs_.overflow()) {
    failure_ = Error{"a message costs more than 26 days", "",
                     "the machine's parameters, or a message's bytes, are out of all measure"};
    return;
  }
  for (std::int32_t rank = 0; rank < trace_.ranks && !failure_; ++rank) {
    Rank& self = rank_of(rank);
    self.outcome.finished = self.left == 0;
    outcome_.ranks.push_back(self.outcome);
    if (self.left == 0) {
      outcome_.makespan = std::max(outcome_.makespan, self.outcome.end);
      continue;
    }
    outcome_.waiting.push_back(waiting_of(rank));
    if (outcome_.waiting.back().for_operations.empty())
      failure_ = Error{"operations of a rank require each other in a circle", "rank " + std::to_string(rank),
                       "dependencies must not go round"};
  }
  outcome_.unreceived = outcome_.messages - matched_;
  if (!failure_) explain_hang(trace_, outcome_);
}

/// The rank waits in the first operation that it began.
Waiting ScheduleEngine::waiting_of(std::int32_t rank) const {
  const Rank& self = ranks_[static_cast<std::size_t>(rank)];
  Waiting out{.rank = rank, .since = trace::kLongest};
  for (std::uint32_t each = 0; each < self.begun.size(); ++each) {
    if (self.begun[each] < 0) continue;
    const trace::GraphOperation& operation = self.graph->operations[each];
    out.for_operations.push_back(in_trace(rank, operation));
    if (operation.peer != trace::kAny) out.for_ranks.push_back(operation.peer);
    if (self.begun[each] >= out.since) continue;
    out.since = self.begun[each];
    out.operation = out.for_operations.back();
  }
  std::sort(out.for_ranks.begin(), out.for_ranks.end());
  out.for_ranks.erase(std::unique(out.for_ranks.begin(), out.for_ranks.end()), out.for_ranks.end());
  return out;
}

std::uint32_t ScheduleEngine::in_trace(std::int32_t rank, const trace::GraphOperation& operation) const {
  const auto kind = operation.kind == Kind::send ? trace::Kind::start_send : trace::Kind::start_receive;
  const std::int32_t peer = operation.peer == trace::kAny ? trace::kAny : operation.peer - rank;
  const auto at =
      std::find_if(trace_.operations.begin(), trace_.operations.end(), [&](const trace::Operation& each) {
        return each.kind == kind && each.peer == peer && each.tag == operation.tag &&
               each.bytes == operation.amount;
      });
  return at == trace_.operations.end() ? 0 : static_cast<std::uint32_t>(at - trace_.operations.begin());
}

bool runs_schedules(const Platform& platform) {
  return !platform.network && !platform.noise && !platform.contention && platform.share.whole();
}

Result<Outcome> simulate_schedule(const trace::OperationGraph& graph, const trace::Trace& trace,
                                  const Platform& platform) {
  if (graph.ranks.size() != static_cast<std::size_t>(trace.ranks))
    return Error{"a schedule of " + std::to_string(graph.ranks.size()) + " ranks is not the trace of " +
                     std::to_string(trace.ranks),
                 "", ""};
  PARCAST_TRY(check_platform(trace, platform));
  if (!runs_schedules(platform))
    return Error{
        "graphs of operations are not simulated with shared links, noise, shared memory or shares of a core",
        platform.name, "simulate the trace"};
  return ScheduleEngine(graph, trace, platform).run();
}

}  // namespace parcast::simulate
