// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/counts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "fit_counts/repeating.h"
#include "model/binding.h"

namespace parcast::program {
namespace {

using symbolic::Expression;
using symbolic::Rational;

constexpr int kMostFollowed = 2;  // steps from one count to another of which it is a function

Design make_design(const std::vector<std::string>& parameters, const std::vector<Run>& runs,
                   const std::vector<ProcessGrid>& grids, const Traces& traces,
                   const std::vector<bool>& used) {
  Design design;
  design.parameters = parameters;
  design.grids = grids;
  std::map<std::pair<std::int32_t, std::vector<double>>, std::map<std::int32_t, bool>> ranks;
  for (std::size_t t = 0; t < traces.traces.size(); ++t)
    if (const Trace& trace = traces.traces[t]; trace.complete && (used.empty() || used[t]))
      ranks[{runs[trace.run].processes, runs[trace.run].parameters}][trace.rank] = true;
  for (const auto& [point, members] : ranks) {
    design.groups.push_back({point.second, point.first, design.cells.size(), members.size()});
    for (const auto& [rank, present] : members)
      design.cells.push_back({design.groups.size() - 1, place_at(point.second, point.first, rank, grids)});
  }
  for (std::size_t v = 0; v < parameters.size(); ++v) {
    const auto values = design.values(v);
    design.whole.push_back(std::all_of(values.begin(), values.end(),
                                       [](double x) { return x == std::floor(x) && std::abs(x) < 1e15; }));
  }
  design.repeats = repeating(parameters.size(), runs, traces, used);
  return design;
}

// Returns a double as a fraction whose denominator is a power of two, accurate to 40 bits.
Rational nearby(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int shift = std::clamp(40 - exponent, 0, 61);
  return Rational::make(std::llround(std::ldexp(value, shift)), std::int64_t{1} << shift)
      .value_or(Rational(0));
}

Rational near_exponent(double value) {
  constexpr std::int64_t kDenominator = 12 * 125;  // represents thirds, quarters and three decimals
  return Rational::make(std::llround(value * kDenominator), kDenominator).value_or(Rational(0));
}

}  // namespace

Expression growth_expression(const statistics::GrowthHypothesis& hypothesis,
                             const std::vector<Expression>& arguments) {
  Expression sum;
  for (const statistics::GrowthTerm& term : hypothesis.terms) {
    Expression product = nearby(term.coefficient);
    for (std::size_t j = 0; j < arguments.size(); ++j) {
      if (term.exponents[j] != 0)
        product = product * symbolic::power(arguments[j], near_exponent(term.exponents[j]));
      if (term.log_powers[j] != 0)
        product =
            product * symbolic::power(symbolic::log2(symbolic::max(arguments[j], 1)), term.log_powers[j]);
    }
    sum = sum + product;
  }
  return sum;
}

bool may_hide_one_of(std::int64_t factor, const std::vector<double>& unvaried) {
  return factor > 1 && std::ranges::any_of(unvaried, [&](double value) {
           return value > 1 && (std::fmod(static_cast<double>(factor), value) == 0 ||
                                std::abs(static_cast<double>(factor) - value) <= 2);
         });
}

CountBuilder::CountBuilder(const std::vector<std::string>& parameters, const std::vector<Run>& runs,
                           const std::vector<ProcessGrid>& grids, const Traces& traces,
                           const std::vector<bool>& used)
    : traces_(traces), identifier_(make_design(parameters, runs, grids, traces, used)) {
  const Design& d = identifier_.design();
  std::map<std::pair<std::int32_t, std::vector<double>>, std::size_t> groups;
  for (std::size_t g = 0; g < d.groups.size(); ++g)
    groups[{d.groups[g].processes, d.groups[g].parameters}] = g;
  for (std::size_t t = 0; t < traces.traces.size(); ++t) {
    const Trace& trace = traces.traces[t];
    cell_of_.push_back(-1);
    group_of_.push_back(0);
    if (!trace.complete || (!used.empty() && !used[t])) continue;
    const std::size_t group = groups.at({runs[trace.run].processes, runs[trace.run].parameters});
    group_of_.back() = group;
    for (std::size_t k = 0; k < d.groups[group].cell_count; ++k)
      if (d.cells[d.groups[group].first_cell + k].place.r == trace.rank)
        cell_of_.back() = static_cast<std::ptrdiff_t>(d.groups[group].first_cell + k);
  }
  for (std::size_t v = 0; v < d.variables(); ++v)
    if (const auto values = d.values(v); values.size() == 1) unvaried_.push_back(values.front());
  find_units();
}

CountBuilder::Direction CountBuilder::direction_of(const std::vector<std::int64_t>& values) const {
  Direction out{std::vector<std::int64_t>(values.size(), 0), 0};
  std::int64_t first = -1;
  bool varies = false;
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (cell_of_[t] < 0) continue;
    if (values[t] < 0) return {};
    out.divisor = std::gcd(out.divisor, values[t]);
    varies = varies || (first >= 0 && values[t] != first);
    first = values[t];
  }
  if (!varies) return {};
  for (std::size_t t = 0; t < values.size(); ++t)
    if (cell_of_[t] >= 0) out.values[t] = values[t] / out.divisor;
  return out;
}

void CountBuilder::add_trips(const std::vector<std::int64_t>& values) {
  const Steps steps = steps_of(values);
  if (steps.gcd == 0) return;
  trips_.insert(values);
  const auto [at, is_new] = of_steps_.emplace(steps.values, values);
  const Steps known = steps_of(at->second);
  const Rational constant = Rational::of(steps.least, steps.gcd),
                 of_known = Rational::of(known.least, known.gcd);
  if (!is_new && std::tie(constant, values) < std::tie(of_known, at->second)) at->second = values;
}

void CountBuilder::find_units() {
  std::map<std::int32_t, std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> of_key;
  for (std::size_t t = 0; t < traces_.traces.size(); ++t)
    for (const auto& [key, totals] : traces_.traces[t].calls) {
      auto& [executions, messages] = of_key[key];
      executions.resize(traces_.traces.size()), messages.resize(traces_.traces.size());
      executions[t] = totals.executions, messages[t] = totals.messages;
    }
  for (const auto& [key, counts] : of_key)
    for (const std::vector<std::int64_t>* values : {&counts.first, &counts.second}) {
      add_trips(*values);
      if (const Direction direction = direction_of(*values); direction.divisor > 0) {
        Unit& unit = units_[direction.values];
        unit.divisor = std::gcd(unit.divisor, direction.divisor), ++unit.uses;
      }
    }
  std::map<std::int32_t, std::vector<std::int64_t>> of_transition;
  for (std::size_t t = 0; t < traces_.traces.size(); ++t)
    for (const auto& [id, totals] : traces_.traces[t].transitions) {
      auto& traversals = of_transition[id];
      traversals.resize(traces_.traces.size());
      traversals[t] = totals.traversals;
    }
  for (const auto& [id, traversals] : of_transition) add_trips(traversals);
}

std::optional<Count> CountBuilder::following(const std::vector<std::int64_t>& values, Effort effort) {
  if (followed_ >= kMostFollowed) return std::nullopt;
  ++followed_;
  auto count = of_common_trips(values, effort);
  if (!count) count = times_per_trip(values, effort);
  --followed_;
  return count;
}

std::optional<Count> CountBuilder::times_per_trip(const std::vector<std::int64_t>& values, Effort effort) {
  constexpr std::int64_t kMostTimes = 64;
  const auto number_of_different = [&](const std::vector<std::int64_t>& of) {
    std::set<std::int64_t> out;
    for (std::size_t t = 0; t < of.size(); ++t)
      if (cell_of_[t] >= 0) out.insert(of[t]);
    return out.size();
  };
  const std::vector<std::int64_t>* best = nullptr;
  std::vector<std::int64_t> times_best;
  std::int64_t least = 0;
  for (const std::vector<std::int64_t>& trips : trips_) {
    std::vector<std::int64_t> times(values.size(), 0);
    bool divides = trips != values;
    std::int64_t sum = 0;
    for (std::size_t t = 0; t < values.size() && divides; ++t) {
      if (cell_of_[t] < 0) continue;
      divides =
          trips[t] > 0 && values[t] >= 0 && values[t] % trips[t] == 0 && values[t] / trips[t] <= kMostTimes;
      if (divides) sum += times[t] = values[t] / trips[t];
    }
    if (!divides || (best && sum >= least)) continue;
    const std::size_t different = number_of_different(times);
    if (different < 2 || different >= number_of_different(trips)) continue;
    best = &trips, times_best = std::move(times), least = sum;
  }
  if (!best) return std::nullopt;
  const Count times = build(times_best, true, effort);
  if (times.origin > Origin::ambiguous) return std::nullopt;
  Count count = build(*best, true, effort);
  const Expression of_trips = count.expression;
  count.expression = expand(times.expression * of_trips);
  for (Expression& alternative : count.alternatives) alternative = times.expression * alternative;
  for (const Expression& alternative : times.alternatives)
    if (count.alternatives.size() < kMostAlternatives) count.alternatives.push_back(alternative * of_trips);
  count.origin = weaker(weaker(count.origin, times.origin), Origin::ambiguous);
  if (count.advice.empty()) count.advice = times.advice;
  return count;
}

CountBuilder::Steps CountBuilder::steps_of(const std::vector<std::int64_t>& values) const {
  std::set<std::int64_t> different;
  for (std::size_t t = 0; t < values.size(); ++t)
    if (cell_of_[t] >= 0) different.insert(values[t]);
  if (different.size() < 3 || *different.begin() < 0) return {};
  Steps out{std::vector<std::int64_t>(values.size(), 0), 0, *different.begin()};
  for (const std::int64_t value : different) out.gcd = std::gcd(out.gcd, value - out.least);
  for (std::size_t t = 0; t < values.size(); ++t)
    if (cell_of_[t] >= 0) out.values[t] = (values[t] - out.least) / out.gcd;
  return out;
}

// Where time or data decide how often a loop runs, its calls have 551 s + 204 and 450 s + 164 executions in s
// rounds. All follow from one fit.
std::optional<Count> CountBuilder::of_common_trips(const std::vector<std::int64_t>& values, Effort effort) {
  const Steps steps = steps_of(values);
  const auto common = of_steps_.find(steps.values);
  if (steps.gcd == 0 || common == of_steps_.end() || common->second == values) return std::nullopt;
  const Steps of_common = steps_of(common->second);
  const Rational times = Rational::of(steps.gcd, of_common.gcd);
  const Expression added = Expression(steps.least) - Expression(times) * Expression(of_common.least);
  Count count = build(common->second, true, effort);
  // Without a number to add, the sum may be negative beyond the recorded points.
  const auto follow = [&](const Expression& of) {
    const Expression sum = Expression(times) * of + added;
    const bool adds = Rational::of(steps.least, steps.gcd) >= Rational::of(of_common.least, of_common.gcd);
    return adds ? sum : symbolic::max(0, sum);
  };
  count.expression = follow(count.expression);
  for (Expression& alternative : count.alternatives) alternative = follow(alternative);
  return count;
}

Count CountBuilder::build(const std::vector<std::int64_t>& values, bool deterministic, Effort effort) {
  const auto key = std::tuple(deterministic, effort, values);
  if (const auto known = built_.find(key); known != built_.end()) return known->second;
  Count count = search(values, deterministic, effort);
  if (followed_ >= kMostFollowed) return count;  // it follows from no other one here, but may when asked for
  return built_.emplace(key, std::move(count)).first->second;
}

// 42 p and 84 log2 p agree at p = 2 and 4. If other counts are 3 and 6 there, all are multiples of log2 p.
Count CountBuilder::search(const std::vector<std::int64_t>& values, bool deterministic, Effort effort) {
  const Direction direction = deterministic ? direction_of(values) : Direction{};
  if (const auto unit = units_.find(direction.values);
      direction.divisor > 0 && unit != units_.end() && direction.divisor % unit->second.divisor == 0 &&
      unit->second.divisor < direction.divisor &&
      !may_hide_one_of(direction.divisor / unit->second.divisor, unvaried_)) {
    std::vector<std::int64_t> fewer = direction.values;
    for (std::int64_t& value : fewer) value *= unit->second.divisor;
    Count count = build(fewer, deterministic, effort);
    const Expression times = direction.divisor / unit->second.divisor;
    count.expression = times * count.expression;
    for (Expression& alternative : count.alternatives) alternative = times * alternative;
    return count;
  }
  std::vector<std::int64_t> by_cell(design().cells.size());
  std::vector<bool> known(design().cells.size(), false);
  bool agree = !design().cells.empty();
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (cell_of_[t] < 0) continue;
    const auto cell = static_cast<std::size_t>(cell_of_[t]);
    if (known[cell] && by_cell[cell] != values[t]) agree = false;
    known[cell] = true;
    by_cell[cell] = values[t];
  }
  const bool zero = std::all_of(by_cell.begin(), by_cell.end(), [](std::int64_t v) { return v == 0; });
  if (agree && (deterministic || zero)) {
    if (const auto& found = identifier_.identify(by_cell, effort)) {
      remember(found->features);
      Count count = found->count;
      if (count.origin != Origin::ambiguous || count.alternatives.empty() ||
          units_.contains(direction.values))
        return count;
      if (const auto shifted = shifted_unit(values, effort); shifted && *shifted != count.expression) {
        if (std::erase(count.alternatives, *shifted) == 0) count.alternatives.pop_back();
        count.alternatives.insert(count.alternatives.begin(), count.expression);
        count.expression = *shifted;
      }
      return count;
    }
  }
  if (agree && deterministic)
    if (const auto count = following(values, effort)) return *count;
  const auto where = where_it_is(values, by_cell, effort);
  const std::vector<double> measured(values.begin(), values.end());
  if (!where) return fitted(measured, std::vector<bool>(values.size(), true));
  std::vector<bool> present;
  for (const std::int64_t value : values) present.push_back(value != 0);
  Count count = fitted(measured, present);
  count.expression = count.expression * *where;
  return count;
}

std::optional<Expression> CountBuilder::shifted_unit(const std::vector<std::int64_t>& values, Effort effort) {
  const std::vector<std::int64_t>* best = nullptr;
  std::int64_t factor = 0, added = 0;
  for (const auto& [direction, unit] : units_) {
    if (best && unit.uses <= units_.at(*best).uses) continue;
    std::optional<std::size_t> first, second;
    for (std::size_t t = 0; t < values.size() && !second; ++t) {
      if (cell_of_[t] < 0) continue;
      if (!first)
        first = t;
      else if (direction[t] != direction[*first])
        second = t;
    }
    if (!second) continue;
    const std::int64_t step = direction[*second] - direction[*first],
                       change = values[*second] - values[*first];
    if (change == 0 || change % step != 0) continue;
    const std::int64_t a = change / step, c = values[*first] - a * direction[*first];
    bool holds = true;
    for (std::size_t t = 0; t < values.size() && holds; ++t)
      holds = cell_of_[t] < 0 || values[t] == a * direction[t] + c;
    if (holds) best = &direction, factor = a, added = c;
  }
  if (!best || added == 0) return std::nullopt;
  std::vector<std::int64_t> fewer = *best;
  const std::int64_t divisor = units_.at(*best).divisor;
  for (std::int64_t& value : fewer) value *= divisor;
  const Count unit = build(fewer, true, effort);
  if (unit.origin > Origin::ambiguous) return std::nullopt;
  const Expression shifted = Expression(Rational::of(factor, divisor)) * unit.expression + added;
  const std::vector<double>& parameters = design().groups.front().parameters;
  const auto alone = symbolic::evaluate(
      shifted, binding_of(place_at(parameters, 1, 0, design().grids), design().parameters, parameters));
  return alone && *alone < 0 ? symbolic::max(0, shifted) : shifted;
}

// Returns 1 for the processes that have the count and 0 for the others, if a formula separates them.
std::optional<Expression> CountBuilder::where_it_is(const std::vector<std::int64_t>& values,
                                                    std::vector<std::int64_t> by_cell, Effort effort) {
  for (std::int64_t& value : by_cell) value = value != 0 ? 1 : 0;
  if (std::ranges::find(by_cell, 0) == by_cell.end() || std::ranges::find(by_cell, 1) == by_cell.end())
    return std::nullopt;
  for (std::size_t t = 0; t < values.size(); ++t)
    if (cell_of_[t] >= 0 && by_cell[static_cast<std::size_t>(cell_of_[t])] != (values[t] != 0 ? 1 : 0))
      return std::nullopt;
  const auto& found = identifier_.identify(by_cell, effort);
  return found && found->count.origin <= Origin::ambiguous ? std::optional(found->count.expression)
                                                           : std::nullopt;
}

// Fitted counts: the mean over the ranks that have the count, as a function of the parameters and p.
namespace {

/// Where a count is not 0: between two values of one variable.
struct Support {
  Expression variable;
  std::optional<double> from, below;
  std::size_t groups = 0;  // groups in which it is not 0
};

/// Returns nothing if the count is 0 in no group, or in some group between others.
std::optional<Support> support_in(const Design& design, const std::vector<std::size_t>& groups,
                                  const std::vector<double>& sum, std::size_t v) {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest, before = -lowest,
         after = lowest;
  Support out{
      v < design.parameters.size() ? parameter_symbol(design.parameters[v]) : processes_symbol(), {}, {}, 0};
  for (const std::size_t g : groups) {
    if (sum[g] <= 0) continue;
    ++out.groups;
    lowest = std::min(lowest, design.value(design.groups[g], v)),
    highest = std::max(highest, design.value(design.groups[g], v));
  }
  for (const std::size_t g : groups) {
    if (sum[g] > 0) continue;
    const double value = design.value(design.groups[g], v);
    if (value >= lowest && value <= highest) return std::nullopt;
    if (value < lowest)
      before = std::max(before, value);
    else
      after = std::min(after, value);
  }
  const bool alone = v == design.parameters.size() && before == 1;  // a single process has no partner: p >= 2
  if (std::isfinite(before)) out.from = alone ? 2 : lowest;
  if (std::isfinite(after)) out.below = after;
  return out;
}

/// Tries p first. Returns nothing if the count is 0 nowhere or everywhere, or if no variable separates the
/// zeros.
std::optional<Support> support_of(const Design& design, const std::vector<std::size_t>& groups,
                                  const std::vector<double>& sum) {
  const auto zeros = std::ranges::count_if(groups, [&](std::size_t g) { return sum[g] <= 0; });
  if (zeros == 0 || static_cast<std::size_t>(zeros) == groups.size()) return std::nullopt;
  for (std::size_t k = design.variables(); k-- > 0;)
    if (const auto support = support_in(design, groups, sum, k)) return support;
  return std::nullopt;
}

/// Returns whether the variable divides p in each group, and the two determine each other in the recordings:
/// such an extent of a grid shows nothing that p does not.
bool is_part_of_processes(const Design& design, const std::vector<std::size_t>& groups, std::size_t v) {
  if (v == design.parameters.size()) return false;
  std::map<double, double> of_value, of_processes;
  for (const std::size_t g : groups) {
    const double value = design.value(design.groups[g], v),
                 p = design.value(design.groups[g], design.parameters.size());
    if (value < 1 || std::fmod(p, value) != 0) return false;
    if (of_value.emplace(value, p).first->second != p) return false;
    if (of_processes.emplace(p, value).first->second != value) return false;
  }
  return true;
}

/// Exponents of p in fitted counts. Few process counts are recorded, and few counts grow faster than p.
const std::vector<double> kExponentsOfProcesses{-1, -0.5, 0.5, 1};
/// Those in sizes of messages: of volumes, and of their sides and edges in two and three dimensions.
const std::vector<double> kExponentsOfProcessesInSizes{-1, -2.0 / 3, -0.5, -1.0 / 3, 0.5, 1};

Expression number(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? Expression(static_cast<std::int64_t>(value))
                                                              : symbolic::real(value);
}

/// Returns the expression on the support, and 0 elsewhere.
Expression within(const std::optional<Support>& support, Expression count) {
  if (!support) return count;
  if (support->below) count = conditional(support->variable - number(*support->below), 0, count);
  return support->from ? conditional(support->variable - number(*support->from), count, 0) : count;
}

}  // namespace

Count CountBuilder::fit_each(const std::vector<std::int64_t>& values,
                             const std::vector<std::int64_t>& times) const {
  std::vector<double> each(values.size(), 0);
  std::vector<bool> present(values.size(), false);
  for (std::size_t t = 0; t < values.size(); ++t)
    if (times[t] > 0)
      present[t] = true, each[t] = static_cast<double>(values[t]) / static_cast<double>(times[t]);
  return fitted(each, present, true);
}

Count CountBuilder::fitted(const std::vector<double>& values, const std::vector<bool>& present,
                           bool sizes) const {
  Count count;
  count.origin = Origin::fitted;
  const Design& d = design();
  std::vector<double> sum(d.groups.size(), 0), squares(d.groups.size(), 0), number(d.groups.size(), 0);
  double all = 0;
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (!present[t]) continue;
    const double value = values[t];
    all += value / static_cast<double>(values.size());
    if (cell_of_[t] < 0) continue;
    sum[group_of_[t]] += value;
    squares[group_of_[t]] += value * value;
    number[group_of_[t]] += 1;
  }
  std::vector<std::size_t> groups;
  for (std::size_t g = 0; g < d.groups.size(); ++g)
    if (number[g] > 0) groups.push_back(g);
  statistics::GrowthData data;
  statistics::GrowthOptions options;
  std::vector<Expression> arguments;
  std::vector<std::size_t> variables;
  for (std::size_t v = 0; v < d.variables(); ++v) {
    std::set<double> distinct;
    for (const std::size_t g : groups) distinct.insert(d.value(d.groups[g], v));
    if (distinct.size() < 2 || *distinct.begin() < 0 || is_part_of_processes(d, groups, v)) continue;
    variables.push_back(v);
    const bool is_p = v == d.parameters.size();
    options.exponents.push_back(!is_p   ? std::vector<double>{}
                                : sizes ? kExponentsOfProcessesInSizes
                                        : kExponentsOfProcesses);
    if (sizes) options.largest_log_power.push_back(0);
    data.arguments.push_back(d.variable_name(v));
    arguments.push_back(v < d.parameters.size() ? parameter_symbol(d.parameters[v]) : processes_symbol());
  }
  double spread = 0, total = 0;
  const std::optional<Support> support = support_of(d, groups, sum);
  const std::size_t counted = support ? support->groups : groups.size();
  for (const std::size_t g : groups) {
    const double mean = sum[g] / number[g];
    total += mean / static_cast<double>(counted);
    if (mean <= 0) continue;
    spread = std::max(spread, std::sqrt(std::max(0.0, squares[g] / number[g] - mean * mean)) / mean);
    data.values.push_back(mean);
    data.points.emplace_back();
    for (const std::size_t v : variables) data.points.back().push_back(d.value(d.groups[g], v));
  }
  const auto fit = 2 * data.values.size() > counted ? statistics::fit_growth(data, options) : Error{};
  if (!fit || counted == 1) {
    count.expression = within(support, nearby(groups.empty() ? all : total));
    count.origin = groups.empty() ? Origin::unknown : Origin::constant;
    count.relative_error = spread;
    return count;
  }
  count.expression = within(support, growth_expression(fit.value().hypotheses.front(), arguments));
  count.relative_error = std::hypot(spread, fit.value().hypotheses.front().validation_error);
  return count;
}

void CountBuilder::remember(const std::vector<Feature>& features) {
  for (const Feature& feature : features)
    for (Factor f : feature.factors) {
      if (!is_block(f.kind) && f.kind != Factor::Kind::index_sum) continue;
      if (f.kind == Factor::Kind::index_sum) f.kind = Factor::Kind::block_cyclic;
      f.offset = f.shift = 0;
      const auto at =
          std::find_if(seen_.begin(), seen_.end(), [&](const auto& entry) { return entry.first == f; });
      if (at == seen_.end())
        seen_.push_back({f, 1});
      else
        ++at->second;
    }
}

std::vector<Factor> CountBuilder::distributions() const {
  auto seen = seen_;
  std::stable_sort(seen.begin(), seen.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<Factor> factors;
  for (const auto& [factor, times] : seen) factors.push_back(factor);
  return factors;
}

}  // namespace parcast::program
