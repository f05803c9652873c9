// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "statistics/distribution.h"
#include "statistics/summary.h"

namespace parcast::predict {

Uncertainty::Sources::Sources(const Plan& plan)
    : segments(streaming + 1),
      counts(segments + plan.model->segments.size()),
      tables(counts + plan.fitted_counts),
      processor(tables + plan.misfit_of_table.size()),
      runs(processor + 1),
      end(runs + 1) {}

Uncertainty::Uncertainty(const Question& question, const Solution& solution)
    : Uncertainty(question, solution, SegmentDeviations(*solution.plan->model, question.level)) {}

Uncertainty::Uncertainty(const Question& question, const Solution& solution,
                         const SegmentDeviations& deviations)
    : question_(question),
      solution_(solution),
      plan_(*solution.plan),
      sources_(plan_),
      unvaried_(unvaried(*plan_.model, question.point)),
      errors_(solution.terms.size()) {
  for (std::size_t t = 0; t < plan_.contributions.all.size(); ++t) {
    add_count(t);
    add_streaming(t);
    if (!(solution.terms[t].value > 0)) continue;
    add_cost(t, deviations);
    add_table(t);
    add_machine(t);
  }
  if (const auto most = deviations.most_together(question.point)) narrow(*most);
}

// Each segment is fitted to few sizes, and the segments err together. What models without the largest runs
// missed bounds the width of their sum: docs/models/checks.md.
void Uncertainty::narrow(double most_together) {
  std::map<std::size_t, Deviation> of_segment;
  double value = 0, computing = 0;
  for (std::size_t t = 0; t < solution_.terms.size(); ++t) {
    value += solution_.terms[t].value;
    for (const auto& [source, deviation] : errors_[t].independent) {
      if (!sources_.is_segment(source)) continue;
      computing += solution_.terms[t].value;
      of_segment[source].low += deviation.low, of_segment[source].high += deviation.high;
    }
  }
  if (!(computing > 0) || !(value > 0)) return;
  RelatedSum above, below;  // below: of logarithms
  for (const auto& [source, deviation] : of_segment)
    above.add(deviation.high), below.add(-std::log(std::max(kLeastEnd, 1 - deviation.low / value)));
  const double related = plan_.model->between_runs.related;
  const auto ratio = [](double most, double width) { return width > most ? most / width : 1; };
  narrower_above_ = ratio(computing * std::expm1(most_together), above.root(related));
  narrower_below_ = ratio(-std::log1p(computing / value * std::expm1(-most_together)), below.root(related));
}

// The error reaches from no streaming to all that streaming could add.
void Uncertainty::add_streaming(std::size_t t) {
  const TermValue& term = solution_.terms[t];
  if (term.part != Term::Part::memory) return;
  const double most = detail(t, plan_.of_contribution[t].at_most, term.value);
  if (most > 0)
    errors_[t].independent.push_back({sources_.streaming, {term.value, std::max(0.0, most - term.value)}});
}

// The interval of the growth model, from the mixture of its hypotheses, for the complete segment.
void Uncertainty::add_cost(std::size_t t, const SegmentDeviations& deviations) {
  const TermValue& term = solution_.terms[t];
  if (term.segment < 0 || term.part == Term::Part::memory) return;
  const auto segment = static_cast<std::size_t>(term.segment);
  const program::Cost& cost = plan_.model->segments[segment].cost;
  if (cost.growth->hypotheses.empty()) return;
  std::vector<double> point;
  for (const std::size_t argument : plan_.of_segment[segment].arguments)
    point.push_back(std::max(0.0, detail(t, argument, 0)));
  if (!(cost.growth->predict(point) > 0)) return;
  const RelativeDeviation own = deviations.at(segment, point, unvaried_);
  errors_[t].independent.push_back(
      {sources_.segments + segment, {term.value * own.low, term.value * own.high}});
  std::vector<double> alternatives;
  for (const std::size_t alternative : plan_.of_segment[segment].cost_alternatives)
    alternatives.push_back(detail(t, alternative, NAN));
  const RelativeDeviation others = alternative_deviation(cost, point, alternatives);
  errors_[t].ambiguity.low += term.value * others.low;
  errors_[t].ambiguity.high += term.value * others.high;
  // Between runs of the same program all computing varies together.
  const double noise = plan_.quantile * plan_.run_deviation * term.value;
  if (noise > 0) errors_[t].independent.push_back({sources_.runs, {noise, noise}});
  const double spread = plan_.quantile * plan_.processor_spread * term.value;
  if (spread > 0) errors_[t].independent.push_back({sources_.processor, {spread, spread}});
}

void Uncertainty::add_count(std::size_t t) {
  const program::Count* count = plan_.contributions.all[t].count;
  if (!count) return;
  const TermValue& term = solution_.terms[t];
  if (plan_.fitted_count_of[t] != column::kNone) {
    const double half = plan_.quantile * count->relative_error * term.value;
    errors_[t].independent.push_back({sources_.counts + plan_.fitted_count_of[t], {half, half}});
  }
  const column::OfContribution& columns = plan_.of_contribution[t];
  if (columns.alternatives.empty()) return;
  const double value = detail(t, columns.count, 0);
  const double once = value > 0 ? term.value / value : detail(t, columns.per_count, 0);
  for (const std::size_t alternative : columns.alternatives) {
    const double change = once * (std::max(0.0, detail(t, alternative, value)) - value);
    Deviation& span = errors_[t].ambiguity;
    span.low = std::max(span.low, -change);
    span.high = std::max(span.high, change);
  }
}

// The relative error of a table, shared by all calls that it prices.
void Uncertainty::add_table(std::size_t t) {
  const std::size_t table = plan_.table_of[t];
  if (table == column::kNone) return;
  const double half = plan_.quantile * statistics::kNormalConsistency * plan_.misfit_of_table[table] *
                      solution_.terms[t].value;
  if (half > 0) errors_[t].independent.push_back({sources_.tables + table, {half, half}});
}

void Uncertainty::add_machine(std::size_t t) {
  for (const column::Slope& slope : plan_.of_contribution[t].slopes)
    if (const double value = detail(t, slope.seconds_per_unit, 0); value != 0)
      errors_[t].slopes.push_back({slope.parameter, value});
}

double Uncertainty::machine_deviation(std::span<const std::size_t> terms) const {
  const std::size_t count = plan_.uncertain.size();
  std::vector<double> gradient(count, 0.0);
  for (const std::size_t t : terms)
    for (const Slope& slope : errors_[t].slopes) gradient[slope.parameter] += slope.value;
  double variance = 0;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count && gradient[a] != 0; ++b)
      variance += gradient[a] * gradient[b] * plan_.covariance[a * count + b];
  return plan_.quantile * std::sqrt(std::max(0.0, variance));
}

Uncertainty::Width Uncertainty::width(std::span<const std::size_t> terms, Included included) const {
  std::vector<Deviation> together(sources_.end);
  Width out;
  double value = 0;
  for (const std::size_t t : terms) {
    value += solution_.terms[t].value;
    for (const auto& [source, deviation] : errors_[t].independent) {
      if (included == Included::of_program && !sources_.is_of_program(source)) continue;
      together[source].low += deviation.low;
      together[source].high += deviation.high;
    }
    out.ambiguity.low += errors_[t].ambiguity.low;
    out.ambiguity.high += errors_[t].ambiguity.high;
  }
  const double related = plan_.model->between_runs.related;
  const double least = narrower_below_ < 1 ? kLeastEnd : 0;  // an infinite width cannot be made narrower
  RelatedSum segments_above, segments_below, others_above, others_below;  // below: of logarithms
  const auto add = [&](const Deviation& deviation, bool of_segment, bool bounded) {
    (of_segment ? segments_above : others_above).add(deviation.high);
    if (!(value > 0)) return;
    // For a segment and for streaming, the lower deviation is bounded by the source itself. The other sources
    // are symmetric, and a time must stay positive: dividing by 1 + x replaces subtracting x.
    const double x = deviation.low / value;
    (of_segment ? segments_below : others_below)
        .add(bounded ? -std::log(std::max(least, 1 - x)) : std::log1p(x));
  };
  for (std::size_t source = 0; source < sources_.end; ++source) {
    const bool of_segment = sources_.is_segment(source);
    if (together[source].low != 0 || together[source].high != 0)
      add(together[source], of_segment, of_segment || source == sources_.streaming);
  }
  if (included == Included::all)
    if (const double machine = machine_deviation(terms); machine > 0) add({machine, machine}, false, false);
  out.above = std::hypot(others_above.root(0), narrower_above_ * segments_above.root(related));
  out.factor_below =
      std::exp(-std::hypot(others_below.root(0), narrower_below_ * segments_below.root(related)));
  return out;
}

Estimate Uncertainty::estimate(std::span<const std::size_t> terms) const {
  Estimate out;
  out.level = question_.level;
  for (const std::size_t t : terms) out.value += solution_.terms[t].value;
  // A time of zero is as certain as the counts that give it.
  out.origin = out.value > 0 ? Origin::symbolic : Origin::exact;
  for (const std::size_t t : terms) {
    const TermValue& term = solution_.terms[t];
    const auto streaming =
        std::ranges::find(errors_[t].independent, sources_.streaming, &Independent::source);
    const bool streams = streaming != errors_[t].independent.end();
    const double open = ambiguous_seconds(t) + (streams ? streaming->deviation.high : 0);
    if (out.value > 0 && std::abs(term.value) + open <= 1e-3 * out.value) continue;
    out.origin = weaker(out.origin, term.origin);
    if (out.value > 0 || streams) out.origin = weaker(out.origin, term.cost_origin);
  }
  const Width width = this->width(terms);
  out.low = std::max(0.0, out.value - width.ambiguity.low) * width.factor_below;
  out.high = out.value + width.ambiguity.high + width.above;
  return out;
}

std::vector<std::size_t> Uncertainty::all_terms() const {
  std::vector<std::size_t> all(solution_.terms.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

Estimate Uncertainty::estimate() const {
  return estimate(all_terms());
}

Estimate Uncertainty::of_program() const {
  Estimate out;
  out.level = question_.level;
  for (const TermValue& term : solution_.terms) out.value += term.value;
  const Width width = this->width(all_terms(), Included::of_program);
  out.low = std::max(0.0, out.value - width.ambiguity.low) * width.factor_below;
  out.high = out.value + width.ambiguity.high + width.above;
  return out;
}

MachineErrors Uncertainty::machine_errors() const {
  MachineErrors out;
  double value = 0;
  for (const TermValue& term : solution_.terms) value += term.value;
  if (!(value > 0)) return out;
  for (const Errors& errors : errors_) {
    for (const Slope& slope : errors.slopes)
      out.slopes[plan_.uncertain[slope.parameter].name] += slope.value / value;
    for (const auto& [source, deviation] : errors.independent) {
      const double part = deviation.high / plan_.quantile / value;
      if (source >= sources_.tables && source < sources_.processor)
        out.tables[plan_.machine->patterns[source - sources_.tables].name] += part;
      if (source == sources_.processor) out.processor += part;
    }
  }
  return out;
}

std::vector<double> Uncertainty::shares() const {
  std::vector<double> out;
  double sum = 0;
  for (std::size_t t = 0; t < solution_.terms.size(); ++t) {
    const Width own = width(std::span(&t, 1));
    const double below = solution_.terms[t].value * (1 - own.factor_below);
    const double half = (below + own.above + own.ambiguity.low + own.ambiguity.high) / 2;
    out.push_back(half * half);
    sum += half * half;
  }
  for (double& share : out) share = sum > 0 ? share / sum : 0;
  return out;
}

}  // namespace parcast::predict
