// SPDX-License-Identifier: Apache-2.0
#include "build_model/relative_counts.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "build_model/grid_conditions.h"
#include "model/binding.h"
#include "model/lattice.h"
#include "model/run_options.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

template <class Change>
Count changed(Count count, Change change) {
  count.expression = change(count.expression);
  for (Expression& alternative : count.alternatives) alternative = change(alternative);
  return count;
}

bool is_open(const Count& count) {
  return !count.alternatives.empty() || !count.open.empty();
}

/// Returns whether a product leaves less open than the best count so far. A size per message, times the
/// messages, is preferred to a sum over all of them (`alone`) that leaves as much open.
bool is_surer(const Count& product, const Count& best, bool alone) {
  if (product.alternatives.size() != best.alternatives.size())
    return product.alternatives.size() < best.alternatives.size();
  return product.open.size() < best.open.size() || (alone && product.open.size() == best.open.size());
}

/// Sets the open variables of `out` to those of both counts.
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
  for (std::size_t k = 0; k < std::max(a.alternatives.size(), b.alternatives.size()) &&
                          out.alternatives.size() < kMostAlternatives;
       ++k) {
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

RelativeCounts::RelativeCounts(const std::vector<std::string>& parameters, const std::vector<Run>& runs,
                               const std::vector<ProcessGrid>& grids, const Traces& traces,
                               CountBuilder& counts)
    : parameters_(parameters), runs_(runs), grids_(grids), traces_(traces), counts_(counts) {
  for (const Trace& trace : traces.traces)
    places_.push_back(place_at(runs[trace.run].parameters, runs[trace.run].processes, trace.rank, grids));
}

/// Returns the values of parameters, and of p, that do not vary in the traces marked in `used`.
const std::vector<double>& RelativeCounts::unvaried(const std::vector<bool>& used) {
  const auto [at, is_new] = unvaried_.try_emplace(used);
  if (!is_new) return at->second;
  std::vector<std::set<double>> values(parameters_.size() + 1);  // p is the last
  for (std::size_t t = 0; t < used.size(); ++t) {
    if (!used[t]) continue;
    const Run& run = runs_[traces_.traces[t].run];
    for (std::size_t v = 0; v < parameters_.size(); ++v) values[v].insert(run.parameters[v]);
    values.back().insert(run.processes);
  }
  for (const std::set<double>& of : values)
    if (of.size() == 1) at->second.push_back(*of.begin());
  return at->second;
}

std::optional<Count> RelativeCounts::multiple(const std::vector<std::int64_t>& values, const Basis& basis,
                                              const std::vector<bool>& used) {
  std::optional<std::int64_t> factor;
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (!traces_.traces[t].complete || !used[t]) continue;
    if (basis.values[t] == 0 ? values[t] != 0 : values[t] % basis.values[t] != 0) return std::nullopt;
    if (basis.values[t] == 0) continue;
    const std::int64_t here = values[t] / basis.values[t];
    if (factor.value_or(here) != here) return std::nullopt;
    factor = here;
  }
  if (!factor || *factor < 1 || may_hide_one_of(*factor, unvaried(used))) return std::nullopt;
  return changed(basis.count, [&](const Expression& e) { return Expression(*factor) * e; });
}

// Returns whether the values of a varied parameter are far apart enough to show that a number does not depend
// on it: three, or two that differ by a factor of two. Every 20th of 20 and of 35 steps is one.
bool shows_independence(const std::set<double>& values) {
  constexpr std::size_t kEnough = 3;
  return values.size() == 1 || values.size() >= kEnough || *values.rbegin() >= 2 * *values.begin();
}

// Returns a number that is the same in all runs, or a parameter that equals the values. Every parameter must
// have varied. The number 1 is also accepted unless a variable is 2 or 3 in all runs: a formula of it could
// give 1.
std::optional<Count> RelativeCounts::plain(const std::vector<std::int64_t>& values,
                                           const std::vector<bool>& used) {
  constexpr std::size_t kFewestPoints = 4, kFewestValues = 3;
  std::optional<std::int64_t> number;
  bool same = true;
  std::vector<bool> is(parameters_.size(), true);
  std::vector<std::set<double>> seen(parameters_.size());
  std::set<std::pair<std::int32_t, std::vector<double>>> points;
  for (std::size_t t = 0; t < values.size(); ++t) {
    const Trace& trace = traces_.traces[t];
    if (!trace.complete || !used[t]) continue;
    same = same && number.value_or(values[t]) == values[t];
    number = values[t];
    const Run& run = runs_[trace.run];
    points.emplace(run.processes, run.parameters);
    for (std::size_t v = 0; v < parameters_.size(); ++v)
      is[v] = is[v] && static_cast<double>(values[t]) == run.parameters[v], seen[v].insert(run.parameters[v]);
  }
  if (!number || points.size() < kFewestPoints) return std::nullopt;
  Count count;
  count.origin = Origin::exact;
  const std::vector<double>& one_value = unvaried(used);
  const bool nothing_hides =
      std::ranges::none_of(one_value, [](double value) { return value == 2 || value == 3; });
  same = same && std::ranges::all_of(seen, shows_independence);
  if (same && (one_value.empty() || (*number == 1 && nothing_hides))) {
    count.expression = Expression(*number);
    return count;
  }
  if (!one_value.empty() || std::ranges::count(is, true) != 1) return std::nullopt;
  const auto v = static_cast<std::size_t>(std::ranges::find(is, true) - is.begin());
  if (seen[v].size() < kFewestValues) return std::nullopt;
  count.expression = parameter_symbol(parameters_[v]);
  return count;
}

CountBuilder& RelativeCounts::counts_of(const std::vector<bool>& used, const std::vector<bool>& kept) {
  if (std::ranges::find(used, false) == used.end() && std::ranges::find(kept, false) == kept.end())
    return counts_;
  Part& part = of_some_[{used, kept}];
  if (part.counts) return *part.counts;
  for (std::size_t v = 0; v < parameters_.size(); ++v)
    if (kept[v]) part.parameters.push_back(parameters_[v]);
  for (const Run& run : runs_) {
    part.runs.push_back({{}, run.processes});
    for (std::size_t v = 0; v < run.parameters.size(); ++v)
      if (kept[v]) part.runs.back().parameters.push_back(run.parameters[v]);
  }
  part.counts = std::make_unique<CountBuilder>(part.parameters, part.runs, grids_, traces_, used);
  return *part.counts;
}

// Returns whether runs that differ only in this parameter have the same value, and such runs exist.
bool RelativeCounts::is_independent(const std::vector<std::int64_t>& values, const std::vector<bool>& used,
                                    std::size_t parameter) const {
  struct Seen {
    std::set<double> at;
    std::int64_t value = 0;
  };
  std::map<std::tuple<std::int32_t, std::int32_t, std::vector<double>>, Seen> by_rest;
  for (std::size_t t = 0; t < values.size(); ++t) {
    const Trace& trace = traces_.traces[t];
    if (!trace.complete || !used[t]) continue;
    const Run& run = runs_[trace.run];
    std::vector<double> rest = run.parameters;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(parameter));
    Seen& seen =
        by_rest.try_emplace({run.processes, trace.rank, std::move(rest)}, Seen{{}, values[t]}).first->second;
    if (seen.value != values[t]) return false;
    seen.at.insert(run.parameters[parameter]);
  }
  return std::ranges::any_of(by_rest, [](const auto& entry) { return entry.second.at.size() > 1; });
}

// Returns whether the runs used share only one property beyond the kinds of their values: none has a single
// process, while all runs left out have one.
bool RelativeCounts::lacks_one_process_alone(const std::vector<bool>& used,
                                             const std::vector<bool>& kept) const {
  std::vector<Point> points;
  for (std::size_t t = 0; t < used.size(); ++t) {
    const Run& run = runs_[traces_.traces[t].run];
    if (!used[t] && run.processes != 1) return false;
    if (!used[t]) continue;
    points.push_back({{}, run.processes});
    for (std::size_t v = 0; v < parameters_.size(); ++v)
      if (kept[v]) points.back().parameters[parameters_[v]] = run.parameters[v];
  }
  Lattice lattice = lattice_of(points);
  lattice.several = false;
  return lattice.everywhere();
}

// Where the basis is 0 the quotient is unknown. It is taken from the other ranks of the run if these agree.
// Runs in which the basis is 0 on all ranks are ignored.
std::optional<Count> RelativeCounts::product(const std::vector<std::int64_t>& values, const Basis& basis,
                                             Effort effort) {
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
    if (others != of_run.end() && others->second.size() == 1)
      quotients[t] = *others->second.begin();
    else
      used[t] = false;
  }
  // A parameter of the basis is dropped if runs that differ only in it show that the quotient does not depend
  // on it. Runs that differ only in it then count as one.
  std::vector<bool> kept(parameters_.size(), true);
  for (const Expression& symbol : symbolic::free_symbols(basis.count.expression))
    for (std::size_t v = 0; v < parameters_.size(); ++v)
      if (symbol == parameter_symbol(parameters_[v]) && is_independent(quotients, used, v)) kept[v] = false;
  const std::optional<Count> as_it_is = plain(quotients, used);
  Count quotient = as_it_is ? *as_it_is : counts_of(used, kept).build(quotients, true, effort);
  if (quotient.origin == Origin::ambiguous) drop_alternatives_equal_where(quotient, basis.count.expression);
  if (quotient.origin == Origin::ambiguous && !is_open(quotient) && lacks_one_process_alone(used, kept))
    quotient.origin = Origin::exact, quotient.advice.clear();
  if (quotient.origin > Origin::ambiguous) return std::nullopt;
  return joined(basis.count, quotient, [](const Expression& a, const Expression& b) { return a * b; });
}

std::optional<Count> RelativeCounts::where_in_grid(const std::vector<std::int64_t>& values,
                                                   std::span<const Basis* const> around, Effort effort,
                                                   std::size_t least_parts) {
  std::map<std::size_t, std::int64_t> of_run;
  std::vector<Place> places;
  std::vector<bool> holds;
  std::set<std::int32_t> processes;
  for (std::size_t t = 0; t < values.size(); ++t) {
    const Trace& trace = traces_.traces[t];
    if (!trace.complete) continue;
    places.push_back(places_[t]), holds.push_back(values[t] != 0);
    processes.insert(runs_[trace.run].processes);
    if (values[t] != 0 && of_run.try_emplace(trace.run, values[t]).first->second != values[t])
      return std::nullopt;
  }
  if (std::ranges::find(holds, true) == holds.end() || std::ranges::find(holds, false) == holds.end())
    return std::nullopt;
  const std::optional<GridCondition> condition = grid_condition(places, holds, parameters_);
  if (!condition || condition->parts < least_parts) return std::nullopt;
  std::vector<std::int64_t> each(values.size(), 0);
  std::vector<bool> used(values.size(), false);
  for (std::size_t t = 0; t < values.size(); ++t)
    if (const auto run = of_run.find(traces_.traces[t].run); run != of_run.end())
      each[t] = run->second, used[t] = true;
  Count where;
  where.expression = condition->expression;
  constexpr std::size_t kEnough = 3;  // number of process counts, as for any other formula
  where.origin = processes.size() >= kEnough ? Origin::exact : Origin::ambiguous;
  if (where.origin != Origin::exact) where.open = {"p"};
  std::optional<Count> count;
  for (const Basis* basis : around)
    if (!count) count = multiple(each, *basis, used);
  if (!count) count = plain(each, used);
  if (!count) count = counts_of(used).build(each, true, effort);
  Count out = joined(*count, where, [](const Expression& a, const Expression& b) { return a * b; });
  drop_equal_alternatives(out);
  return out;
}

const std::vector<symbolic::Binding>& RelativeCounts::probes() {
  if (!probes_.empty()) return probes_;
  std::vector<std::vector<double>> values;
  for (std::size_t v = 0; v < parameters_.size(); ++v) {
    std::set<double> seen;
    for (const Run& run : runs_) seen.insert(run.parameters[v]);
    values.push_back({*seen.begin(), *seen.rbegin(), 2 * *seen.rbegin() + 3, 5 * *seen.rbegin() + 7});
  }
  for (const std::int32_t p : {1, 2, 3, 4, 6, 8, 9, 27, 64})
    for (std::size_t k = 0; k < 4; ++k) {
      std::vector<double> at;
      for (std::size_t v = 0; v < parameters_.size(); ++v) at.push_back(values[v][(k + v) % 4]);
      for (const std::int32_t rank : sampled_ranks(p))
        probes_.push_back(binding_of(place_at(at, p, rank, grids_), parameters_, at));
    }
  return probes_;
}

/// Removes alternatives that are the same function: n*if(p >= 2, 1, 0) is n on all ranks above 0.
void RelativeCounts::drop_equal_alternatives(Count& count) {
  if (count.alternatives.empty()) return;
  drop_alternatives_equal_where(count, 1);
  if (count.alternatives.empty() && count.open.empty() && count.origin == Origin::ambiguous)
    count.origin = Origin::exact, count.advice.clear();
}

/// Removes alternatives that differ from the preferred formula only where `where` is 0.
void RelativeCounts::drop_alternatives_equal_where(Count& count, const Expression& where) {
  std::erase_if(count.alternatives, [&](const Expression& alternative) {
    return std::ranges::all_of(probes(), [&](const symbolic::Binding& at) {
      const auto present = symbolic::evaluate(where, at);
      if (present && *present == 0) return true;
      const auto a = symbolic::evaluate(count.expression, at), b = symbolic::evaluate(alternative, at);
      return a && b && std::abs(*a - *b) < 0.5;
    });
  });
}

Count RelativeCounts::build(const std::vector<std::int64_t>& values, bool deterministic,
                            std::span<const Basis* const> around, Effort effort) {
  if (!deterministic || std::ranges::all_of(values, [](std::int64_t v) { return v == 0; }))
    return counts_.build(values, deterministic, effort);
  const std::vector<bool> all(values.size(), true);
  for (const Basis* basis : around)
    if (auto found = multiple(values, *basis, all)) return *std::move(found);
  if (auto found = plain(values, all)) return *std::move(found);
  if (auto found = where_in_grid(values, around, effort, 2)) return *std::move(found);
  Count best = counts_.build(values, deterministic, effort);
  if (best.origin <= Origin::exact) return best;
  bool in_grid = false, alone = true;
  if (auto found = where_in_grid(values, around, effort, 1); found && found->origin <= best.origin) {
    in_grid = true;
    if (found->origin == Origin::ambiguous && found->alternatives.size() < kMostAlternatives)
      found->alternatives.push_back(best.expression);
    best = *std::move(found);
  }
  for (const Basis* basis : around) {
    const auto found = product(values, *basis, effort);
    if (!found || found->origin > best.origin) continue;
    if (found->origin < best.origin || (!in_grid && is_surer(*found, best, alone)))
      best = *found, alone = false;
  }
  drop_equal_alternatives(best);
  return best;
}

Count RelativeCounts::by_size(Count count, const std::vector<std::int64_t>& values,
                              const Basis& basis) const {
  if (count.origin != Origin::fitted || basis.count.origin > Origin::ambiguous) return count;
  for (std::size_t t = 0; t < values.size(); ++t)
    if (basis.values[t] <= 0 && values[t] != 0) return count;
  Count size = counts_.fit_each(values, basis.values);
  size.expression = basis.count.expression * size.expression;
  return size;
}

std::optional<Count> RelativeCounts::difference(const std::vector<std::int64_t>& values,
                                                std::span<const Basis* const> from,
                                                std::span<const Basis* const> less) const {
  for (const Basis* more : from)
    for (const Basis* fewer : less) {
      bool same = true, any = false;
      for (std::size_t t = 0; t < values.size() && same; ++t) {
        if (!traces_.traces[t].complete) continue;
        same = more->values[t] - fewer->values[t] == values[t];
        any = any || values[t] != 0;
      }
      if (same && any)
        return joined(more->count, fewer->count,
                      [](const Expression& a, const Expression& b) { return a - b; });
    }
  return std::nullopt;
}

}  // namespace parcast::program
