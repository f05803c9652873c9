// SPDX-License-Identifier: Apache-2.0
#include "causes/refine.h"

#include <algorithm>
#include <cmath>

#include "statistics/distribution.h"

namespace parcast::causes {
namespace {

// Likelihood ratios of relations with as many costs are (residual / residual)^(samples / 2).
constexpr double kToldApart = 6;         // 2 ln 20: the other is 20 times less likely
constexpr double kWorse = 10;            // the break's place was chosen as well, which is worth about two costs
constexpr double kRemaining = 0.2;       // a true cause is turned down at this part of the level at which breaks are found
constexpr double kScatterLevel = 0.01;
constexpr double kLeastShareOfWork = 0.5;
constexpr double kRounding = 1e-18;      // sum of squares below which residuals are those of arithmetic

double log_ratio(double worse, double better, std::size_t samples) {
  return static_cast<double>(samples) * std::log(std::max(worse, kRounding) / std::max(better, kRounding));
}

bool before_break(const Sample& sample, const Linearity& first_order) {
  return (first_order.shape == Shape::step_in_processes ? sample.processes : sample.work) <= first_order.last_linear;
}

/// Whether times scatter more behind the break than before it, by the F test of two variances.
bool scatters(std::span<const Sample> samples, const Column& column, const Linearity& first_order, const Linearity& with) {
  double before = 0, behind = 0;
  std::size_t count_before = 0, count_behind = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double deviation = first_order.weights[i] * (1 - (with.delta * samples[i].work + with.others[0] * column[i]) / samples[i].seconds);
    (before_break(samples[i], first_order) ? before : behind) += deviation * deviation;
    ++(before_break(samples[i], first_order) ? count_before : count_behind);
  }
  if (count_before < 2 || count_behind == 0 || behind <= kRounding) return false;
  const auto degrees_before = static_cast<double>(count_before - 1), degrees_behind = static_cast<double>(count_behind);
  const double ratio = (behind / degrees_behind) / (std::max(before, kRounding) / degrees_before);
  return statistics::f_tail(ratio, degrees_behind, degrees_before) < kScatterLevel;
}

Verdict verdict_on(std::span<const Sample> samples, const Column& column, const Linearity& first_order, const Linearity& with, std::size_t candidates,
                   const BreakOptions& options) {
  const auto degrees = static_cast<double>(samples.size()) - 2;
  const double least = statistics::student_t_quantile(1 - options.level / (2 * static_cast<double>(candidates)), degrees);
  if (with.shape != Shape::straight) return Verdict::break_remains;
  if (!(with.others[0] > least * with.other_errors[0])) return Verdict::no_influence;
  if (with.delta < kLeastShareOfWork * std::min(first_order.delta, first_order.delta_beyond)) return Verdict::takes_over;
  if (scatters(samples, column, first_order, with)) return Verdict::scatter_remains;
  if (log_ratio(with.residual, first_order.residual, samples.size()) > kWorse) return Verdict::worse_than_break;
  return Verdict::enters;
}

/// All candidates are judged by the weights of the relation without them, so that their residuals can be compared.
BreakOptions of_remaining(const BreakOptions& options, const Linearity& first_order) {
  BreakOptions out = options;
  out.level *= kRemaining;
  out.weights = first_order.weights;
  return out;
}

/// The relation with one candidate; its costs are those without a break even where one remains.
Tried try_one(std::span<const Sample> samples, const Candidate& candidate, const Linearity& first_order, std::size_t candidates, const BreakOptions& options) {
  Tried tried{.name = candidate.name};
  if (std::any_of(candidate.amounts.begin(), candidate.amounts.end(), [](double amount) { return !std::isfinite(amount); })) return tried;
  const Column column = regressor(candidate, samples);
  tried.verdict = Verdict::no_influence;
  tried.residual = first_order.straight_residual;
  if (std::all_of(column.begin(), column.end(), [](double amount) { return amount == 0; })) return tried;
  const std::vector<Column> others{column};
  const auto with = find_break(samples, others, of_remaining(options, first_order));
  if (!with || !std::isfinite(with->other_errors[0])) return tried;
  tried.delta = with->others[0];
  tried.standard_error = with->other_errors[0];
  tried.p_value = with->p_value;
  tried.noise = with->noise;
  tried.residual = with->residual;
  tried.verdict = verdict_on(samples, column, first_order, *with, candidates, options);
  return tried;
}

/// Of two that enter, of which one is known to bring about the other, the other tells nothing more.
void turn_down_effects(std::vector<Tried>& tried, const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> effects;
  for (std::size_t i = 0; i < tried.size(); ++i)
    for (const Tried& cause : tried)
      if (tried[i].verdict == Verdict::enters && cause.verdict == Verdict::enters && cause.name == candidates[i].effect_of) effects.push_back(i);
  for (const std::size_t i : effects) tried[i].verdict = Verdict::effect;
}

/// The best of those that enter, if the next one is much less likely; otherwise none enters.
std::optional<std::size_t> decide(std::vector<Tried>& tried, std::size_t samples) {
  std::vector<std::size_t> entering;
  for (std::size_t i = 0; i < tried.size(); ++i)
    if (tried[i].verdict == Verdict::enters) entering.push_back(i);
  if (entering.empty()) return std::nullopt;
  const std::size_t best = *std::min_element(entering.begin(), entering.end(), [&](std::size_t a, std::size_t b) { return tried[a].residual < tried[b].residual; });
  bool alone = true;
  for (const std::size_t i : entering) {
    if (i == best) continue;
    const bool close = log_ratio(tried[i].residual, tried[best].residual, samples) < kToldApart;
    tried[i].verdict = close ? Verdict::not_told_apart : Verdict::less_likely;
    alone &= !close;
  }
  if (alone) return best;
  tried[best].verdict = Verdict::not_told_apart;
  return std::nullopt;
}

}  // namespace

Column regressor(const Candidate& candidate, std::span<const Sample> samples) {
  if (candidate.role != Role::speed) return candidate.amounts;
  Column column;
  const double fastest = *std::max_element(candidate.amounts.begin(), candidate.amounts.end());
  for (std::size_t i = 0; i < samples.size(); ++i)
    column.push_back(candidate.amounts[i] > 0 ? samples[i].work * (fastest / candidate.amounts[i] - 1) : 0);
  return column;
}

Result<Refinement> refine(std::span<const Sample> samples, const std::vector<Candidate>& candidates, const BreakOptions& options) {
  Refinement out;
  PARCAST_ASSIGN(out.first_order, find_break(samples, {}, options));
  out.refined = out.first_order;
  if (!out.broken()) return out;
  for (const Candidate& candidate : candidates)
    out.tried.push_back(try_one(samples, candidate, out.first_order, candidates.size(), options));
  turn_down_effects(out.tried, candidates);
  out.cause = decide(out.tried, samples.size());
  if (!out.cause) return out;
  const std::vector<Column> others{regressor(candidates[*out.cause], samples)};
  PARCAST_ASSIGN(out.refined, find_break(samples, others, of_remaining(options, out.first_order)));
  return out;
}

}  // namespace parcast::causes
