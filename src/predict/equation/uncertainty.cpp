// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/distribution.h"
#include "statistics/summary.h"

namespace parcast::predict {
namespace {

enum SourceKind { kStreaming, kSegment, kCount, kTable, kProcessor, kNoise, kMachine };

double value_or(const symbolic::Expression& expression, const symbolic::Binding& binding, double otherwise) {
  const auto value = symbolic::evaluate(expression, binding);
  return value ? *value : otherwise;
}

}  // namespace

Uncertainty::Uncertainty(const program::Model& model, const machine::Machine& machine, const Question& question,
                         const Solution& solution)
    : model_(model), machine_(machine), question_(question), solution_(solution),
      quantile_(statistics::normal_quantile(0.5 + question.level / 2)), unvaried_(unvaried(model, question.point)), parameters_(machine::cost_parameters(machine)),
      errors_(solution.terms.size()) {
  for (std::size_t t = 0; t < solution.contributions.all.size(); ++t) {
    add_count(t);
    add_streaming(t);
    if (!(solution.terms[t].value > 0)) continue;
    add_cost(t);
    add_table(t);
    add_machine(t);
  }
}

// The error reaches from no streaming to all that streaming could add.
void Uncertainty::add_streaming(std::size_t t) {
  const Term& term = solution_.terms[t];
  if (term.part != Term::Part::memory) return;
  const double most = value_or(solution_.contributions.all[t].at_most, solution_.bindings[solution_.chosen[t]], term.value);
  if (most > 0) errors_[t].independent[{kStreaming, 0}] = {term.value, std::max(0.0, most - term.value)};
}

// The interval of the growth model, from the mixture of its hypotheses, for the complete segment.
void Uncertainty::add_cost(std::size_t t) {
  const Term& term = solution_.terms[t];
  if (term.segment < 0 || term.part == Term::Part::memory) return;
  const program::Cost& cost = model_.segments[static_cast<std::size_t>(term.segment)].cost;
  if (cost.growth->hypotheses.empty()) return;
  std::vector<double> point;
  for (const symbolic::Expression& argument : cost.arguments)
    point.push_back(std::max(0.0, value_or(argument, solution_.bindings[solution_.chosen[t]], 0)));
  if (!(cost.growth->predict(point) > 0)) return;
  const RelativeDeviation own = cost_deviation(cost, point, question_.level, unvaried_);
  errors_[t].independent[{kSegment, term.segment}] = {term.value * own.low, term.value * own.high};
  const RelativeDeviation rivals = rival_deviation(cost, point, solution_.bindings[solution_.chosen[t]]);
  errors_[t].ambiguity.low += term.value * rivals.low;
  errors_[t].ambiguity.high += term.value * rivals.high;
  // Between runs of the same program all computing varies together.
  const double noise = quantile_ * run_deviation(model_, machine_, question_) * term.value;
  if (noise > 0) errors_[t].independent[{kNoise, 0}] = {noise, noise};
  const double spread = processor_spread(model_, machine_, question_);
  if (spread > 0) errors_[t].independent[{kProcessor, 0}] = {quantile_ * spread * term.value, quantile_ * spread * term.value};
}

std::int64_t Uncertainty::number_of(const symbolic::Expression& count) {
  return counts_.try_emplace(count, static_cast<std::int64_t>(counts_.size())).first->second;
}

void Uncertainty::add_count(std::size_t t) {
  const program::Count* count = solution_.contributions.all[t].count;
  if (!count) return;
  const Term& term = solution_.terms[t];
  if (count->origin == Origin::fitted && count->relative_error > 0) {
    const double half = quantile_ * count->relative_error * term.value;
    errors_[t].independent[{kCount, number_of(count->expression)}] = {half, half};
  }
  const symbolic::Binding& binding = solution_.bindings[solution_.chosen[t]];
  const double value = value_or(count->expression, binding, 0);
  const double once = value > 0 ? term.value / value : value_or(solution_.contributions.all[t].per_count, binding, 0);
  for (const symbolic::Expression& alternative : count->alternatives) {
    const double change = once * (std::max(0.0, value_or(alternative, binding, value)) - value);
    Deviation& span = errors_[t].ambiguity;
    span.low = std::max(span.low, -change);
    span.high = std::max(span.high, change);
  }
}

// The relative error of a table, shared by all calls that it prices.
void Uncertainty::add_table(std::size_t t) {
  for (std::size_t i = 0; i < machine_.patterns.size(); ++i) {
    const machine::PatternCost& cost = machine_.patterns[i];
    if (cost.name != solution_.contributions.all[t].table) continue;
    double misfit = 0;
    for (const auto& piece : cost.pieces) misfit = std::max(misfit, piece.relative_error);
    const double half = quantile_ * statistics::kNormalConsistency * misfit * solution_.terms[t].value;
    if (half > 0) errors_[t].independent[{kTable, static_cast<std::int64_t>(i)}] = {half, half};
  }
}

void Uncertainty::add_machine(std::size_t t) {
  const Term& term = solution_.terms[t];
  for (const symbolic::Expression& symbol : free_symbols(term.seconds)) {
    if (symbol.kind() != symbolic::SymbolKind::machine_cost) continue;
    // Computing on the machine of the recordings does not depend on its measured speed.
    if (symbol.name() == "core_speed" && !question_.recorded_machine) continue;
    const auto parameter = parameters_.find(symbol.name());
    if (parameter == parameters_.end() || !(parameter->second.standard_error > 0)) continue;
    const double slope = value_or(differentiate(term.seconds, symbol), solution_.bindings[solution_.chosen[t]], 0);
    if (slope != 0) errors_[t].gradient[symbol.name()] = slope;
  }
}

double Uncertainty::covariance(const std::string& a, const std::string& b) const {
  const double known = predict::covariance(machine_, a, b), error = parameters_.at(a).standard_error;
  return known == 0 && a == b ? error * error : known;
}

Uncertainty::Width Uncertainty::width(const std::vector<std::size_t>& terms, Sources sources) const {
  std::map<Source, Deviation> together;
  std::map<std::string, double> gradient;
  Width out;
  double value = 0;
  for (const std::size_t t : terms) {
    value += solution_.terms[t].value;
    for (const auto& [source, deviation] : errors_[t].independent) {
      if (sources == Sources::of_program && source.kind != kSegment && source.kind != kCount) continue;
      together[source].low += deviation.low;
      together[source].high += deviation.high;
    }
    if (sources == Sources::all)
      for (const auto& [name, slope] : errors_[t].gradient) gradient[name] += slope;
    out.ambiguity.low += errors_[t].ambiguity.low;
    out.ambiguity.high += errors_[t].ambiguity.high;
  }
  double variance = 0;
  for (const auto& [a, slope_a] : gradient)
    for (const auto& [b, slope_b] : gradient) variance += slope_a * slope_b * covariance(a, b);
  const double machine = quantile_ * std::sqrt(std::max(0.0, variance));
  if (machine > 0) together[{kMachine, 0}] = {machine, machine};
  const double related = model_.between_runs.related;
  RelatedSum segments_above, segments_below, others_above, others_below;  // below: of logarithms
  for (const auto& [source, deviation] : together) {
    const bool of_segment = source.kind == kSegment;
    (of_segment ? segments_above : others_above).add(deviation.high);
    if (!(value > 0)) continue;
    // For these two, the lower deviation is bounded by the source itself. The other sources are symmetric,
    // and a time must stay positive: dividing by 1 + x replaces subtracting x.
    const bool bounded = of_segment || source.kind == kStreaming;
    const double x = deviation.low / value;
    (of_segment ? segments_below : others_below).add(bounded ? -std::log(std::max(0.0, 1 - x)) : std::log1p(x));
  }
  out.above = std::hypot(others_above.root(0), segments_above.root(related));
  out.factor_below = std::exp(-std::hypot(others_below.root(0), segments_below.root(related)));
  return out;
}

Estimate Uncertainty::estimate(const std::vector<std::size_t>& terms) const {
  Estimate out;
  out.level = question_.level;
  for (const std::size_t t : terms) out.value += solution_.terms[t].value;
  // A time of zero is as certain as the counts that give it.
  out.origin = out.value > 0 ? Origin::symbolic : Origin::exact;
  for (const std::size_t t : terms) {
    const Term& term = solution_.terms[t];
    const Errors& errors = errors_[t];
    const auto streaming = errors.independent.find({kStreaming, 0});
    const double open = ambiguous_seconds(t) + (streaming == errors.independent.end() ? 0 : streaming->second.high);
    if (out.value > 0 && std::abs(term.value) + open <= 1e-3 * out.value) continue;
    out.origin = weaker(out.origin, term.origin);
    if (out.value > 0 || streaming != errors.independent.end()) out.origin = weaker(out.origin, term.cost_origin);
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

Estimate Uncertainty::estimate() const { return estimate(all_terms()); }

Estimate Uncertainty::of_program() const {
  Estimate out;
  out.level = question_.level;
  for (const Term& term : solution_.terms) out.value += term.value;
  const Width width = this->width(all_terms(), Sources::of_program);
  out.low = std::max(0.0, out.value - width.ambiguity.low) * width.factor_below;
  out.high = out.value + width.ambiguity.high + width.above;
  return out;
}

MachineErrors Uncertainty::machine_errors() const {
  MachineErrors out;
  double value = 0;
  for (const Term& term : solution_.terms) value += term.value;
  if (!(value > 0)) return out;
  for (const Errors& errors : errors_) {
    for (const auto& [name, slope] : errors.gradient) out.slopes[name] += slope / value;
    for (const auto& [source, deviation] : errors.independent) {
      const double part = deviation.high / quantile_ / value;
      if (source.kind == kTable) out.tables[machine_.patterns[static_cast<std::size_t>(source.number)].name] += part;
      if (source.kind == kProcessor) out.processor += part;
    }
  }
  return out;
}

std::vector<double> Uncertainty::shares() const {
  std::vector<double> out;
  double sum = 0;
  for (std::size_t t = 0; t < solution_.terms.size(); ++t) {
    const Width own = width({t});
    const double below = solution_.terms[t].value * (1 - own.factor_below);
    const double half = (below + own.above + own.ambiguity.low + own.ambiguity.high) / 2;
    out.push_back(half * half);
    sum += half * half;
  }
  for (double& share : out) share = sum > 0 ? share / sum : 0;
  return out;
}

}  // namespace parcast::predict
