// SPDX-License-Identifier: Apache-2.0
#include "source/counts/recognition.h"

#include <algorithm>
#include <cmath>

#include "model/binding.h"

namespace parcast::program {
namespace {

using symbolic::Binding;
using symbolic::Expression;
using Kind = Factor::Kind;

constexpr std::int64_t kTelling = 5;  // smaller numbers are often constants
constexpr std::size_t kMostFound = 4;
// bits by which a formula that is no size must be shorter than the numbers that it explains
constexpr double kShorter = 6;
constexpr double kAlternativeBits = 3;        // bits: a formula longer by more than this is no alternative
constexpr double kPart = 3, kFamiliar = 1.5;  // bits of a part, and of one that is familiar
constexpr Kind kParts[] = {Kind::block_cyclic, Kind::block_even,     Kind::block_ceil,
                           Kind::block_last,   Kind::quotient_floor, Kind::quotient_ceil};
constexpr Kind kOfProcesses[] = {Kind::extent,     Kind::coordinate, Kind::first,
                                 Kind::not_first,  Kind::last,       Kind::not_last,
                                 Kind::floor_log2, Kind::ceil_log2,  Kind::several};

std::int64_t whole(const Binding& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : std::llround(found->second);
}

}  // namespace

Recognition::Recognition(std::vector<std::string> parameters, const std::vector<Binding>& processes,
                         const std::set<int>& dimensions, std::optional<std::vector<Factor>> familiar)
    : parameters_(std::move(parameters)), familiar_(std::move(familiar)) {
  for (int d = 1; d <= kMostDimensions; ++d) grids_.push_back({d, true, {}, {}});
  for (const Binding& values : processes) {
    given_.emplace_back();
    for (const std::string& name : parameters_) {
      const auto value = values.find(name);
      given_.back().push_back(value == values.end() ? 0 : value->second);
    }
    const auto p = static_cast<std::int32_t>(whole(values, "p"));
    for (ProcessGrid& grid : grids_) {
      std::vector<std::int32_t> extents;
      for (int k = 0; k < grid.dimensions; ++k)
        extents.push_back(static_cast<std::int32_t>(
            whole(values, "g" + std::to_string(grid.dimensions) + "_" + std::to_string(k))));
      if (std::ranges::all_of(extents, [](std::int32_t extent) { return extent > 0; }))
        grid.recorded[p] = extents;
    }
    places_.push_back(place_at(given_.back(), p, static_cast<std::int32_t>(whole(values, "r")), grids_));
  }
  find_points();
  make_forms(dimensions);
}

void Recognition::add(std::vector<Size> sizes, double bits) {
  Form form{std::move(sizes), bits, {}};
  for (const Place& place : places_) {
    std::int64_t product = 1;
    for (const Size& size : form.sizes) {
      const auto value = value_at(size.feature, place);
      constexpr std::int64_t kLargest = std::int64_t{1} << 20;  // a product of three does not overflow
      if (!value || std::abs(*value) > kLargest) return;
      product *= *value + size.border;
    }
    form.values.push_back(product);
  }
  forms_.push_back(std::move(form));
}

void Recognition::make_forms(const std::set<int>& dimensions) {
  const auto count = parameters_.size();
  // If the program creates no grids with MPI, it creates them itself, provided that all familiar parts lie
  // along axes of grids.
  std::set<int>& own = own_;
  own = dimensions;
  const std::vector<Factor> parts = familiar_.value_or(std::vector<Factor>{});
  if (dimensions.empty() &&
      std::ranges::all_of(parts, [](const Factor& part) { return part.axis.dimensions > 1; }))
    for (const Factor& part : parts) own.insert(part.axis.dimensions);
  const auto parameter = [&](std::size_t v) {
    Feature feature{std::vector<int>(count, 0), {}};
    feature.degrees[v] = 1;
    return feature;
  };
  const auto of = [&](const Factor& factor) { return Feature{std::vector<int>(count, 0), {factor}}; };
  // with their bits; axes of grids that the program creates with MPI come first
  std::vector<std::pair<Axis, double>> axes;
  const auto add_grids = [&](bool asked, bool first_fastest, double bits) {
    for (int d = first_fastest ? 2 : 1; d <= kMostDimensions; ++d)
      for (int k = 0; k < d && own.contains(d) == asked; ++k)
        axes.push_back({{d, k, first_fastest}, bits + 0.5 * k});
  };
  add_grids(true, false, 0);
  axes.push_back({{}, own.empty() ? 0.0 : 1.0});
  add_grids(false, false, 3);
  add_grids(true, true, 1);
  add_grids(false, true, 3.5);
  const auto price_of_border = [](int border) { return border == 0 ? 0.0 : 0.5 + std::abs(border); };
  // A part along one axis of a grid makes the parts along the other axes familiar too.
  const auto is_familiar = [&](const Factor& factor) {
    return !familiar_ || familiar_->empty() || std::ranges::any_of(*familiar_, [&](const Factor& known) {
      return known.kind == factor.kind && known.parameter == factor.parameter &&
             known.offset == factor.offset && known.axis.dimensions == factor.axis.dimensions &&
             known.axis.first_fastest == factor.axis.first_fastest;
    });
  };
  struct Priced {
    Feature feature;
    double bits;
    Factor factor;  // of a part
    bool part = false, familiar = true;
  };
  std::vector<Priced> sizes;
  const bool parallel = std::ranges::any_of(places_, [](const Place& place) { return place.p > 1; });
  for (std::size_t v = 0; v < count; ++v) {
    const bool fits = std::ranges::all_of(
        given_, [&](const auto& values) { return values[v] >= 1 && values[v] == std::floor(values[v]); });
    if (!fits) continue;
    sizes.push_back({parameter(v), 1, {}, false});
    // too small to be divided among processes
    if (std::ranges::all_of(given_, [&](const auto& values) { return values[v] < kTelling; })) continue;
    for (const auto& [axis, bits] : axes)
      for (std::size_t k = 0; k < std::size(kParts) && parallel; ++k)
        for (const int offset : {0, -1, -2}) {
          if (bits >= 3 && offset != 0) continue;
          // same value as in the other numbering
          if (axis.first_fastest && !depends_on_rank(kParts[k])) continue;
          const Factor factor{kParts[k], axis, static_cast<int>(v), offset};
          const bool familiar = is_familiar(factor);
          const double price = familiar_ && familiar ? kFamiliar : kPart;
          sizes.push_back({of(factor), price + bits + 0.6 * static_cast<double>(k) + 1.5 * std::abs(offset),
                           factor, true, familiar});
        }
  }
  for (const auto& [axis, bits] : axes)
    for (const Kind kind : kOfProcesses)
      for (const int border : {0, -1, 1}) {
        if (axis.first_fastest && !depends_on_rank(kind)) continue;
        add({{of({kind, axis}), border}},
            2 + bits + price_of_border(border) + (kind == Kind::extent ? 0 : 1));
      }
  for (const Priced& size : sizes)
    for (const int border : {0, 1, -1, 2, -2})
      add({{size.feature, border}}, size.bits + price_of_border(border));
  std::erase_if(sizes, [](const Priced& size) { return !size.familiar; });
  for (const Priced& a : sizes)
    for (const Priced& b : sizes) {
      // products: N M; a part of N times M; a block, which is parts of one kind along two dimensions of one
      // grid
      const bool block = a.part && b.part && a.factor.kind == b.factor.kind &&
                         a.factor.offset == b.factor.offset && a.factor.axis.dimensions > 1 &&
                         a.factor.axis.dimensions == b.factor.axis.dimensions &&
                         a.factor.axis.first_fastest == b.factor.axis.first_fastest &&
                         a.factor.axis.dimension < b.factor.axis.dimension;
      if (b.part && !block) continue;
      if (a.part && a.factor.axis.dimensions == 0 && is_varied_side(b.feature)) continue;
      if (block)
        for (const Priced& third : sizes)
          if (!third.part)
            add({{a.feature, 0}, {b.feature, 0}, {third.feature, 0}}, a.bits + b.bits + third.bits + 2);
      for (const int border : {0, 1, 2, -1, -2})
        for (const int other : {0, border}) {
          if (other == border && border == 0) continue;
          add({{a.feature, border}, {b.feature, other}}, a.bits + b.bits + 1 + price_of_border(border) +
                                                             (other != 0    ? 0.5
                                                              : border != 0 ? 1.0
                                                                            : 0.0));
        }
      add({{a.feature, 0}, {b.feature, 0}}, a.bits + b.bits + 1);
    }
  std::stable_sort(forms_.begin(), forms_.end(),
                   [](const Form& a, const Form& b) { return a.bits < b.bits; });
}

Expression Recognition::expression_of(const Form& form) const {
  Expression product = 1;
  for (const Size& size : form.sizes)
    product = product * (program::expression_of(size.feature, parameters_) + Expression(size.border));
  return product;
}

// Returns the bits of the numbers of all runs. Equal numbers count once. Ranks of one run are not independent
// evidence.
double Recognition::given(const Values& values) const {
  std::map<std::pair<std::int64_t, std::vector<double>>, std::int64_t> most;  // by point
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    std::int64_t& of_run = most[{places_[i].p, given_[i]}];
    of_run = std::max(of_run, std::abs(*values[i]));
  }
  std::set<std::int64_t> distinct;
  for (const auto& [point, value] : most) distinct.insert(value);
  double bits = 0;
  for (const std::int64_t value : distinct) bits += std::log2(1.0 + static_cast<double>(value));
  return bits;
}

// Returns the shortest form and those that are at most kRivals bits longer.
std::vector<const Recognition::Form*> Recognition::forms_of(const Values& values) const {
  std::optional<std::int64_t> first;
  bool same = true;
  for (const auto& value : values)
    if (value) {
      if (!first) first = value;
      same = same && *value == *first;
    }
  if (!first || (same && *first < kTelling)) return {};
  std::vector<const Form*> found;
  for (const Form& form : forms_) {
    if (!found.empty() && form.bits > found.front()->bits + kAlternativeBits) break;
    bool equal = true;
    for (std::size_t i = 0; i < values.size() && equal; ++i)
      equal = !values[i] || *values[i] == form.values[i];
    if (equal) found.push_back(&form);
  }
  return found;
}

std::vector<Recognition::Found> Recognition::found_in(const std::vector<const Form*>& forms) const {
  std::vector<Found> found;
  for (const Form* form : forms) {
    if (found.size() == kMostFound) break;
    Expression expression = expression_of(*form);
    if (std::ranges::find(found, expression, &Found::expression) == found.end())
      found.push_back({std::move(expression), false, form->bits, {}});
  }
  for (Found& each : found) {
    each.ambiguous = found.size() > 1;
    for (const Found& other : found)
      if (other.expression != each.expression) each.alternatives.push_back(other.expression);
  }
  return found;
}

// Returns the recorded sizes and larger ones, all or one of them enlarged, on process counts that leave each
// process some of every size.
const std::vector<Binding>& Recognition::elsewhere() const {
  constexpr double kLeastPart = 4;
  if (!elsewhere_.empty()) return elsewhere_;
  for (const auto& recorded : {given_.front(), given_.back()})
    for (std::size_t larger = 0; larger < parameters_.size() + 2; ++larger)  // none, each, all
      for (const std::int32_t p : {2, 3, 4, 6, 8, 12, 16, 64}) {
        std::vector<double> parameters = recorded;
        for (std::size_t v = 0; v < parameters.size(); ++v)
          if (larger == v + 1 || larger == parameters.size() + 1)
            parameters[v] = parameters[v] == std::floor(parameters[v]) ? std::floor(7.3 * parameters[v])
                                                                       : 7.3 * parameters[v];
        if (std::ranges::any_of(parameters,
                                [&](double value) { return value >= kTelling && value < kLeastPart * p; }))
          continue;
        for (const std::int32_t r : {0, 1, p / 2, p - 1})
          elsewhere_.push_back(binding_of(place_at(parameters, p, r, grids_), parameters_, parameters));
      }
  return elsewhere_;
}

bool Recognition::differ(const Expression& a, const Expression& b) const {
  if (a == b) return false;
  symbolic::Binding rounds;
  for (const Expression& both : {a, b})
    for (const Expression& symbol : symbolic::free_symbols(both))
      if (symbol.kind() == symbolic::SymbolKind::loop_index) rounds.emplace(symbol.name(), 1);
  return std::ranges::any_of(elsewhere(), [&](Binding at) {
    at.insert(rounds.begin(), rounds.end());
    const auto x = symbolic::evaluate(a, at), y = symbolic::evaluate(b, at);
    return x && y && std::abs(*x - *y) > 1e-9 * std::abs(*y) + 1e-9;
  });
}

std::vector<Recognition::Found> Recognition::size(const Values& values) const {
  return found_in(forms_of(values));
}

std::vector<Factor> Recognition::parts_in(const Values& values) const {
  const auto part = [](const Form& form) -> const Factor* {
    const Size& size = form.sizes.front();
    const bool is_part = form.sizes.size() == 1 && size.border == 0 && size.feature.factors.size() == 1 &&
                         std::ranges::find(kParts, size.feature.factors[0].kind) != std::end(kParts);
    return is_part ? &size.feature.factors[0] : nullptr;
  };
  const std::vector<const Form*> forms = forms_of(values);
  std::vector<Factor> parts;
  if (forms.empty() || !part(*forms.front())) return parts;
  for (const Form* form : forms)
    if (const Factor* factor = part(*form)) parts.push_back(*factor);
  return parts;
}

Identifier* Recognition::identifier_of(const std::vector<bool>& seen) {
  auto [at, fresh] = identifiers_.try_emplace(seen);
  if (!fresh) return at->second.identifier.get();
  std::map<std::pair<std::int64_t, std::vector<double>>, std::map<std::int64_t, std::vector<std::size_t>>>
      points;
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (seen[i]) points[{places_[i].p, given_[i]}][places_[i].r].push_back(i);
  if (points.size() < 2) return nullptr;
  Design design;
  design.parameters = parameters_;
  for (const ProcessGrid& grid : grids_)
    if (own_.contains(grid.dimensions)) design.grids.push_back(grid);
  at->second.cell_of.assign(places_.size(), -1);
  for (const auto& [point, ranks] : points) {
    design.groups.push_back(
        {point.second, static_cast<std::int32_t>(point.first), design.cells.size(), ranks.size()});
    for (const auto& [rank, processes] : ranks) {
      for (const std::size_t i : processes)
        at->second.cell_of[i] = static_cast<std::ptrdiff_t>(design.cells.size());
      design.cells.push_back({design.groups.size() - 1, places_[processes.front()]});
    }
  }
  for (std::size_t v = 0; v < parameters_.size(); ++v)
    design.whole.push_back(std::ranges::all_of(
        design.values(v), [](double x) { return x == std::floor(x) && std::abs(x) < 1e15; }));
  at->second.identifier = std::make_unique<Identifier>(std::move(design));
  return at->second.identifier.get();
}

std::optional<Recognition::Found> Recognition::count_as_size(const Values& values) const {
  std::vector<const Form*> forms = forms_of(values);
  // There are many execution counts and many products, so a product must be shorter by kShorter bits to
  // exclude matches by chance.
  const double most = given(values) - kShorter;
  std::erase_if(forms, [&](const Form* form) { return form->sizes.size() > 1 && form->bits > most; });
  const std::vector<Found> sizes = found_in(forms);
  if (sizes.empty()) return std::nullopt;
  // If some processes do something once and the others not at all, the count depends on a comparison and is
  // not a size.
  const auto once_or_never = [](const auto& value) { return !value || *value == 0 || *value == 1; };
  const auto is_choice = [](const Found& found) {
    return found.expression.operation() == symbolic::Operation::conditional;
  };
  const auto choice =
      std::ranges::all_of(values, once_or_never) ? std::ranges::find_if(sizes, is_choice) : sizes.end();
  Found found = choice == sizes.end() ? sizes.front() : *choice;
  const auto first = std::ranges::find_if(values, [](const auto& value) { return value.has_value(); });
  const bool same =
      std::ranges::all_of(values, [&](const auto& value) { return !value || *value == **first; });
  if (same && std::log2(1.0 + static_cast<double>(std::abs(**first))) <= found.bits + kAlternativeBits)
    found.alternatives.emplace_back(**first);
  return found;
}

bool Recognition::is_varied_side(const Feature& feature) const {
  for (std::size_t v = 0; v < feature.degrees.size(); ++v)
    if (feature.degrees[v] != 0 && varied_side_[v]) return true;
  return false;
}

// Returns whether an expression contains a side of a grid of all processes together with p or r. Such a
// product is a part along the other sides of the grid, so it does not hold in other runs.
bool Recognition::mixes_sides(const Expression& expression) const {
  bool has_side = false, has_all = false;
  for (const Expression& symbol : symbolic::free_symbols(expression)) {
    has_all = has_all || symbol == processes_symbol() || symbol == rank_symbol();
    for (std::size_t v = 0; v < parameters_.size(); ++v)
      has_side = has_side || (varied_side_[v] && symbol == parameter_symbol(parameters_[v]));
  }
  return has_side && has_all;
}

// Returns whether the parameter belongs to a set whose product is the number of processes: a side of a grid.
bool Recognition::is_side(std::size_t v, const std::vector<CountGrowth::Run>& runs) const {
  constexpr std::size_t kMost = 10;  // number of parameters whose subsets are tried
  for (std::size_t set = 0; set < std::size_t{1} << std::min(parameters_.size(), kMost); ++set)
    if ((set >> v & 1) != 0 && std::ranges::all_of(runs, [&](const CountGrowth::Run& run) {
          double product = 1;
          for (std::size_t w = 0; w < parameters_.size(); ++w)
            if ((set >> w & 1) != 0) product *= run.parameters[w];
          return product == run.processes;
        }))
      return true;
  return false;
}

void Recognition::find_points() {
  std::map<std::pair<std::int64_t, std::vector<double>>, std::size_t> numbers;
  std::vector<CountGrowth::Run> runs;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto [at, fresh] = numbers.try_emplace({places_[i].p, given_[i]}, runs.size());
    if (fresh) runs.push_back({static_cast<double>(places_[i].p), given_[i]});
    point_of_.push_back(at->second);
  }
  points_ = runs.size();
  const auto varied = [&](const auto& of) {
    return std::ranges::any_of(runs,
                               [&](const CountGrowth::Run& run) { return of(run) != of(runs.front()); });
  };
  all_varied_ =
      points_ >= CountGrowth::kFewest && varied([](const CountGrowth::Run& run) { return run.processes; });
  const bool processes_varied = all_varied_;
  for (std::size_t v = 0; v < parameters_.size(); ++v) {
    const bool is_varied = varied([v](const CountGrowth::Run& run) { return run.parameters[v]; });
    const bool side = processes_varied && is_side(v, runs);
    varied_side_.push_back(is_varied && side);
    all_varied_ = all_varied_ && (is_varied || side);
  }
  growth_.emplace(parameters_, runs);
}

std::pair<std::vector<double>, std::vector<double>> Recognition::by_point(
    const std::vector<double>& some, const std::vector<double>& all) const {
  std::vector<double> of_some(points_), of_all(points_);
  for (std::size_t i = 0; i < some.size(); ++i) {
    of_some[point_of_[i]] += some[i];
    of_all[point_of_[i]] += all[i];
  }
  return {of_some, of_all};
}

std::optional<CountGrowth::Found> Recognition::growth(const std::vector<double>& some,
                                                      const std::vector<double>& all,
                                                      std::optional<double> most) const {
  const auto [of_some, of_all] = by_point(some, all);
  return growth_->of(of_some, of_all, most);
}

bool Recognition::in_every_run(const std::vector<double>& counts) const {
  return std::ranges::all_of(by_point(counts, counts).first, [](double sum) { return sum > 0; });
}

double Recognition::size_of(std::size_t process) const {
  double size = 1;
  for (const double value : given_[process]) size *= std::max(value, 1.0);
  return size;
}

bool Recognition::only_at_largest(const std::vector<double>& counts) const {
  double largest = 0;
  bool smaller = false;  // there are runs of smaller sizes
  for (std::size_t i = 0; i < counts.size(); ++i) largest = std::max(largest, size_of(i));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (size_of(i) == largest) continue;
    if (counts[i] > 0) return false;
    smaller = true;
  }
  return smaller;
}

std::optional<double> Recognition::ratio_at_largest(const std::vector<double>& some,
                                                    const std::vector<double>& all) const {
  std::optional<double> largest;  // product of the parameters
  double of_some = 0, of_all = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const double size = size_of(i);
    if (largest && size < *largest) continue;
    if (!largest || size > *largest) of_some = of_all = 0;
    largest = size;
    of_some += some[i], of_all += all[i];
  }
  return of_some > 0 && of_all > 0 ? std::optional(of_some / of_all) : std::nullopt;
}

std::optional<Expression> Recognition::trend(const std::vector<double>& some,
                                             const std::vector<double>& all) const {
  const auto [of_some, of_all] = by_point(some, all);
  return growth_->mean_powers(of_some, of_all);
}

std::optional<Recognition::Found> Recognition::count(const Values& values) {
  if (auto size = count_as_size(values)) return size;
  std::vector<bool> seen;
  for (const auto& value : values) seen.push_back(value.has_value());
  Identifier* identifier = identifier_of(seen);
  if (!identifier) return std::nullopt;
  const std::vector<std::ptrdiff_t>& cell_of = identifiers_.at(seen).cell_of;
  std::vector<std::optional<std::int64_t>> by_cell(identifier->design().cells.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    auto& cell = by_cell[static_cast<std::size_t>(cell_of[i])];
    if (cell && *cell != *values[i]) return std::nullopt;  // it depends on something that is not an input
    cell = values[i];
  }
  std::vector<std::int64_t> all;
  for (const auto& value : by_cell) all.push_back(*value);
  const auto& identified = identifier->identify(all);
  if (!identified || identified->count.origin == Origin::constant ||
      mixes_sides(identified->count.expression))
    return std::nullopt;
  if (identified->count.origin != Origin::exact && identified->bits + kShorter > given(values))
    return std::nullopt;
  return Found{identified->count.expression, identified->count.origin != Origin::exact, identified->bits,
               identified->count.alternatives};
}

}  // namespace parcast::program
