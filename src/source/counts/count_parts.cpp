// SPDX-License-Identifier: Apache-2.0
#include "source/counts/count_parts.h"

#include <algorithm>
#include <cmath>

#include "symbolic/rational.h"

namespace parcast::program {

using symbolic::Expression;
using symbolic::Rational;

namespace {

// Returns a / b exactly, or as a real number if it does not fit.
Expression quotient(std::uint64_t a, std::uint64_t b) {
  const auto exact = a <= INT64_MAX && b <= INT64_MAX
                         ? Rational::make(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b))
                         : std::nullopt;
  return exact ? Expression(*exact) : symbolic::real(static_cast<double>(a) / static_cast<double>(b));
}

}  // namespace

PerSighting CountParts::visits() const {
  return [this](std::size_t o) { return sightings_[o]->visits; };
}

bool CountParts::same(const PerSighting& a, const PerSighting& b) const {
  for (std::size_t o = 0; o < sightings_.size(); ++o)
    if (a(o) != b(o)) return false;
  return true;
}

SourceCount CountParts::part_of(const PerSighting& some, const PerSighting& all, bool forced) const {
  std::uint64_t sum = 0, of = 0;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> first;
  bool constant = true;
  for (std::size_t o = 0; o < sightings_.size(); ++o) {
    const std::uint64_t a = some(o), b = all(o);
    sum += a, of += b;
    if (a == 0 && b == 0) continue;
    using Exact = long double;
    if (!first) first = {a, b};
    constant = constant && static_cast<Exact>(first->first) * static_cast<Exact>(b) ==
                               static_cast<Exact>(a) * static_cast<Exact>(first->second);
  }
  if (of == 0) return {0, sum == 0 ? CountTier::as_seen : CountTier::measured};
  const bool is_whole = sum == of || sum == 0;
  const CountTier tier = !constant   ? CountTier::measured
                         : !is_whole ? CountTier::constant
                         : forced    ? CountTier::symbolic
                                     : CountTier::as_seen;
  return {quotient(sum, of), tier};
}

SourceCount CountParts::steady(SourceCount part, bool by_data) const {
  if (!by_data && part.tier == CountTier::constant && recognition_.all_varied())
    part.tier = CountTier::recognised;
  return part;
}

SourceCount CountParts::find_part(const PerSighting& some, const PerSighting& all,
                                  const PartOfTotal& part_of_total, bool by_data,
                                  std::optional<double> most) {
  SourceCount part = steady(recognised_part(some, all, part_of_total, by_data), by_data);
  if (part.tier < CountTier::measured || !recognition_.grows()) return part;
  return grown(std::move(part), by_sighting(some), by_sighting(all), most);
}

SourceCount CountParts::grown(SourceCount mean, const std::vector<double>& some,
                              const std::vector<double>& all, std::optional<double> most) const {
  const auto growth = recognition_.growth(some, all, most);
  mean.bits += growth ? growth->bits : kSeldom;
  if (growth && !growth->constant) mean.value = growth->ratio;
  if (growth) mean = with_alternatives(std::move(mean), growth->alternatives);
  if (!growth)
    if (const auto of_largest = recognition_.ratio_at_largest(some, all))
      mean.value = symbolic::real(*of_largest);
  return mean;
}

SourceCount CountParts::recognised_part(const PerSighting& some, const PerSighting& all,
                                        const PartOfTotal& part_of_total, bool by_data) {
  const SourceCount part = part_of(some, all);
  if (part.tier < CountTier::constant) return part;
  Recognition::Values each, total, total_per_visit;
  for (std::size_t o = 0; o < sightings_.size(); ++o) {
    const std::uint64_t a = some(o), b = all(o), visits = sightings_[o]->visits;
    each.push_back(b == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(a % b == 0 ? a / b : 0)));
    if (b != 0 && a % b != 0) each.back() = -1;
    total.push_back(static_cast<std::int64_t>(a));
    total_per_visit.push_back(visits > 0 && a % visits == 0 ? static_cast<std::int64_t>(a / visits) : -1);
  }
  const auto is_whole = [](const auto& values) { return std::ranges::find(values, -1) == values.end(); };
  // If the quotient is the same everywhere, only sizes are tried: an input that did not vary may be part of
  // it.
  if (is_whole(each)) {
    if (part.tier == CountTier::constant) {
      const auto size = recognition_.count_as_size(each);
      if (!size) return part;
      ambiguous_ = true;  // it may also be a constant
      return with_alternatives({size->expression, by_data ? CountTier::constant : CountTier::recognised},
                               others_of(*size));
    }
    if (const auto found = recognition_.count(each)) return recognised(*found);
  }
  if (part.tier == CountTier::constant) return part;
  if (is_whole(total_per_visit))
    if (const auto found = recognition_.count(total_per_visit)) {
      return part_of_total(recognised(*found));
    }
  if (around_.visits)
    if (const auto found = recognition_.count(total)) {
      return part_of_total(recognised(*found) / SourceCount{*around_.visits});
    }
  return part;
}

std::optional<SourceCount> CountParts::in_proportion(const SourceCount& with,
                                                     const PerSighting& count) const {
  const auto scale = scale_of(with.value, count);
  if (!scale) return std::nullopt;
  const SourceCount mean{*scale, CountTier::measured};
  if (!recognition_.grows()) return with * mean;
  std::vector<double> some, all;
  for (std::size_t o = 0; o < sightings_.size(); ++o) {
    some.push_back(static_cast<double>(count(o)));
    all.push_back(symbolic::evaluate(with.value, sightings_[o]->values).value() *
                  static_cast<double>(sightings_[o]->visits));
  }
  return with * grown(mean, some, all);
}

SourceCount CountParts::recognised(const Recognition::Found& found) {
  ambiguous_ = ambiguous_ || found.ambiguous;
  return with_alternatives({found.expression, CountTier::recognised}, others_of(found));
}

// Returns the alternatives that differ from the formula at other points.
std::vector<Expression> CountParts::others_of(const Recognition::Found& found) const {
  std::vector<Expression> others;
  for (const Expression& alternative : found.alternatives)
    if (others.size() < kHypotheses && recognition_.differ(alternative, found.expression))
      others.push_back(alternative);
  return others;
}

std::optional<SourceCount> CountParts::with_program(const PerSighting& count) const {
  const std::vector<double> counted = by_sighting(count);
  if (!recognition_.only_at_largest(counted)) return std::nullopt;
  std::vector<double> whole;
  for (const Sighting* sighting : sightings_) {
    const auto all = around_.whole.find(sighting);
    whole.push_back(all == around_.whole.end() ? 0 : all->second);
  }
  const auto part = recognition_.ratio_at_largest(counted, whole);
  const auto growth = recognition_.growth(whole, by_sighting(visits()));
  if (!part || !growth) return std::nullopt;
  return SourceCount{symbolic::real(*part), CountTier::measured, kSeldom} *
         with_alternatives({growth->ratio, CountTier::measured, growth->bits}, growth->alternatives);
}

SourceCount CountParts::with_trend(SourceCount given, const PerSighting& count) const {
  std::vector<double> counted, values;
  for (std::size_t o = 0; o < sightings_.size(); ++o) {
    const auto value = symbolic::evaluate(given.value, sightings_[o]->values);
    if (!value) return given;
    counted.push_back(static_cast<double>(count(o)));
    values.push_back(*value * static_cast<double>(sightings_[o]->visits));
  }
  if (const auto trend = recognition_.trend(counted, values)) given = given * SourceCount{*trend};
  return given;
}

std::vector<double> CountParts::by_sighting(const PerSighting& count) const {
  std::vector<double> all;
  for (std::size_t o = 0; o < sightings_.size(); ++o) all.push_back(static_cast<double>(count(o)));
  return all;
}

bool CountParts::agrees(const Expression& per_visit, const PerSighting& counts) const {
  for (std::size_t o = 0; o < sightings_.size(); ++o) {
    const auto value = symbolic::evaluate(per_visit, sightings_[o]->values);
    if (!value) return false;
    const double count = static_cast<double>(counts(o));
    if (std::abs(*value * static_cast<double>(sightings_[o]->visits) - count) > 1e-12 * count + 1e-6)
      return false;
  }
  return true;
}

std::optional<Expression> CountParts::scale_of(const Expression& per_visit, const PerSighting& counts) const {
  double sum = 0, expected = 0;
  for (std::size_t o = 0; o < sightings_.size(); ++o) {
    const auto value = symbolic::evaluate(per_visit, sightings_[o]->values);
    if (!value || !(*value >= 0)) return std::nullopt;
    sum += static_cast<double>(counts(o));
    expected += *value * static_cast<double>(sightings_[o]->visits);
  }
  if (!(expected > 0) || !(sum > 0)) return std::nullopt;
  return std::abs(sum / expected - 1) < 1e-9 ? Expression(1) : symbolic::real(sum / expected);
}

bool CountParts::finite(const Expression& per_visit) const {
  return std::ranges::all_of(sightings_, [&](const Sighting* s) {
    const auto value = symbolic::evaluate(per_visit, s->values);
    return value && std::isfinite(*value) && *value >= 0;
  });
}

}  // namespace parcast::program
