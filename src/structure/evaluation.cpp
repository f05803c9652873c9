// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "structure/generate.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

constexpr double kPicoseconds = 1e12;

trace::Time picoseconds(double seconds) {
  const double time = std::max(0.0, seconds) * kPicoseconds;
  return time < static_cast<double>(trace::kLongest) ? std::llround(time) : trace::kLongest;
}

}  // namespace

template <class Evaluate>
Result<double> StepEvaluation::once(const Expression& expression, std::uint32_t step, const Place& place,
                                    Evaluate evaluate) {
  Known& known =
      (std::is_same_v<decltype(evaluate()), Result<CountValue>> ? counts_
                                                                : times_)[{expression.node(), step}];
  if (!known.examined) {
    known.examined = true;
    for (const Expression& symbol : symbolic::free_symbols(expression)) {
      known.by_rank = known.by_rank || symbol == rank_symbol();
      for (int d = 1; d <= kMostDimensions; ++d)
        for (int k = 0; k < d; ++k)
          if (symbol == coordinate_symbol(d, k)) known.coordinates.emplace_back(d, k);
    }
  }
  std::vector<std::int64_t> key;
  for (const auto& [d, k] : known.coordinates)
    key.push_back(place.coordinates[static_cast<std::size_t>(d)][static_cast<std::size_t>(k)]);
  if (const auto at = known.values.find(key); !known.by_rank && at != known.values.end()) return at->second;
  const auto found = evaluate();
  if (!found) return found.error();
  double number = 0;
  if constexpr (std::is_same_v<decltype(evaluate()), Result<CountValue>>)
    number = found->value;
  else
    number = *found;
  if (!known.by_rank) known.values.emplace(std::move(key), number);
  return number;
}

Result<double> StepEvaluation::value(const Count& count, const Place& place, const Step& step) {
  return once(count.expression, step.id, place, [&]() -> Result<CountValue> {
    PARCAST_ASSIGN(const auto binding, bind(model_, point_, static_cast<std::int32_t>(place.r)));
    PARCAST_ASSIGN(const CountValue found, value_of(count, binding));
    if (count.origin == Origin::ambiguous && (found.low != found.value || found.high != found.value))
      doubtful_.emplace(step.id, count.advice);
    return found;
  });
}

Result<double> StepEvaluation::value(const Expression& expression, const Place& place) {
  return once(expression, 0, place, [&]() -> Result<double> {
    PARCAST_ASSIGN(const auto binding, bind(model_, point_, static_cast<std::int32_t>(place.r)));
    return symbolic::evaluate(expression, binding);
  });
}

Result<void> StepEvaluation::at(const Place& place, std::vector<StepValues>& values) {
  values.resize(model_.structure->step_count + 1);  // the last one is the end
  PARCAST_TRY(fill(model_.structure->steps, place, values));
  values.back().computing.clear();
  for (const Computing& computing : model_.structure->tail) {
    PARCAST_ASSIGN(const double seconds, value(computing.seconds, place));
    values.back().computing.push_back(picoseconds(seconds));
  }
  return {};
}

Result<void> StepEvaluation::fill_period(const Step& step, StepValues& of) const {
  of.every = step.every, of.offset = step.offset;
  if (step.every_of.empty()) return {};
  const auto at = point_.parameters.find(step.every_of);
  if (at == point_.parameters.end() || at->second < 1 || at->second != std::floor(at->second))
    return Error{step.every_of + " is the number of iterations between two operations, and " +
                     (at == point_.parameters.end() ? "has no value" : format_exact(at->second) + " is none"),
                 "", "give a whole number of 1 or more"};
  of.every = std::llround(at->second);
  if (of.offset < 0) of.offset = std::max<std::int64_t>(0, of.offset + of.every);
  return {};
}

Result<void> StepEvaluation::fill(const std::vector<Step>& steps, const Place& place,
                                  std::vector<StepValues>& values) {
  for (const Step& step : steps) {
    StepValues& of = values[step.id];
    of.takes = holds(step.guard, place);
    if (!of.takes) continue;
    if (step.kind == Step::Kind::every) {
      PARCAST_TRY(fill_period(step, of));
      PARCAST_TRY(fill(step.body, place, values));
      continue;
    }
    if (step.kind != Step::Kind::operation) {
      PARCAST_ASSIGN(const double rounds, value(step.rounds, place, step));
      of.rounds = std::llround(rounds);
      PARCAST_TRY(fill(step.body, place, values));
      continue;
    }
    if (step.operation != trace::Kind::wait) {
      PARCAST_ASSIGN(const double bytes, value(step.bytes.count, place, step));
      of.bytes = std::llround(bytes);
      if (step.bytes.change == Change::up || step.bytes.change == Change::down) {
        PARCAST_ASSIGN(const double slope, value(step.bytes.slope, place, step));
        of.slope = std::llround(slope);
      }
    }
    if (step.operation == trace::Kind::collective) {
      PARCAST_ASSIGN(const double root, value(step.root, place, step));
      of.root = std::llround(root);
    }
    of.computing.clear();
    for (const Computing& computing : step.computing) {
      PARCAST_ASSIGN(const double seconds, value(computing.seconds, place));
      of.computing.push_back(picoseconds(seconds));
    }
  }
  return {};
}

}  // namespace parcast::program
