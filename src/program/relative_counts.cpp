// SPDX-License-Identifier: Apache-2.0
#include "program/relative_counts.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "program/grid_conditions.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

constexpr std::size_t kMostAlternatives = 8;

template <class Change>
Count changed(Count count, Change change) {
  count.expression = change(count.expression);
  for (Expression& alternative : count.alternatives) alternative = change(alternative);
  return count;
}

bool is_open(const Count& count) { return !count.alternatives.empty() || !count.open.empty(); }

/// What both leave open.
void join_open(const Count& a, const Count& b, Count& out) {
  if (!is_open(b)) {
    out.open = a.open, out.settling = a.settling;
  } else if (!is_open(a)) {
    out.open = b.open, out.settling = b.settling;
  } else {
    std::set<std::string> names(a.open.begin(), a.open.end());
    names.insert(b.open.begin(), b.open.end());
    out.open.assign(names.begin(), names.end());
    if (a.open == b.open)
      for (const std::vector<double>& values : a.settling)
        if (std::ranges::find(b.settling, values) != b.settling.end()) out.settling.push_back(values);
  }
}

template <class Join>
Count joined(const Count& a, const Count& b, Join join) {
  Count out;
  out.expression = join(a.expression, b.expression);
  out.origin = weaker(a.origin, b.origin);
  for (std::size_t k = 0; k < std::max(a.alternatives.size(), b.alternatives.size()) && out.alternatives.size() < kMostAlternatives; ++k) {
    if (k < a.alternatives.size()) out.alternatives.push_back(join(a.alternatives[k], b.expression));
    if (k < b.alternatives.size()) out.alternatives.push_back(join(a.expression, b.alternatives[k]));
  }
  out.alternatives.resize(std::min(out.alternatives.size(), kMostAlternatives));
  join_open(a, b, out);
  out.relative_error = std::hypot(a.relative_error, b.relative_error);
  out.advice = a.advice.empty() ? b.advice : a.advice;
  return out;
}

}  // namespace

RelativeCounts::RelativeCounts(const std::vector<std::string>& parameters, const std::vector<Run>& runs, const std::vector<ProcessGrid>& grids, const Traces& traces,
                               CountBuilder& counts)
    : parameters_(parameters), runs_(runs), grids_(grids), traces_(traces), counts_(counts) {
  for (const Trace& trace : traces.traces) places_.push_back(place_at(runs[trace.run].parameters, runs[trace.run].processes, trace.rank, grids));
  std::set<double> processes;
  for (const Trace& trace : traces.traces) processes.insert(runs[trace.run].processes);
  if (processes.size() == 1) unvaried_.push_back(*processes.begin());
  for (std::size_t v = 0; v < parameters.size(); ++v) {
    std::set<double> values;
    for (const Trace& trace : traces.traces) values.insert(runs[trace.run].parameters[v]);
    if (values.size() == 1) unvaried_.push_back(*values.begin());
  }
}

// 100 at N = 50, 100 or 98: twice, once, or two less.
bool RelativeCounts::may_hide_a_parameter(std::int64_t factor) const {
  return factor > 1 && std::ranges::any_of(unvaried_, [&](double value) {
    return value > 1 && (std::fmod(static_cast<double>(factor), value) == 0 || std::abs(static_cast<double>(factor) - value) <= 2);
  });
}

std::optional<Count> RelativeCounts::multiple(const std::vector<std::int64_t>& values, const Basis& basis) const {
  std::optional<std::int64_t> factor;
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (!traces_.traces[t].complete) continue;
    if (basis.values[t] == 0 ? values[t] != 0 : values[t] % basis.values[t] != 0) return std::nullopt;
    if (basis.values[t] == 0) continue;
    const std::int64_t here = values[t] / basis.values[t];
    if (factor.value_or(here) != here) return std::nullopt;
    factor = here;
  }
  if (!factor || *factor < 1 || may_hide_a_parameter(*factor)) return std::nullopt;
  return changed(basis.count, [&](const Expression& e) { return Expression(*factor) * e; });
}

CountBuilder& RelativeCounts::counts_of(const std::vector<bool>& used) {
  if (std::ranges::find(used, false) == used.end()) return counts_;
  auto& known = of_some_[used];
  if (!known) known = std::make_unique<CountBuilder>(parameters_, runs_, grids_, traces_, used);
  return *known;
}

// Where the basis is 0 nothing is known of the quotient: it is that of the other ranks of the run if these agree, and runs
// without any are not looked at.
std::optional<Count> RelativeCounts::product(const std::vector<std::int64_t>& values, const Basis& basis, Effort effort) {
  std::vector<std::int64_t> quotients(values.size(), 0);
  std::map<std::size_t, std::set<std::int64_t>> of_run;
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (basis.values[t] == 0 ? values[t] != 0 : values[t] % basis.values[t] != 0) return std::nullopt;
    if (basis.values[t] == 0) continue;
    quotients[t] = values[t] / basis.values[t];
    of_run[traces_.traces[t].run].insert(quotients[t]);
  }
  if (of_run.empty()) return std::nullopt;
  std::vector<bool> used(values.size(), true);
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (basis.values[t] != 0) continue;
    const auto others = of_run.find(traces_.traces[t].run);
    if (others == of_run.end()) used[t] = false;
    else if (others->second.size() == 1) quotients[t] = *others->second.begin();
    else return std::nullopt;
  }
  const Count quotient = counts_of(used).build(quotients, true, effort);
  if (quotient.origin > Origin::ambiguous) return std::nullopt;
  return joined(basis.count, quotient, [](const Expression& a, const Expression& b) { return a * b; });
}

// Conditions of one part are in the family that is searched.
std::optional<Count> RelativeCounts::where_in_grid(const std::vector<std::int64_t>& values, Effort effort) {
  std::map<std::size_t, std::int64_t> of_run;
  std::vector<Place> places;
  std::vector<bool> holds;
  std::set<std::int32_t> processes;
  for (std::size_t t = 0; t < values.size(); ++t) {
    const Trace& trace = traces_.traces[t];
    if (!trace.complete) continue;
    places.push_back(places_[t]), holds.push_back(values[t] != 0);
    processes.insert(runs_[trace.run].processes);
    if (values[t] != 0 && of_run.try_emplace(trace.run, values[t]).first->second != values[t]) return std::nullopt;
  }
  if (std::ranges::find(holds, true) == holds.end() || std::ranges::find(holds, false) == holds.end()) return std::nullopt;
  const std::optional<GridCondition> condition = grid_condition(places, holds, parameters_);
  if (!condition || condition->parts < 2) return std::nullopt;
  std::vector<std::int64_t> each(values.size(), 0);
  std::vector<bool> used(values.size(), false);
  for (std::size_t t = 0; t < values.size(); ++t)
    if (const auto run = of_run.find(traces_.traces[t].run); run != of_run.end()) each[t] = run->second, used[t] = true;
  Count where;
  where.expression = condition->expression;
  constexpr std::size_t kEnough = 3;  // process counts, as for any other formula
  where.origin = processes.size() >= kEnough ? Origin::exact : Origin::ambiguous;
  if (where.origin != Origin::exact) where.open = {"p"};
  return joined(counts_of(used).build(each, true, effort), where, [](const Expression& a, const Expression& b) { return a * b; });
}

Count RelativeCounts::build(const std::vector<std::int64_t>& values, bool deterministic, std::span<const Basis* const> around, Effort effort) {
  if (!deterministic || std::ranges::all_of(values, [](std::int64_t v) { return v == 0; })) return counts_.build(values, deterministic, effort);
  for (const Basis* basis : around)
    if (auto found = multiple(values, *basis)) return *std::move(found);
  if (auto found = where_in_grid(values, effort)) return *std::move(found);
  Count best = counts_.build(values, deterministic, effort);
  if (best.origin <= Origin::exact) return best;
  for (const Basis* basis : around) {
    const auto found = product(values, *basis, effort);
    if (found && std::pair(found->origin, found->alternatives.size()) < std::pair(best.origin, best.alternatives.size())) best = *found;
  }
  return best;
}

std::optional<Count> RelativeCounts::difference(const std::vector<std::int64_t>& values, std::span<const Basis* const> from, std::span<const Basis* const> less) const {
  for (const Basis* more : from)
    for (const Basis* fewer : less) {
      bool same = true, any = false;
      for (std::size_t t = 0; t < values.size() && same; ++t) {
        if (!traces_.traces[t].complete) continue;
        same = more->values[t] - fewer->values[t] == values[t];
        any = any || values[t] != 0;
      }
      if (same && any) return joined(more->count, fewer->count, [](const Expression& a, const Expression& b) { return a - b; });
    }
  return std::nullopt;
}

}  // namespace parcast::program
