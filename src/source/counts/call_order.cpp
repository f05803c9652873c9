// SPDX-License-Identifier: Apache-2.0
#include "source/counts/call_order.h"

#include <algorithm>
#include <numeric>

namespace parcast::program {
namespace {

using facts::Function;
using facts::FunctionPlace;

bool is_start(const Function& function) {
  return function.name == "main" || function.name == "_QQmain";
}

double sum_of(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

double nearness_of(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  if (a == b) return 1;
  const double least = std::min(sum_of(a), sum_of(b)), most = std::max(sum_of(a), sum_of(b));
  return most > 0 ? std::min(least / most, 0.999) : 0;
}

// Other calls may lead to the function as well, or the call may lead elsewhere.
SourceCount as_seen(SourceCount given) {
  given.tier = std::max(given.tier, CountTier::as_seen);
  return given;
}

}  // namespace

CallOrder::CallOrder(const facts::LinkedProgram& program, const Executed& executed)
    : program_(program), executed_(executed) {
  for (const auto& [place, flows] : executed) {
    const Function& function = program.at(place);
    Open& open = open_[place];
    for (const Flows& each : flows) open.entries.push_back(entries_of(function, each));
    open.arguments = facts::arguments_of(function);
    open.elsewhere = program.may_be_called_elsewhere(place);
    for (const auto& caller : program.callers(place)) {
      if (!executed.contains(caller.first)) continue;
      open.callers.push_back(caller);
      if (caller.first == place) continue;
      ++open.awaited;
      called_[caller.first].push_back(place);
    }
    if (open.awaited == 0 && (is_start(function) || !program.callers(place).empty())) ready_.insert(place);
  }
}

CallOrder::Counts CallOrder::executions(FunctionPlace function, int block) const {
  Counts counts;
  for (const Flows& flows : executed_.at(function))
    counts.push_back(flows[static_cast<std::size_t>(block)].value_or(0));
  return counts;
}

std::optional<SourceCount> CallOrder::calls_by_name(const Open& open) const {
  std::optional<SourceCount> calls;
  for (const auto& caller : open.callers)
    if (const auto given = given_.find(caller); given != given_.end())
      calls = calls ? *calls + given->second.per_visit : given->second.per_visit;
  return calls && (open.awaited > 0 || open.elsewhere) ? as_seen(*calls) : calls;
}

double CallOrder::nearness_by_name(const Open& open) const {
  Counts sum(open.entries.size());
  for (const auto& caller : open.callers)
    if (const auto given = given_.find(caller); given != given_.end())
      for (std::size_t o = 0; o < sum.size(); ++o) sum[o] += given->second.executions[o];
  return nearness_of(sum, open.entries);
}

CallOrder::Match CallOrder::by_pointer(const Open& open) const {
  // Used where several calls must lead to the function. A call that is executed often enough is preferred to
  // one that is not, and a call with a certain count to an uncertain one.
  constexpr double kOneOfSeveral = 0.1, kUnsure = 0.02;
  Match best;
  for (const auto& [arguments, caller] : through_pointers_) {
    if (arguments < open.arguments) continue;
    const bool often = std::ranges::equal(caller->executions, open.entries, std::ranges::greater_equal{});
    const double weight = often ? 1 : caller->per_visit.tier < CountTier::measured ? kOneOfSeveral : kUnsure;
    const double nearness = weight * nearness_of(caller->executions, open.entries);
    if (nearness > best.nearness ||
        (best.caller && nearness == best.nearness && caller->per_visit.tier < best.caller->per_visit.tier))
      best = {caller, nearness};
  }
  return best;
}

std::optional<CallOrder::Next> CallOrder::next() {
  if (!ready_.empty()) {
    const FunctionPlace place = *ready_.begin();
    if (is_start(program_.at(place)))
      return Next{place, open_.at(place).elsewhere ? as_seen(SourceCount{1}) : SourceCount{1}};
    return Next{place, calls_by_name(open_.at(place))};
  }
  std::optional<Next> next;
  double nearest = -1;
  for (const auto& [place, open] : open_) {
    const bool named = !open.callers.empty();
    const Match match = named ? Match{nullptr, nearness_by_name(open)} : by_pointer(open);
    if (match.nearness <= nearest) continue;
    nearest = match.nearness;
    next = Next{place, match.caller ? std::optional(as_seen(match.caller->per_visit)) : std::nullopt};
    if (nearest == 1) break;
  }
  if (next && !next->calls) next->calls = calls_by_name(open_.at(next->function));
  return next;
}

void CallOrder::given(FunctionPlace place, const std::vector<BlockCount>& blocks) {
  open_.erase(place);
  ready_.erase(place);
  for (const facts::Call& call : program_.at(place).calls) {
    const auto count = std::ranges::find(blocks, call.block, &BlockCount::block);
    if (count == blocks.end()) continue;
    const auto [given, is_new] = given_.try_emplace(
        {place, call.block}, Caller{{}, {count->per_visit, count->tier, count->bits, count->alternatives}});
    if (is_new) given->second.executions = executions(place, call.block);
    if (!call.to) through_pointers_.emplace_back(call.arguments.size(), &given->second);
  }
  for (const FunctionPlace callee : called_[place])
    if (const auto open = open_.find(callee); open != open_.end() && --open->second.awaited == 0)
      ready_.insert(callee);
}

}  // namespace parcast::program
