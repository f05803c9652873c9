// SPDX-License-Identifier: Apache-2.0
#include "causes/exclusion.h"

#include <algorithm>
#include <cmath>

#include "statistics/distribution.h"

namespace parcast::causes {
namespace {

// a true cause is rejected at this fraction of the level for finding breaks
constexpr double kRemaining = 0.2;
constexpr double kWorse = 10;          // the break's place was chosen as well, which is worth about two costs
constexpr double kWorseThanTwo = 14;   // two places
constexpr double kBeside = 8;          // one place more, but one of the two costs is known to be needed
constexpr double kNeeded = 20;         // for a variable with a break whose place is chosen anew for it
constexpr double kBetterThanTwo = 10;  // a variable must do better than a place
// A variable that resembles a cause leaves scatter. If times scatter by more than this anyway, it cannot be
// distinguished.
constexpr double kLoosePair = 0.1, kLoosePart = 0.05;
constexpr double kScatterLevel = 0.01;
constexpr double kLeastShareOfWork = 0.5;
constexpr double kRounding = 1e-18;  // smaller sums of squares of residuals are rounding errors

bool before_break(const Sample& sample, const Linearity& first_order) {
  return (first_order.shape == Shape::step_in_processes ? sample.processes : sample.work) <=
         first_order.last_linear;
}

/// Returns the time of a sample by a relation without a break.
double given(const Sample& sample, const Linearity& with, std::span<const Column> columns, std::size_t i) {
  double seconds = with.delta * sample.work;
  for (std::size_t k = 0; k < columns.size(); ++k) seconds += with.others[k] * columns[k][i];
  return seconds;
}

/// Compares two groups of weighted squares by the F test of two variances.
bool more_scattered(double squares, double degrees, double reference, double reference_degrees) {
  if (reference_degrees < 1 || degrees < 1 || squares <= kRounding) return false;
  return statistics::f_tail((squares / degrees) / (std::max(reference, kRounding) / reference_degrees),
                            degrees, reference_degrees) < kScatterLevel;
}

/// Returns whether times scatter more after the break than before it, by the F test of two variances.
bool scatters(const Broken& of, std::span<const Column> columns, const Linearity& with) {
  double before = 0, behind = 0;
  std::size_t count_before = 0, count_behind = 0;
  for (std::size_t i = 0; i < of.samples.size(); ++i) {
    const bool is_before = before_break(of.samples[i], of.first_order);
    const double deviation =
        of.first_order.weights[i] * (1 - given(of.samples[i], with, columns, i) / of.samples[i].seconds);
    (is_before ? before : behind) += deviation * deviation;
    ++(is_before ? count_before : count_behind);
  }
  return more_scattered(behind, static_cast<double>(count_behind), before,
                        static_cast<double>(count_before) - 1);
}

/// Returns whether times scatter more where a column's share of them exceeds its median. A variable that only
/// resembles a cause leaves scatter there.
bool scatters_with(const Broken& of, const Column& column, const Column& deviations, std::size_t costs) {
  const std::size_t count = of.samples.size(), half = count / 2;
  std::vector<std::pair<double, double>> by_share;
  for (std::size_t i = 0; i < count; ++i)
    by_share.emplace_back(column[i] / of.samples[i].seconds, deviations[i] * deviations[i]);
  std::stable_sort(by_share.begin(), by_share.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  double low = 0, high = 0;
  for (std::size_t i = 0; i < count; ++i) (i < half ? low : high) += by_share[i].second;
  const double of_costs = static_cast<double>(costs) / 2;
  return more_scattered(high, static_cast<double>(count - half) - of_costs, low,
                        static_cast<double>(half) - of_costs);
}

/// Returns whether times scatter more with any of several variables. The reference is the noise of the
/// relation with them: with two effects, the noise of the relation without them is not known well.
bool any_scatters(const Broken& of, std::span<const Column> columns, const Linearity& with) {
  std::vector<Column> all(columns.begin(), columns.end());
  if (with.shape != Shape::straight) all.push_back(break_column(of.samples, with));
  BreakOptions options = of.no_break();
  options.weights.clear();
  const auto own = find_break(of.samples, all, options);
  if (!own) return true;
  Column deviations;
  for (std::size_t i = 0; i < of.samples.size(); ++i)
    deviations.push_back(own->weights[i] * (1 - given(of.samples[i], *own, all, i) / of.samples[i].seconds));
  return std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
    return scatters_with(of, column, deviations, 1 + all.size());
  });
}

/// Returns whether every further cost is significantly above 0, one-sided.
bool has_influence(const Broken& of, const Linearity& with, double level) {
  const double least = statistics::student_t_quantile(
      1 - level, static_cast<double>(of.samples.size() - 1 - with.others.size()));
  for (std::size_t k = 0; k < with.others.size(); ++k)
    if (!(with.others[k] > least * with.other_errors[k])) return false;
  return true;
}

/// Returns whether every variable changes some time by at least the smallest relevant effect of a break.
bool matters(const Broken& of, std::span<const Column> columns, const Linearity& with) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    double most = 0;
    for (std::size_t i = 0; i < of.samples.size(); ++i)
      most = std::max(most, with.others[k] * columns[k][i] / of.samples[i].seconds);
    if (most < of.options.least_effect) return false;
  }
  return true;
}

double cost_of_work(const Linearity& relation) {
  return std::min(relation.delta, relation.delta_beyond);
}

/// Returns the smallest cost of work without other effects. If the relation breaks twice, the first break
/// alone does not give it.
double least_cost(const Broken& of) {
  const double once = cost_of_work(of.first_order);
  return of.twice ? std::min(once, cost_of_work(of.twice->later)) : once;
}

double student_level(const Broken& of, std::size_t tests) {
  return of.options.level * kRemaining / static_cast<double>(std::max<std::size_t>(tests, 1));
}

}  // namespace

BreakOptions remaining_options(const Linearity& first_order, const BreakOptions& options) {
  BreakOptions out = options;
  out.level *= kRemaining;
  out.weights = first_order.weights;
  return out;
}

BreakOptions Broken::any_break() const {
  BreakOptions out = remaining;
  out.permutations = 0;
  out.level = 1;
  return out;
}

BreakOptions Broken::no_break() const {
  BreakOptions out = any_break();
  out.level = 0;
  return out;
}

double log_ratio(double worse, double better, std::size_t samples) {
  return static_cast<double>(samples) * std::log(std::max(worse, kRounding) / std::max(better, kRounding));
}

std::optional<Verdict> unfit(const Broken& broken, const Candidate& candidate) {
  constexpr double kSame = 1e-6;  // exceeds the digits of a table of measurements
  if (std::any_of(candidate.amounts.begin(), candidate.amounts.end(),
                  [](double amount) { return !std::isfinite(amount); }))
    return Verdict::not_measured;
  const auto [least, most] = std::minmax_element(candidate.amounts.begin(), candidate.amounts.end());
  if (*most - *least <= kSame * *most) return Verdict::never_changes;
  const Column column = regressor(candidate, broken.samples);
  double low = INFINITY, high = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    const double work = broken.samples[i].work;
    if (work == 0 && column[i] == 0) continue;
    const double ratio = work > 0 ? column[i] / work : INFINITY;
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  if (high - low <= kSame * high) return Verdict::as_work;
  return std::nullopt;
}

bool follows_time(const Broken& broken, const Column& amounts) {
  std::vector<Sample> swapped;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    if (!(amounts[i] > 0)) return false;
    swapped.push_back({broken.samples[i].seconds, amounts[i], broken.samples[i].processes});
  }
  BreakOptions options = broken.remaining;
  options.weights.clear();
  const auto by_time = find_break(swapped, {}, options);
  if (!by_time || by_time->shape != Shape::straight) return false;
  for (std::size_t i = 0; i < amounts.size(); ++i) swapped[i].work = broken.samples[i].work;
  BreakOptions same = broken.no_break();
  same.weights = by_time->weights;
  const auto by_work = find_break(swapped, {}, same);
  return by_work && by_time->residual < by_work->residual;
}

Verdict verdict_on_one(const Broken& broken, const Column& column, const Linearity& with,
                       std::size_t candidates) {
  const std::vector<Column> columns{column};
  if (with.shape != Shape::straight) return Verdict::break_remains;
  if (!has_influence(broken, with, broken.options.level / (2 * static_cast<double>(candidates))))
    return Verdict::no_influence;
  if (with.delta < kLeastShareOfWork * cost_of_work(broken.first_order)) return Verdict::takes_over;
  if (scatters(broken, columns, with)) return Verdict::scatter_remains;
  if (log_ratio(with.residual, broken.first_order.residual, broken.samples.size()) > kWorse)
    return Verdict::worse_than_break;
  if (broken.twice &&
      log_ratio(with.residual, broken.twice->later.residual, broken.samples.size()) > kWorseThanTwo + 3)
    return Verdict::worse_than_break;
  return Verdict::enters;
}

Verdict verdict_on_pair(const Broken& broken, std::span<const Column> columns, const Linearity& with,
                        std::size_t pairs, double beside, double& p_value) {
  const std::size_t count = broken.samples.size();
  if (!has_influence(broken, with, student_level(broken, pairs)) || !matters(broken, columns, with))
    return Verdict::no_influence;
  if (with.delta < kLeastShareOfWork * least_cost(broken)) return Verdict::takes_over;
  if (with.noise > kLoosePair || any_scatters(broken, columns, with)) return Verdict::scatter_remains;
  if (log_ratio(with.residual, broken.first_order.residual, count) > 0 ||
      log_ratio(with.residual, beside, count) > kBeside)
    return Verdict::worse_than_break;
  if (broken.twice && log_ratio(with.residual, broken.twice->later.residual, count) > kWorseThanTwo)
    return Verdict::worse_than_break;
  const auto left = find_break(broken.samples, columns, broken.remaining);
  if (!left || !left->tested) return Verdict::break_remains;
  p_value = left->p_value;
  return left->shape == Shape::straight ? Verdict::enters : Verdict::break_remains;
}

std::optional<Linearity> beside_break(const Broken& broken, const Column& column) {
  auto with = find_break(broken.samples, std::vector<Column>{column}, broken.any_break());
  if (!with || with->shape == Shape::straight) return std::nullopt;
  return std::move(*with);
}

bool explains_part(const Broken& broken, const Column& column, const Linearity& with,
                   std::size_t candidates) {
  const std::size_t count = broken.samples.size();
  const std::vector<Column> alone{column};
  if (!has_influence(broken, with, student_level(broken, candidates)) || !matters(broken, alone, with))
    return false;
  if (with.delta < kLeastShareOfWork * least_cost(broken) || with.noise > kLoosePart ||
      any_scatters(broken, alone, with))
    return false;
  // the plain break fits as well without it
  if (log_ratio(broken.first_order.residual, with.residual, count) < kNeeded) return false;
  const auto two =
      find_break(broken.samples, std::vector<Column>{break_column(broken.samples, broken.first_order)},
                 broken.any_break());
  const double plain = std::min(two ? two->residual : broken.first_order.residual,
                                broken.twice ? broken.twice->later.residual : broken.first_order.residual);
  // a second plain break fits as well
  if (log_ratio(plain, with.residual, count) < kBetterThanTwo) return false;
  const auto left = find_break(
      broken.samples, std::vector<Column>{column, break_column(broken.samples, with)}, broken.remaining);
  return left && left->tested && left->shape == Shape::straight;
}

}  // namespace parcast::causes
