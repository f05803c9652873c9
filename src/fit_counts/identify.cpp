// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/identify.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/text.h"
#include "fit_counts/evidence.h"
#include "model/binding.h"
#include "model/run_options.h"

namespace parcast::program {
namespace {

using symbolic::Expression;
using symbolic::Rational;

constexpr std::size_t kMostForms = 160;
// Forms with more bits than this beyond the best are not reported as alternatives.
constexpr double kAlternativeBits = 5;
constexpr double kNegativeBits = 6;  // added to a form that gives negative counts somewhere
// Of a form, each time that its growth from p to kFurther p differs from the expected one by a factor of two.
constexpr double kGrowthBits = 1;
constexpr std::int32_t kFurther = 8;

// Returns a fixed sequence of points, inside and beyond the data, at which functions are compared.
std::vector<Point> make_probe_points(const Design& design) {
  constexpr int kPoints = 40;
  constexpr std::int32_t kProcesses[]{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 20, 25, 30, 36};
  std::vector<Point> points;
  if (design.groups.empty()) return points;  // no process was recorded to its end
  std::uint64_t state = 88172645463325252ULL;
  const auto next = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  for (int i = 0; i < kPoints; ++i) {
    Point point;
    point.processes = kProcesses[static_cast<std::size_t>(i) % std::size(kProcesses)];
    for (std::size_t v = 0; v < design.parameters.size(); ++v) {
      const auto values = design.values(v);
      double value = values.front();
      if (design.whole[v] && values.size() > 1) {
        const auto span =
            static_cast<std::uint64_t>(std::max(4 * values.back(), values.back()) - values.front()) + 1;
        value = values.front() + static_cast<double>(next() % span);
      }
      point.parameters[design.parameters[v]] = value;
    }
    points.push_back(std::move(point));
  }
  return points;
}

// Returns half of the smallest recorded problems, on the fewest processes: a count must not be negative there
// either.
std::vector<Point> make_smaller_points(const Design& design) {
  constexpr double kLeast = 4;  // the smallest sizes of a problem are often special
  std::vector<Point> points;
  if (design.groups.empty()) return points;
  Point recorded{{}, static_cast<std::int32_t>(design.values(design.parameters.size()).front())};
  for (std::size_t v = 0; v < design.parameters.size(); ++v)
    recorded.parameters[design.parameters[v]] = design.values(v).front();
  Point all = recorded;
  for (std::size_t v = 0; v < design.parameters.size(); ++v) {
    const double value = std::floor(design.values(v).front() / 2);
    if (!design.whole[v] || design.values(v).size() < 2 || value < kLeast) continue;
    points.push_back(recorded);
    points.back().parameters[design.parameters[v]] = all.parameters[design.parameters[v]] = value;
  }
  points.push_back(std::move(all));
  return points;
}

std::vector<double> ordered(const Point& point, const Design& design) {
  std::vector<double> values;
  for (const std::string& name : design.parameters) values.push_back(point.parameters.at(name));
  return values;
}

/// Replaces extents by 1, and their coordinates by 0, where an extent was 1 in all runs and no recording
/// holds its grid. The runs show no effect of such an extent.
Expression without_unseen_extents(const Expression& count, const Design& design) {
  symbolic::Substitution unseen;
  for (int d = 2; d <= kMostDimensions; ++d) {
    if (std::ranges::any_of(design.grids, [&](const ProcessGrid& grid) { return grid.dimensions == d; }))
      continue;
    for (int k = 0; k < d; ++k)
      if (std::ranges::all_of(design.cells, [&](const Cell& cell) { return cell.place.extents[d][k] == 1; }))
        unseen.try_emplace(extent_symbol(d, k).name(), 1),
            unseen.try_emplace(coordinate_symbol(d, k).name(), 0);
  }
  Expression out = substitute(count, unseen);
  if (out == count) return count;
  std::map<Expression, Expression> whole;  // floor and ceil of a whole parameter are the parameter
  for (std::size_t v = 0; v < design.parameters.size(); ++v) {
    if (!design.whole[v]) continue;
    const Expression parameter = parameter_symbol(design.parameters[v]);
    whole.try_emplace(symbolic::floor(parameter), parameter);
    whole.try_emplace(symbolic::ceil(parameter), parameter);
  }
  return symbolic::replace_parts(out, whole);
}

Expression expression_of(const Form& form, const FeatureTable& table) {
  Expression sum = form.constant;
  for (std::size_t i = 0; i < form.features.size(); ++i)
    sum = sum + Expression(form.coefficients[i]) *
                    expression_of(table.feature(form.features[i]), table.design().parameters);
  return without_unseen_extents(sum, table.design());
}

Point recorded_point(const Group& group, const Design& design) {
  Point point{{}, group.processes};
  for (std::size_t v = 0; v < design.parameters.size(); ++v)
    point.parameters[design.parameters[v]] = group.parameters[v];
  return point;
}

std::optional<Rational> part(const Rational& coefficient, std::int64_t by) {
  const auto quotient = symbolic::divide(coefficient, Rational(by));
  if (!quotient || quotient->denominator() != coefficient.denominator()) return std::nullopt;
  return quotient;
}

double divided_dimensions(const Place& place, int dimensions) {
  const auto& extents = place.extents[static_cast<std::size_t>(dimensions)];
  return static_cast<double>(
      std::count_if(extents.begin(), extents.begin() + dimensions, [](auto extent) { return extent > 1; }));
}

double whole_number_bits(std::int64_t number) {
  return number == 0 ? 0 : 0.5 + 0.6 * std::log2(std::abs(static_cast<double>(number)));
}

// Returns how many numbers the form has of its own: a common factor, others than 1, a constant.
std::size_t own_numbers(const Form& form) {
  std::int64_t common = std::abs(form.constant.numerator());
  for (const Rational& c : form.coefficients) common = std::gcd(common, c.numerator());
  std::size_t count = (common > 1 ? 1 : 0) + (form.constant == Rational(0) ? 0 : 1);
  for (const Rational& c : form.coefficients)
    if (!c.is_integer() || std::abs(c.numerator()) != common) ++count;
  return count;
}

// Returns whether a formula that is the same on all ranks explains nothing: it has as many numbers as a list
// of the counts in which each is given by its difference from the one before, if it differs, and is no
// shorter.
bool is_a_list(const Form& form, const Design& design, std::span<const std::int64_t> values) {
  constexpr double kEqualBits = 1;
  double bits = 0;
  std::size_t numbers = 0;
  std::int64_t before = 0;
  for (const Group& group : design.groups) {
    const std::int64_t step = values[group.first_cell] - before;
    numbers += step != 0, bits += step != 0 ? whole_number_bits(step) : kEqualBits;
    before = values[group.first_cell];
  }
  return !form.features.empty() && own_numbers(form) >= numbers && form.bits >= bits;
}

}  // namespace

struct Identifier::Candidate {
  Form form;
  const FeatureTable* table = nullptr;
  Expression expression{};
  double bits = 0;
  double growth_bits = 0;                           // for growth with p that no recording shows
  bool whole = true;                                // at every probe
  bool hides_unvaried = false;                      // the expression has a factor that the form lacks
  std::vector<std::optional<ExactValue>> values{};  // at the probes

  std::optional<double> value_at(const Place& place, const std::vector<std::string>& names) const;
};

std::optional<double> Identifier::Candidate::value_at(const Place& place,
                                                      const std::vector<std::string>& names) const {
  if (!hides_unvaried) {
    const auto value = program::value_at(form, *table, place);
    if (!value) return std::nullopt;
    return static_cast<double>(value->numerator) / static_cast<double>(value->denominator);
  }
  const std::vector<double> parameters(place.parameters.begin(), place.parameters.end());
  const auto value = symbolic::evaluate(expression, binding_of(place, names, parameters));
  return value ? std::optional<double>(*value) : std::nullopt;
}

Identifier::Identifier(Design design)
    : design_(std::move(design)), probe_points_(make_probe_points(design_)) {
  for (const Group& group : design_.groups) {
    if (group.cell_count != static_cast<std::size_t>(group.processes)) continue;
    recorded_.push_back(recorded_point(group, design_));
  }
  lattice_ = lattice_of(recorded_);
  for (const Point& point : probe_points_)
    for (const std::int32_t rank : sampled_ranks(point.processes))
      probes_.push_back(place_at(ordered(point, design_), point.processes, rank, design_.grids));
  for (const Point& point : make_smaller_points(design_))
    for (const std::int32_t rank : sampled_ranks(point.processes))
      smaller_.push_back(place_at(ordered(point, design_), point.processes, rank, design_.grids));
}

Identifier::~Identifier() = default;

const FeatureTable& Identifier::table(bool with_rank) {
  auto& slot = tables_[with_rank];
  if (!slot) slot = std::make_unique<FeatureTable>(design_, with_rank);
  return *slot;
}

bool Identifier::same_on_all_ranks(const std::vector<std::int64_t>& values) const {
  for (const Group& group : design_.groups)
    for (std::size_t k = 1; k < group.cell_count; ++k)
      if (values[group.first_cell + k] != values[group.first_cell]) return false;
  return true;
}

const std::optional<Identified>& Identifier::identify(const std::vector<std::int64_t>& values,
                                                      Effort effort) {
  for (const Effort done : {Effort::triples, effort})
    if (const auto known = known_.find({done, values}); known != known_.end()) return known->second;
  return known_.emplace(std::pair(effort, values), search(values, effort)).first->second;
}

Identifier::Candidate Identifier::make_candidate(const Form& form, const FeatureTable& table) const {
  Candidate candidate{form, &table, expression_of(form, table), form.bits};
  bool negative = false;
  for (const Place& probe : probes_) {
    auto value = value_at(form, table, probe);
    if (!value || !value->whole()) candidate.whole = false;
    if (value && value->numerator < 0) negative = true;
    candidate.values.push_back(value);
  }
  for (const Place& place : smaller_)
    if (const auto value = value_at(form, table, place); value && value->numerator < 0) negative = true;
  if (negative) candidate.bits += kNegativeBits;
  if (!candidate.whole) candidate.bits += kFractionBits;
  return candidate;
}

// Returns the forms as functions: forms that agree at every probe are one candidate.
std::vector<Identifier::Candidate> Identifier::candidates(const std::vector<Form>& forms,
                                                          const FeatureTable& table) const {
  std::vector<Candidate> all;
  const auto same = [](const Candidate& a, const Candidate& b) {
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      if (a.values[i].has_value() != b.values[i].has_value()) return false;
      if (a.values[i] && a.values[i]->numerator * b.values[i]->denominator !=
                             b.values[i]->numerator * a.values[i]->denominator)
        return false;
    }
    return true;
  };
  for (const Form& form : forms) {
    Candidate candidate = make_candidate(form, table);
    const bool known = std::any_of(all.begin(), all.end(), [&](const Candidate& c) {
      return c.expression == candidate.expression || same(c, candidate);
    });
    if (!known) all.push_back(std::move(candidate));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.bits < b.bits; });
  // Counts are whole numbers: forms with fractions are kept only if those without are far longer.
  if (!all.empty() && all.front().whole) std::erase_if(all, [](const Candidate& c) { return !c.whole; });
  if (!all.empty())
    std::erase_if(all, [&](const Candidate& c) { return c.bits > all.front().bits + kAlternativeBits; });
  return all;
}

// Adds readings in which a parameter that never varied is a factor. It may hide in every number that it
// divides, or that differs from such a number by one or two.
void Identifier::add_unvaried(const Form& form, const FeatureTable& table,
                              std::vector<Candidate>& all) const {
  for (std::size_t v = 0; v < design_.variables(); ++v) {
    const auto values = design_.values(v);
    if (values.size() != 1 || values[0] < 2 || values[0] != std::floor(values[0]) || values[0] > 1e9)
      continue;
    if (v < design_.parameters.size() && !design_.whole[v]) continue;
    const auto fixed = static_cast<std::int64_t>(values[0]);
    const Expression symbol =
        v < design_.parameters.size() ? parameter_symbol(design_.parameters[v]) : processes_symbol();
    const auto offer = [&](const Form& reduced, const Expression& expression, double extra) {
      Candidate candidate{reduced, &table, expression, 0};
      double bits = 2 + extra;
      for (const std::size_t f : reduced.features) bits += table.feature(f).bits;
      const auto number = [](const Rational& c) {
        return c == Rational(0)
                   ? 0
                   : 0.5 + 0.6 * std::log2(std::abs(c.to_double() * static_cast<double>(c.denominator())));
      };
      for (const Rational& c : reduced.coefficients) bits += number(c);
      candidate.bits = bits + number(reduced.constant);
      candidate.hides_unvaried = true;
      all.push_back(std::move(candidate));
    };
    Form whole = form;
    bool divisible = true;
    for (Rational* c : [&] {
           std::vector<Rational*> list{&whole.constant};
           for (Rational& k : whole.coefficients) list.push_back(&k);
           return list;
         }()) {
      const auto quotient = part(*c, fixed);
      if (quotient)
        *c = *quotient;
      else
        divisible = false;
    }
    if (divisible) offer(whole, symbol * expression_of(whole, table), 0);
    if (!form.constant.is_integer() || form.constant.numerator() <= 0) continue;
    for (const std::int64_t offset : {0, -1, 1, -2, 2}) {
      const std::int64_t base = form.constant.numerator() - offset;
      if (base < fixed || base % fixed != 0 || (offset == 0 && form.features.empty())) continue;
      Form reduced = form;
      reduced.constant = Rational(base / fixed);
      Form rest = form;
      rest.constant = Rational(offset);
      offer(reduced, expression_of(rest, table) + symbol * Expression(base / fixed),
            offset == 0 ? 0 : 1.5 + std::abs(offset));
    }
  }
}

// Returns the candidates that are reported besides the best, ascending. These are the shortest ones and those
// with extreme values beyond the data, so that the interval spans all candidates.
std::vector<std::size_t> Identifier::given(const std::vector<Candidate>& all) const {
  std::vector<std::size_t> wins(all.size(), 0);
  for (const Place& probe : probes_) {
    std::size_t least = all.size(), most = all.size();
    double low = 0, high = 0;
    for (std::size_t c = 0; c < all.size(); ++c) {
      const auto value = all[c].value_at(probe, design_.parameters);
      if (!value) continue;
      if (least == all.size() || *value < low) low = *value, least = c;
      if (most == all.size() || *value > high) high = *value, most = c;
    }
    if (least < all.size() && low < high) ++wins[least], ++wins[most];
  }
  std::vector<std::size_t> order(all.empty() ? 0 : all.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{1});
  if (order.size() > kMostAlternatives) {
    const auto extremes = order.begin() + kMostAlternatives / 2;
    std::stable_sort(extremes, order.end(), [&](std::size_t a, std::size_t b) { return wins[a] > wins[b]; });
    order.resize(kMostAlternatives);
    std::sort(order.begin(), order.end());
  }
  return order;
}

std::optional<Identified> Identifier::search(const std::vector<std::int64_t>& values, Effort effort) {
  if (design_.cells.empty()) return std::nullopt;
  const FeatureTable& features = table(!same_on_all_ranks(values));
  const std::vector<Form> forms = features.search(values, kMostForms, effort);
  if (forms.empty() || (!features.with_rank() && is_a_list(forms.front(), design_, values)))
    return std::nullopt;
  std::vector<Candidate> all = candidates(forms, features);
  add_unvaried(Form(all.front().form), features, all);
  if (!features.with_rank()) add_unseen_growth(all);
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.bits + a.growth_bits < b.bits + b.growth_bits;
  });
  keep_first_of_equal(all);

  Identified result;
  const Candidate best = all.front();
  const auto open = unestablished_variables(best.form, features, values);
  result.count.expression = best.expression;
  result.bits = best.bits;
  for (const std::size_t f : best.form.features) result.features.push_back(features.feature(f));
  for (const std::size_t i : given(all)) result.count.alternatives.push_back(all[i].expression);
  const bool resolved = open.empty() && all.size() == 1 && best.whole;
  const bool bare = design_.groups.size() == 1 && all.size() == 1 && best.form.features.empty();
  result.count.origin = resolved && lattice_.everywhere() ? Origin::exact
                        : bare                            ? Origin::constant
                                                          : Origin::ambiguous;
  if (resolved) {
    if (result.count.origin != Origin::exact)
      result.count.advice = advice_off(lattice_, recorded_) + " would show what remainders do";
    return result;
  }
  result.count.advice = advice(all, open, values);
  std::vector<std::size_t> open_all;
  const bool alternatives_omitted = all.size() > 1 + result.count.alternatives.size();
  for (std::size_t v = 0; v < design_.variables(); ++v)
    if (!best.whole || alternatives_omitted || std::find(open.begin(), open.end(), v) != open.end())
      result.count.open.push_back(design_.variable_name(v)), open_all.push_back(v);
  result.count.settling = settling_values(best.form, features, values, open_all);
  return result;
}

// A single process count above 1 shows no growth. With no call on one process and two calls on two, each of
// 2 for each divided dimension, 2 log2 p and 2 p - 2 holds. The form that grows as the number of divided
// dimensions is preferred; without a grid, the one that grows least. All forms stay alternatives.
void Identifier::add_unseen_growth(std::vector<Candidate>& all) const {
  const std::size_t p = design_.parameters.size();
  const auto processes = design_.values(p);
  if (std::ranges::count_if(processes, [](double each) { return each > 1; }) != 1) return;
  const auto largest = static_cast<std::int32_t>(processes.back());
  const Group& group = *std::ranges::find(design_.groups, largest, &Group::processes);
  const Place recorded = place_at(group.parameters, largest, 0, design_.grids);
  const Place further = place_at(group.parameters, kFurther * largest, 0, design_.grids);
  const auto doublings = [](double from, double to) {
    return std::log2(std::max(1.0, to) / std::max(1.0, from));
  };
  double expected = 0;
  for (const ProcessGrid& grid : design_.grids)
    expected = std::max(expected, doublings(divided_dimensions(recorded, grid.dimensions),
                                            divided_dimensions(further, grid.dimensions)));
  for (Candidate& each : all) {
    if (std::ranges::none_of(each.form.features,
                             [&](std::size_t f) { return each.table->feature(f).involves(p); }))
      continue;
    const double grown = doublings(each.value_at(recorded, design_.parameters).value_or(1),
                                   each.value_at(further, design_.parameters).value_or(1));
    if (grown >= 0) each.growth_bits = kGrowthBits * std::abs(grown - expected);
  }
}

// Removes forms with equal expressions, for example 0 times a parameter that never varied.
void Identifier::keep_first_of_equal(std::vector<Candidate>& all) {
  std::vector<Candidate> kept;
  for (Candidate& each : all)
    if (std::ranges::none_of(kept,
                             [&](const Candidate& other) { return other.expression == each.expression; }))
      kept.push_back(std::move(each));
  all = std::move(kept);
}

// Returns the cheapest unrecorded point at which most of the candidates differ. Without alternatives, returns
// a point with a further value of an open variable.
std::string Identifier::advice(const std::vector<Candidate>& all, const std::vector<std::size_t>& open,
                               const std::vector<std::int64_t>& values) const {
  std::vector<std::vector<double>> recorded;
  for (std::size_t v = 0; v < design_.parameters.size(); ++v) recorded.push_back(design_.values(v));
  std::vector<Point> runs;
  for (const Group& group : design_.groups) runs.push_back(recorded_point(group, design_));
  const std::vector<bool> grid = process_grid(design_.parameters, runs);
  const ProcessRule rule(runs);
  std::vector<Point> options = runs_by_price(design_.parameters, recorded, design_.whole, grid);
  // Other numbers of processes may not show the count: one process sends no message, and a prime number of
  // them has no neighbours in the second dimension of a grid.
  const auto seen = design_.values(design_.parameters.size());
  std::erase_if(options, [&](const Point& point) {
    return !rule.allows(point.processes) || std::ranges::none_of(seen, [&](double p) {
      return point.processes % static_cast<std::int32_t>(p) == 0;
    });
  });
  const Point* best = nullptr;
  std::size_t most = 1;
  for (const Point& point : options) {
    std::set<std::vector<double>> outcomes;
    std::vector<std::vector<double>> per_candidate(all.size());
    for (const std::int32_t rank : sampled_ranks(point.processes)) {
      const Place place = place_at(ordered(point, design_), point.processes, rank, design_.grids);
      for (std::size_t c = 0; c < all.size(); ++c) {
        per_candidate[c].push_back(all[c].value_at(place, design_.parameters).value_or(-1));
      }
    }
    outcomes.insert(per_candidate.begin(), per_candidate.end());
    if (outcomes.size() <= most) continue;
    most = outcomes.size();
    best = &point;
  }
  if (best) return "a recording at " + point_text(*best, design_.parameters) + " would decide between them";
  for (const std::size_t v : open) {
    const auto known = design_.values(v);
    double value = v < design_.parameters.size() ? 2 * known.back() + (known.size() > 1 ? 1 : 0) : 3;
    if (v == design_.parameters.size())
      while (std::find(known.begin(), known.end(), value) != known.end() ||
             !rule.allows(static_cast<std::int32_t>(value)))
        ++value;
    Point point;
    for (std::size_t k = 0; k < recorded.size(); ++k)
      point.parameters[design_.parameters[k]] = recorded[k].front();
    point.processes = static_cast<std::int32_t>(design_.values(design_.parameters.size()).back());
    if (const auto group = group_to_extend(all.front().form, *all.front().table, values, v))
      point = recorded_point(design_.groups[*group], design_);
    if (v < design_.parameters.size())
      point.parameters[design_.parameters[v]] = value;
    else
      point.processes = static_cast<std::int32_t>(value);
    fit_to_grid(point, design_.parameters, grid, design_.variable_name(v));
    return "a recording at " + point_text(point, design_.parameters) +
           " would show how the count depends on " + design_.variable_name(v);
  }
  return "";
}

}  // namespace parcast::program
