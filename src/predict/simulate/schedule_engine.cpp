// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/schedule_engine.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace parcast::simulate {
namespace {

using Kind = trace::GraphOperation::Kind;

Time scaled_time(std::uint64_t time, Rate ratio) {
  return static_cast<Time>(std::min<Wide>(at_rate(time, ratio), trace::kLongest + 1));
}

/// The same rule as in simulate().
Time least_latency(const trace::Trace& trace, const Platform& platform) {
  const bool any_source =
      std::any_of(trace.operations.begin(), trace.operations.end(), [](const trace::Operation& each) {
        return trace::looks_for_envelope(each.kind) && each.peer == trace::kAny;
      });
  return any_source || has_gaps(platform) ? 1 : 0;
}

std::size_t nics_of(const trace::OperationGraph& graph) {
  std::size_t most = 0;
  for (const trace::RankGraph& rank : graph.ranks)
    for (const trace::GraphOperation& each : rank.operations) most = std::max<std::size_t>(most, each.nic);
  return most + 1;
}

}  // namespace

Dependents::Dependents(const trace::RankGraph& graph, bool on_start) : begins_(graph.operations.size() + 2) {
  for (const trace::GraphDependency& each : graph.dependencies)
    if (each.on_start == on_start) ++begins_[each.earlier + 2];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  items_.resize(begins_.back());
  for (const trace::GraphDependency& each : graph.dependencies)
    if (each.on_start == on_start) items_[begins_[each.earlier + 1]++] = each.later;
}

ScheduleEngine::Rank::Rank(const trace::RankGraph& of, std::size_t count)
    : graph(&of),
      on_end(of, false),
      on_start(of, true),
      missing(of.operations.size()),
      begun(of.operations.size(), kUnknown),
      left(static_cast<std::uint32_t>(of.operations.size())),
      nics(count) {
  for (const trace::GraphDependency& each : of.dependencies) ++missing[each.later];
  for (const trace::GraphOperation& each : of.operations) {
    if (each.cpu >= cpus.size()) cpus.resize(each.cpu + 1u);
    cpus[each.cpu].used = true;
    in_order =
        in_order || (each.kind == Kind::receive && (each.peer == trace::kAny || each.tag == trace::kAny));
  }
  const auto used = std::count_if(cpus.begin(), cpus.end(), [](const Cpu& cpu) { return cpu.used; });
  outcome.cpus = std::max<std::int32_t>(1, static_cast<std::int32_t>(used));
}

ScheduleEngine::ScheduleEngine(const trace::OperationGraph& graph, const trace::Trace& trace,
                               const Platform& platform)
    : trace_(trace), platform_(platform), costs_(platform, least_latency(trace, platform)) {
  const std::size_t nics = nics_of(graph);
  for (const trace::RankGraph& each : graph.ranks) ranks_.emplace_back(each, nics);
}

bool ScheduleEngine::Later::operator()(const Event& a, const Event& b) const {
  return std::tie(a.time, a.what, a.rank, a.source, a.order) >
         std::tie(b.time, b.what, b.rank, b.source, b.order);
}

void ScheduleEngine::push(const Event& event) {
  if (event.time <= trace::kLongest) return events_.push(event);
  failure_ = Error{"the run would take longer than 26 days", "rank " + std::to_string(event.rank),
                   "that is the longest time that can be simulated"};
}

void ScheduleEngine::push_operation(Time time, What what, std::int32_t rank, std::uint32_t number,
                                    std::uint32_t flight) {
  push({.time = time, .what = what, .rank = rank, .order = number, .flight = flight});
}

void ScheduleEngine::push_message(Time time, What what, std::int32_t where, std::uint32_t index) {
  const Flight& it = flights_[index];
  push({.time = time, .what = what, .rank = where, .source = it.source, .order = it.order, .flight = index});
}

Result<Outcome> ScheduleEngine::run() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    for (std::uint32_t each = 0; each < ranks_[rank].missing.size(); ++each)
      if (ranks_[rank].missing[each] == 0)
        push_operation(0, What::ready, static_cast<std::int32_t>(rank), each);
  while (!events_.empty() && !failure_) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.time;
    handle(event);
  }
  if (!failure_) report();
  if (failure_) return *failure_;
  return std::move(outcome_);
}

void ScheduleEngine::handle(const Event& event) {
  switch (event.what) {
    case What::head:
      return head(event.flight);
    case What::envelope:
      return envelope(event.flight);
    case What::answer:
      return answered(event.flight);
    case What::sent:
      return done(event.rank, event.order);
    case What::end:
      return end(event.rank, event.order, event.flight);
    case What::ready:
      return ready(event.rank, event.order);
    case What::available:
      return can_start(event.rank, event.order, event.flight);
    case What::choose:
      return choose(event.rank, event.order);
    case What::ask:
      return ask(event.flight);
  }
}

void ScheduleEngine::fulfil(std::int32_t rank, std::span<const std::uint32_t> dependents) {
  Rank& self = rank_of(rank);
  for (const std::uint32_t each : dependents)
    if (--self.missing[each] == 0) push_operation(now_, What::ready, rank, each);
}

/// Posting a receive needs no cpu.
void ScheduleEngine::ready(std::int32_t rank, std::uint32_t operation) {
  Rank& self = rank_of(rank);
  if (self.graph->operations[operation].kind != Kind::receive) return can_start(rank, operation, kNone);
  self.begun[operation] = now_;
  ++outcome_.operations;
  fulfil(rank, self.on_start.of(operation));
  post(rank, operation);
}

void ScheduleEngine::can_start(std::int32_t rank, std::uint32_t operation, std::uint32_t flight) {
  Cpu& cpu = cpu_of(rank, operation);
  cpu.startable.push({now_, operation, flight});
  if (!cpu.busy) wake(rank, rank_of(rank).graph->operations[operation].cpu);
}

void ScheduleEngine::wake(std::int32_t rank, std::uint32_t cpu) {
  bool& chooses = rank_of(rank).cpus[cpu].chooses;
  if (!chooses) push_operation(now_, What::choose, rank, cpu);
  chooses = true;
}

/// The cpu is not busy.
void ScheduleEngine::choose(std::int32_t rank, std::uint32_t number) {
  Rank& self = rank_of(rank);
  Cpu& cpu = self.cpus[number];
  cpu.chooses = false;
  cpu.computes =
      !cpu.startable.empty() && self.graph->operations[cpu.startable.top().operation].kind == Kind::compute;
  if (!cpu.computes) attend(cpu);
  if (cpu.startable.empty()) return;
  const Startable next = cpu.startable.top();
  cpu.startable.pop();
  cpu.busy = true;
  const Time until = within(now_ + start(rank, next));
  push_operation(until, What::end, rank, next.operation, next.flight);
}

/// Returns how long the operation occupies the cpu.
Time ScheduleEngine::start(std::int32_t rank, const Startable& next) {
  Rank& self = rank_of(rank);
  const trace::GraphOperation& operation = self.graph->operations[next.operation];
  RankOutcome& sums = self.outcome;
  if (operation.kind == Kind::receive) {
    const Time time = cost(flights_[next.flight]).receiver;
    sums.communication = within(sums.communication + time);
    return time;
  }
  self.begun[next.operation] = now_;
  ++outcome_.operations;
  fulfil(rank, self.on_start.of(next.operation));
  if (operation.kind == Kind::send) {
    const Time time = send(rank, next.operation).sender;
    sums.communication = within(sums.communication + time);
    return time;
  }
  const Time time = scaled_time(operation.amount, platform_.compute_ratio);
  sums.compute = within(sums.compute + time);
  return time;
}

/// A rendezvous send continues without the cpu until its data have left.
void ScheduleEngine::end(std::int32_t rank, std::uint32_t operation, std::uint32_t flight) {
  Rank& self = rank_of(rank);
  const trace::GraphOperation& of = self.graph->operations[operation];
  self.cpus[of.cpu].busy = false;
  self.outcome.end = now_;
  wake(rank, of.cpu);
  if (of.kind == Kind::receive) flights_.give(flight);
  const bool is_open =
      of.kind == Kind::send &&
      !costs_[costs_.find(platform_.link_between(rank, of.peer), of.amount, trace::Mode::standard)].eager;
  if (!is_open) done(rank, operation);
}

void ScheduleEngine::done(std::int32_t rank, std::uint32_t operation) {
  Rank& self = rank_of(rank);
  self.begun[operation] = kDone;
  self.outcome.end = now_;
  --self.left;
  fulfil(rank, self.on_end.of(operation));
}

/// Handles messages that came for the cpu while it computed.
void ScheduleEngine::attend(Cpu& cpu) {
  for (const std::uint32_t flight : cpu.unanswered) answer(flight);
  cpu.unanswered.clear();
  for (const std::uint32_t flight : cpu.answered)
    push_message(now_, What::ask, flights_[flight].source, flight);
  cpu.answered.clear();
}

}  // namespace parcast::simulate
