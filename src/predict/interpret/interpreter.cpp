// SPDX-License-Identifier: Apache-2.0
// Follows chains depth first.
#include "predict/interpret/interpreter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace parcast::interpret {

using trace::Item;
using trace::Kind;
using trace::Operation;

Statistics& Statistics::operator+=(const Statistics& other) {
  compute += other.compute, startup += other.startup, transfer += other.transfer, wait += other.wait;
  executions += other.executions, messages += other.messages, bytes += other.bytes;
  return *this;
}

Statistics Interpretation::of_rank(std::int32_t rank) const {
  Statistics sum;
  for (std::uint32_t unit = 0; unit < units; ++unit) sum += statistics(rank, unit);
  return sum;
}

std::int32_t Interpretation::slowest() const {
  return static_cast<std::int32_t>(std::max_element(ends.begin(), ends.end()) - ends.begin());
}

Labels one_unit(const trace::Trace& trace) {
  return {.operation = std::vector<std::uint32_t>(trace.operations.size()),
          .computing = std::vector<std::uint32_t>(trace.operations.size()),
          .part_of_call = {}};
}

Interpreter::Interpreter(const trace::Trace& trace, const Costs& costs, const Labels& labels,
                         const Options& options, const RankClasses* classes)
    : trace_(trace),
      costs_(costs),
      labels_(labels),
      options_(options),
      classes_(classes),
      share_(costs.core_share()),
      ranks_(classes ? classes->representatives.size() : static_cast<std::size_t>(trace.ranks)),
      in_time_of_(ranks_.size(), -1) {
  if (options.shuffle) draw_.emplace(*options.shuffle);
  std::vector<bool> from_anybody(trace.sequences.size());
  for (std::size_t s = 0; s < trace.sequences.size(); ++s)
    from_anybody[s] = std::ranges::any_of(trace.sequences[s], [&](const Item& item) {
      return item.what() == Item::What::operation &&
             trace::looks_for_envelope(trace.operations[item.index()].kind) &&
             trace.operations[item.index()].peer == trace::kAny;
    });
  for (std::size_t row = 0; row < ranks_.size(); ++row) {
    const std::int32_t rank = rank_of_row(row);
    const std::uint32_t sequence = trace.sequence_of[static_cast<std::size_t>(rank)];
    at(rank).walker = trace::Walker(trace.sequences[sequence]);
    at(rank).budget = dependence::Budget(share_);
    if (!from_anybody[sequence]) continue;
    in_time_of_[row] = static_cast<std::int32_t>(timed_.size());
    timed_.push_back(rank);
  }
  in_time_.resize(timed_.size());
  places_.resize(trace.communicators.size());
  for (std::size_t c = 1; c < places_.size(); ++c)
    for (std::size_t place = 0; place < trace.communicators[c].members.size(); ++place)
      places_[c].emplace(trace.communicators[c].members[place], static_cast<std::int32_t>(place));
  folds_ = options.fold && !options.evaluated && timed_.empty();
  if (folds_ && share_.whole()) drift_ = std::make_unique<Drift>();
  out_.ranks = trace.ranks, out_.units = labels.units;
  if (classes) out_.class_of = classes->class_of;
  out_.ends.resize(static_cast<std::size_t>(trace.ranks));
  out_.by_class.resize(ranks_.size() * labels.units);
}

Result<Interpretation> Interpreter::run() {
  for (std::size_t row = ranks_.size(); row-- > 0;) let_go(rank_of_row(row));
  while (settle()) {
  }
  if (failure_) return *failure_;
  if (!apart_) report();
  return std::move(out_);
}

/// Follows chains until none can continue, then releases those that were held back. Returns false when none
/// can.
bool Interpreter::settle() {
  while (!runnable_.empty() && !failure_ && !apart_) follow(next_runnable());
  if (failure_ || apart_) return false;
  if (next_in_time()) return true;
  if (parked_.empty()) return false;
  unpark();
  return !failure_;
}

std::int32_t Interpreter::next_runnable() {
  if (draw_) std::swap(runnable_[(*draw_)() % runnable_.size()], runnable_.back());
  const std::int32_t rank = runnable_.back();
  runnable_.pop_back();
  at(rank).runnable = false;
  return rank;
}

void Interpreter::let_go(std::int32_t rank) {
  if (std::exchange(at(rank).runnable, true)) return;
  runnable_.push_back(rank);
}

/// Continues after the event that the rank waited for is known.
void Interpreter::resume(std::int32_t rank) {
  Rank& self = at(rank);
  switch (self.mood) {
    case Mood::waiting:
      finish_wait(rank);
      break;
    case Mood::gathering:
      leave(rank);
      break;
    case Mood::probing:
      probe(rank);
      break;
    case Mood::parked:
      self.mood = Mood::ready;
      break;
    default:
      break;
  }
}

void Interpreter::follow(std::int32_t rank) {
  Rank& self = at(rank);
  resume(rank);
  while (self.mood == Mood::ready && !failure_) {
    if (!std::exchange(self.pending, false)) {
      if (!self.walker.next()) return finish_chain(rank);
      if (folds_ && self.walker.rounds() != self.rounds) {
        park(rank);
        return;
      }
    }
    if (self.walker.item().what() == Item::What::compute)
      compute(rank, self.walker.item().time());
    else
      begin(rank);
    if (self.clock > trace::kLongest)
      fail({std::string(kTooLong), "rank " + std::to_string(rank), "ask for fewer iterations"});
  }
}

void Interpreter::compute(std::int32_t rank, Time recorded) {
  Rank& self = at(rank);
  self.computed += work(self, costs_.computing(rank, recorded));
}

/// Performs work, with the process's share of a core, that takes the time `given` on a complete core. Returns
/// the elapsed time.
Time Interpreter::work(Rank& self, Time given) {
  if (share_.whole()) return self.clock += given, given;
  const Time began = self.clock;
  self.clock = self.budget.work(share_, began, given);
  return self.clock - began;
}

void Interpreter::count(std::int32_t rank, std::uint32_t unit, Time tau, const Statistics& spent) {
  out_.by_class[row_of(rank) * out_.units + unit] += spent;
  if (options_.evaluated) options_.evaluated({rank, unit, tau, spent.time(), spent});
}

/// Begins a call; the computing before it is a unit of its own.
void Interpreter::begin(std::int32_t rank) {
  Rank& self = at(rank);
  const std::uint32_t index = self.walker.item().index();
  if (self.computed > 0)
    count(rank, labels_.computing[index], self.clock - self.computed,
          {.compute = self.computed, .executions = 1});
  self.computed = 0;
  self.entry = self.clock;
  self.call = {.executions = labels_.part_of_call.empty() || !labels_.part_of_call[index]};
  const Operation& operation = trace_.operations[index];
  switch (operation.kind) {
    case Kind::send:
    case Kind::start_send:
      send(rank, operation, operation.kind == Kind::send);
      break;
    case Kind::receive:
    case Kind::start_receive:
    case Kind::probe:
      if (keeps_time(rank))
        self.mood = Mood::holding;
      else if (operation.kind == Kind::probe)
        probe(rank);
      else
        receive(rank, operation.kind == Kind::receive);
      break;
    case Kind::wait:
      wait(rank, operation);
      break;
    case Kind::collective:
      collective(rank, operation, index);
      break;
    case Kind::read:
    case Kind::write:
    case Kind::start_read:
    case Kind::start_write:
      access(rank, operation);
      break;
    case Kind::lock_shared:
    case Kind::lock_exclusive:
    case Kind::unlock:
      fail({"locks of windows are not interpreted: who comes first is a question of time",
            "rank " + std::to_string(rank), "use parcast simulate"});
      break;
  }
}

void Interpreter::finish_call(std::int32_t rank) {
  Rank& self = at(rank);
  self.mood = Mood::ready;
  out_.evaluated += static_cast<std::uint64_t>(ranks_like(rank));
  if (options_.most_calls > 0 && ++followed_ > options_.most_calls)
    fail({std::string(kTooManyCalls), "", "parcast predict --engine interpret follows all of them"});
  count(rank, labels_.operation[self.walker.item().index()], self.entry, self.call);
}

void Interpreter::finish_chain(std::int32_t rank) {
  Rank& self = at(rank);
  if (self.computed > 0)
    count(rank, labels_.tail, self.clock - self.computed, {.compute = self.computed, .executions = 1});
  self.computed = 0;
  self.mood = Mood::red;
  out_.makespan = std::max(out_.makespan, self.clock);
}

Result<Interpretation> interpret(const trace::Trace& trace, const Costs& costs, const Labels& labels,
                                 const Options& options) {
  if (labels.operation.size() != trace.operations.size() ||
      labels.computing.size() != trace.operations.size())
    return Error{"labels for " + std::to_string(labels.operation.size()) + " operations", "",
                 "one for each of " + std::to_string(trace.operations.size())};
  if (options.fold && !options.evaluated && !options.shuffle && !costs.sends_collectives()) {
    std::optional<RankClasses> found;
    if (!options.classes) found = rank_classes(trace, costs);
    const RankClasses* classes = found ? &*found : options.classes;
    if (classes) {
      Interpreter interpreter(trace, costs, labels, options, classes);
      Result<Interpretation> result = interpreter.run();
      if (!interpreter.came_apart() && (!result || result->waiting.empty())) return result;
    }
  }
  // Also when classes do not advance in step, and to report a deadlock rank by rank.
  return Interpreter(trace, costs, labels, options, nullptr).run();
}

}  // namespace parcast::interpret
