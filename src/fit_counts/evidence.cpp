// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/evidence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "model/binding.h"

namespace parcast::program {
namespace {

constexpr double kMostAccidental = 0.05;
constexpr double kLeastSurplus = 4;       // bits
constexpr double kBitsAbove = 2;          // other forms may be this much longer than the form's own features
constexpr std::size_t kMostShapes = 400;  // of other forms with one term
constexpr std::size_t kMostPairShapes = 60;
constexpr double kDistances[]{1, 2, 4};  // in units of the form's smallest step

// Cells on which only one variable changes, for one choice of rank.
struct Line {
  std::vector<std::size_t> cells;
};

std::size_t parts_of(const Form& form, const FeatureTable& table, std::size_t variable) {
  std::set<std::string> parts;
  if (!(form.constant == symbolic::Rational(0))) parts.insert("");
  for (const std::size_t f : form.features) parts.insert(table.feature(f).part_of(variable));
  return parts.size();
}

bool involves(const Form& form, const FeatureTable& table, std::size_t variable) {
  return std::any_of(form.features.begin(), form.features.end(),
                     [&](std::size_t f) { return table.feature(f).involves(variable); });
}

// Returns whether the group is in the scope and has all its ranks. A recording that lost a rank may refute a
// form, but is no evidence for one.
bool is_evidence(const Design& design, const Group& group, const Scope& scope) {
  if (group.cell_count != static_cast<std::size_t>(group.processes)) return false;
  for (std::size_t v = 0; v < scope.size(); ++v)
    if (scope[v] && design.value(group, v) != *scope[v]) return false;
  return true;
}

bool is_fixed(const Scope& scope, std::size_t variable) {
  return variable < scope.size() && scope[variable];
}

std::size_t distinct_values(const Design& design, std::size_t variable, const Scope& scope) {
  std::set<double> values;
  for (const Group& group : design.groups)
    if (is_evidence(design, group, scope)) values.insert(design.value(group, variable));
  return values.size();
}

// Returns groups that differ in one variable only, by the values of the others; at least three.
// `ignored`: variables in which they may differ as well.
std::map<std::vector<double>, std::vector<std::size_t>> groups_on_lines(
    const Design& design, std::size_t variable, const Scope& scope,
    const std::set<std::size_t>& ignored = {}) {
  std::map<std::vector<double>, std::vector<std::size_t>> by_rest;
  for (std::size_t g = 0; g < design.groups.size(); ++g) {
    if (!is_evidence(design, design.groups[g], scope)) continue;
    std::vector<double> rest;
    for (std::size_t v = 0; v < design.variables(); ++v)
      if (v != variable && !ignored.contains(v)) rest.push_back(design.value(design.groups[g], v));
    std::vector<std::size_t>& of = by_rest[rest];
    const auto has_its_value = [&](std::size_t other) {
      return design.value(design.groups[other], variable) == design.value(design.groups[g], variable);
    };
    if (ignored.empty() || std::ranges::none_of(of, has_its_value)) of.push_back(g);
  }
  std::erase_if(by_rest, [](const auto& entry) { return entry.second.size() < 3; });
  return by_rest;
}

constexpr std::size_t kMostLines = 6, kMostJointLines = 40;

std::vector<Line> lines_of(const Design& design, std::size_t variable, bool with_rank, const Scope& scope,
                           const std::set<std::size_t>& ignored = {}, std::size_t most = kMostLines) {
  std::vector<Line> lines;
  for (auto& [rest, groups] : groups_on_lines(design, variable, scope, ignored)) {
    std::sort(groups.begin(), groups.end(), [&](std::size_t a, std::size_t b) {
      return design.value(design.groups[a], variable) < design.value(design.groups[b], variable);
    });
    Line first, last;
    for (const std::size_t g : groups) {
      first.cells.push_back(design.groups[g].first_cell);
      last.cells.push_back(design.groups[g].first_cell + design.groups[g].cell_count - 1);
    }
    lines.push_back(first);
    if (with_rank) lines.push_back(last);
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.cells.size() > b.cells.size(); });
  if (lines.size() > most) lines.resize(most);
  return lines;
}

// Returns whether a recording lies on no line of either variable. It would show their joint effect, whatever
// else differs.
bool crossed_beside_lines(const Design& design, std::size_t one, std::size_t other, const Scope& scope) {
  const auto values_on_lines = [&](std::size_t along, std::size_t fixed) {
    std::set<double> values;
    for (const auto& [rest, groups] : groups_on_lines(design, along, scope))
      values.insert(design.value(design.groups[groups.front()], fixed));
    return values;
  };
  const std::set<double> others = values_on_lines(one, other), ones = values_on_lines(other, one);
  return std::ranges::any_of(design.groups, [&](const Group& group) {
    const auto differs = [&](const std::set<double>& from, std::size_t variable) {
      return std::ranges::any_of(from, [&](double value) { return value != design.value(group, variable); });
    };
    return is_evidence(design, group, scope) && differs(others, other) && differs(ones, one);
  });
}

// Returns whether two values of one variable were recorded at each of two values of the other, with all else
// equal.
bool crossed(const Design& design, std::size_t one, std::size_t other, const Scope& scope) {
  // By the rest and `other`: values of `one`.
  std::map<std::vector<double>, std::map<double, std::set<double>>> seen;
  for (const Group& group : design.groups) {
    if (!is_evidence(design, group, scope)) continue;
    std::vector<double> rest;
    for (std::size_t v = 0; v < design.variables(); ++v)
      if (v != one && v != other) rest.push_back(design.value(group, v));
    seen[rest][design.value(group, other)].insert(design.value(group, one));
  }
  for (const auto& [rest, by_other] : seen)
    for (auto a = by_other.begin(); a != by_other.end(); ++a)
      for (auto b = std::next(a); b != by_other.end(); ++b) {
        const auto common = std::count_if(a->second.begin(), a->second.end(),
                                          [&](double value) { return b->second.contains(value); });
        if (common >= 2) return true;
      }
  return crossed_beside_lines(design, one, other, scope);
}

// Returns whether the variable was varied alone over `needed` values, and crossed with every other variable
// that varied. Recordings at p = 1 do not show the effect of N on messages; recordings in which N and p only
// grow together show neither effect. Ignores the variables `without_it`: the formula does not depend on them
// and holds at several of their values.
bool varied_alone(const Design& design, std::size_t variable, std::size_t needed, const Scope& scope,
                  const std::set<std::size_t>& without_it) {
  const auto lines = groups_on_lines(design, variable, scope);
  if (std::none_of(lines.begin(), lines.end(),
                   [&](const auto& line) { return line.second.size() >= needed; }))
    return false;
  for (std::size_t v = 0; v < design.variables(); ++v)
    if (v != variable && !without_it.contains(v) && distinct_values(design, v, scope) > 1 &&
        !crossed(design, variable, v, scope))
      return false;
  return true;
}

// Returns whether a recording is on no line of any variable. A formula found on the lines was tested there.
bool has_a_group_off_lines(const Design& design, const Scope& scope) {
  std::set<std::size_t> on_lines;
  for (std::size_t v = 0; v < design.variables(); ++v)
    for (const auto& [rest, groups] : groups_on_lines(design, v, scope))
      on_lines.insert(groups.begin(), groups.end());
  for (std::size_t g = 0; g < design.groups.size(); ++g)
    if (is_evidence(design, design.groups[g], scope) && !on_lines.contains(g)) return true;
  return false;
}

// Returns the variables that the form does not involve and that have at least three values, or two values
// above 1 that differ by a factor of 2. The form holds at all of these values and off the lines. Another
// formula that depends on such a variable would have to agree with it there.
std::set<std::size_t> confirmed_without(const Form& form, const FeatureTable& table, const Scope& scope) {
  const Design& design = table.design();
  std::set<std::size_t> out;
  if (!has_a_group_off_lines(design, scope)) return out;
  for (std::size_t v = 0; v < design.variables(); ++v) {
    if (involves(form, table, v) || (v == design.parameters.size() && table.with_rank())) continue;
    std::set<double> values;
    for (const Group& group : design.groups)
      if (is_evidence(design, group, scope)) values.insert(design.value(group, v));
    if (values.size() >= 3 ||
        (values.size() == 2 && *values.begin() > 1 && *values.rbegin() >= 2 * *values.begin()))
      out.insert(v);
  }
  return out;
}

// Returns the constant factor of the feature on a line of `variable`.
std::int64_t cofactor(const Feature& feature, std::size_t variable, const Place& place) {
  Feature rest{feature.degrees, {}};
  const bool is_p = variable == feature.degrees.size();
  if (!is_p) rest.degrees[variable] = 0;
  for (const Factor& f : feature.factors) {
    Feature alone{std::vector<int>(feature.degrees.size(), 0), {f}};
    if (!alone.involves(variable)) rest.factors.push_back(f);
  }
  return value_at(rest, place).value_or(1);
}

Wide common_divisor(Wide a, Wide b) {
  while (b != 0) std::swap(a %= b, b);
  return a < 0 ? -a : a;
}

// Returns the smallest step by which the form's integers change along the line. Factors from other variables
// are no evidence.
double unit_of(const Form& form, const FeatureTable& table, std::size_t variable, const Place& place) {
  Wide numerator = 0;
  std::int64_t denominator = 1;
  for (std::size_t i = 0; i < form.features.size(); ++i) {
    const Feature& feature = table.feature(form.features[i]);
    if (!feature.involves(variable)) continue;
    const std::int64_t rest = cofactor(feature, variable, place);
    const auto product = static_cast<Wide>(form.coefficients[i].numerator()) * (rest == 0 ? 1 : rest);
    numerator = common_divisor(numerator, product);
    denominator = std::lcm(denominator, form.coefficients[i].denominator());
  }
  return numerator == 0 ? 1 : static_cast<double>(numerator) / static_cast<double>(denominator);
}

using Shape = std::vector<double>;

struct Shapes {
  std::vector<Shape> values;
  // A shape that is b bits longer than the form's own features is 2^-b times as probable.
  std::vector<double> weights;
};

// Returns distinct shapes along the line, up to a factor and a constant, of features at most kBitsAbove bits
// longer than the form's; the form's own first.
Shapes shapes_on(const Line& line, const Form& form, const FeatureTable& table, std::size_t variable,
                 std::size_t& own) {
  double limit = 0;
  for (const std::size_t f : form.features)
    if (table.feature(f).involves(variable)) limit = std::max(limit, table.feature(f).bits);
  Shapes shapes;
  std::set<std::vector<long long>> seen;
  const auto add = [&](const Feature& feature) {
    Shape shape;
    for (const std::size_t cell : line.cells) {
      const auto value = value_at(feature, table.design().cells[cell].place);
      if (!value) return;
      shape.push_back(static_cast<double>(*value));
    }
    const double base = shape.front();
    double scale = 0;
    for (const double v : shape)
      if (scale == 0) scale = v - base;
    if (scale == 0) return;
    std::vector<long long> key;
    for (const double v : shape) key.push_back(std::llround((v - base) / scale * 1e6));
    if (!seen.insert(key).second) return;
    shapes.values.push_back(std::move(shape));
    shapes.weights.push_back(std::exp2(std::min(0.0, limit - feature.bits)));
  };
  for (const std::size_t f : form.features) add(table.feature(f));
  own = shapes.values.size();
  for (std::size_t f = 0; f < table.size() && shapes.values.size() < kMostShapes; ++f) {
    if (table.feature(f).bits > limit + kBitsAbove) break;
    if (table.feature(f).involves(variable)) add(table.feature(f));
  }
  return shapes;
}

// Returns the residuals of the least squares fit of y by the columns; nothing if they are dependent.
std::optional<Shape> residuals_of_fit(std::vector<Shape> columns, Shape y) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    double squares = 0, before = 0;
    for (const double v : columns[i]) squares += v * v;
    before = squares;
    for (std::size_t k = 0; k < i; ++k) {
      double product = 0;
      for (std::size_t j = 0; j < y.size(); ++j) product += columns[i][j] * columns[k][j];
      for (std::size_t j = 0; j < y.size(); ++j) columns[i][j] -= product * columns[k][j];
    }
    squares = 0;
    for (const double v : columns[i]) squares += v * v;
    if (squares <= 1e-18 * before) return std::nullopt;
    for (double& v : columns[i]) v /= std::sqrt(squares);
    double product = 0;
    for (std::size_t j = 0; j < y.size(); ++j) product += columns[i][j] * y[j];
    for (std::size_t j = 0; j < y.size(); ++j) y[j] -= product * columns[i][j];
  }
  return y;
}

double largest_residual(std::vector<Shape> columns, const Shape& y) {
  const auto residuals = residuals_of_fit(std::move(columns), y);
  double largest = residuals ? 0 : INFINITY;
  if (residuals)
    for (const double v : *residuals) largest = std::max(largest, std::abs(v));
  return largest;
}

class Neighbours {
 public:
  Neighbours(const Shape& y, double unit, std::size_t unknowns) : y_(y), unit_(unit), unknowns_(unknowns) {}
  void try_columns(std::vector<Shape> columns, double weight) {
    const double residual = largest_residual(std::move(columns), y_) / unit_;
    for (std::size_t d = 0; d < std::size(kDistances); ++d)
      if (residual <= kDistances[d]) near_[d] += weight;
  }
  double expected() const {
    double most = 0;
    const double surplus = static_cast<double>(y_.size()) - static_cast<double>(unknowns_);
    for (std::size_t d = 0; d < std::size(kDistances); ++d)
      most = std::max(most, near_[d] / std::pow(2 * kDistances[d] + 1, surplus));
    return most;
  }

 private:
  const Shape& y_;
  double unit_;
  std::size_t unknowns_;
  double near_[std::size(kDistances)]{};
};

// Returns the values along the line, from 0, in multiples of the first step: equal for proportional lines.
std::vector<long long> direction_of(const Line& line, std::span<const std::int64_t> values) {
  std::vector<long long> out;
  double scale = 0;
  const auto base = static_cast<double>(values[line.cells.front()]);
  for (const std::size_t cell : line.cells) {
    const double step = static_cast<double>(values[cell]) - base;
    if (scale == 0) scale = step;
    out.push_back(scale == 0 ? 0 : std::llround(step / scale * 1e6));
  }
  return out;
}

std::optional<Shape> shape_of(const Feature& feature, const Line& line, const Design& design) {
  Shape shape;
  for (const std::size_t cell : line.cells) {
    const auto value = value_at(feature, design.cells[cell].place);
    if (!value) return std::nullopt;
    shape.push_back(static_cast<double>(*value));
  }
  return shape;
}

// Judges other features by all lines together, with common coefficients. One that comes near the values must
// do so on every line, and matches by accident only if it does on each line where it differs from them.
class JointLines {
 public:
  JointLines(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values,
             std::size_t variable)
      : table_(table),
        form_(form),
        values_(values),
        variable_(variable),
        unknowns_(parts_of(form, table, variable)) {
    for (const std::size_t f : form.features)
      if (table.feature(f).involves(variable)) limit_ = std::max(limit_, table.feature(f).bits);
  }

  // Lines with proportional values are one: they are no independent evidence.
  void add(const Line& line) {
    const auto direction = direction_of(line, values_);
    if (std::ranges::all_of(direction, [](long long v) { return v == 0; })) return;
    if (!seen_.insert(direction).second) return;
    for (const std::size_t cell : line.cells) y_.push_back(static_cast<double>(values_[cell]));
    lines_.push_back(
        {line, unit_of(form_, table_, variable_, table_.design().cells[line.cells.front()].place)});
  }

  // Returns the expected number of accidental matches; 1 without several lines.
  double expected() const {
    if (lines_.size() < 2 || unknowns_ > 2) return 1;
    double near[std::size(kDistances)]{};
    std::set<std::vector<double>> known;
    for (std::size_t f = 0; f < table_.size() && known.size() < kMostShapes; ++f) {
      const Feature& feature = table_.feature(f);
      if (feature.bits > limit_ + kBitsAbove) break;
      if (!feature.involves(variable_)) continue;
      const auto residuals = residuals_of(feature);
      if (!residuals || !known.insert(*residuals).second) continue;
      const double weight = std::exp2(std::min(0.0, limit_ - feature.bits));
      for (std::size_t d = 0; d < std::size(kDistances); ++d)
        near[d] += weight * chance(*residuals, kDistances[d]);
    }
    return *std::max_element(std::begin(near), std::end(near));
  }

 private:
  struct OfLine {
    Line line;
    double unit = 1;
  };

  // Returns the largest residual on each line, in steps.
  std::optional<std::vector<double>> residuals_of(const Feature& feature) const {
    Shape shape;
    for (const OfLine& each : lines_) {
      const auto here = shape_of(feature, each.line, table_.design());
      if (!here) return std::nullopt;
      shape.insert(shape.end(), here->begin(), here->end());
    }
    std::vector<Shape> columns;
    if (unknowns_ == 2) columns.emplace_back(y_.size(), 1.0);
    columns.push_back(std::move(shape));
    const auto fit = residuals_of_fit(std::move(columns), y_);
    if (!fit) return std::nullopt;
    std::vector<double> residuals;
    std::size_t at = 0;
    for (const OfLine& each : lines_) {
      double largest = 0;
      for (std::size_t k = 0; k < each.line.cells.size(); ++k, ++at)
        largest = std::max(largest, std::abs((*fit)[at]));
      residuals.push_back(std::round(largest / each.unit * 1e6) / 1e6);
    }
    return residuals;
  }

  // Returns the probability that a feature as near as this matches on all lines; 0 if it is not near, or if
  // it gives the values on all.
  double chance(const std::vector<double>& residuals, double distance) const {
    std::size_t differing = 0;
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      if (!(residuals[l] <= distance)) return 0;
      if (residuals[l] > 0) differing += lines_[l].line.cells.size();
    }
    if (differing == 0) return 0;
    const std::size_t free = std::min(differing, y_.size() - unknowns_);
    return std::pow(2 * distance + 1, -static_cast<double>(free));
  }

  const FeatureTable& table_;
  const Form& form_;
  std::span<const std::int64_t> values_;
  std::size_t variable_, unknowns_;
  double limit_ = 0;
  std::set<std::vector<long long>> seen_;
  std::vector<OfLine> lines_;
  Shape y_;  // of all lines
};

double accidental_on(const Line& line, const Form& form, const FeatureTable& table,
                     std::span<const std::int64_t> values, std::size_t variable) {
  Shape y;
  for (const std::size_t cell : line.cells) y.push_back(static_cast<double>(values[cell]));
  if (std::all_of(y.begin(), y.end(), [&](double v) { return v == y.front(); })) return 1;
  const std::size_t unknowns = parts_of(form, table, variable);
  const double unit = unit_of(form, table, variable, table.design().cells[line.cells.front()].place);
  std::size_t own = 0;
  const auto [shapes, weights] = shapes_on(line, form, table, variable, own);
  if (y.size() <= unknowns) return 1;
  Neighbours neighbours(y, unit, unknowns);
  const Shape one(y.size(), 1.0);
  if (unknowns <= 2) {
    for (std::size_t s = own; s < shapes.size(); ++s)
      neighbours.try_columns(
          unknowns == 1 ? std::vector<Shape>{shapes[s]} : std::vector<Shape>{one, shapes[s]}, weights[s]);
    return neighbours.expected();
  }
  const std::size_t most = std::min(shapes.size(), kMostPairShapes);
  for (std::size_t a = 0; a < most; ++a)
    for (std::size_t b = std::max(a + 1, own); b < most; ++b)
      neighbours.try_columns({one, shapes[a], shapes[b]}, weights[a] * weights[b]);
  return neighbours.expected();
}

// Returns a feature's bits without those of powers of other variables, since these factors explain nothing on
// the line.
double bits_of_part(const Feature& feature, std::size_t variable) {
  double bits = feature.bits;
  for (std::size_t v = 0; v < feature.degrees.size(); ++v)
    if (v != variable && feature.degrees[v] > 0) bits -= 1 + 1.5 * (feature.degrees[v] - 1);
  return bits;
}

// Returns the bits needed to encode the values along a line as differences from their predecessors, minus the
// bits of the part of the form that explains them.
double gain_on(const Line& line, const Form& form, const FeatureTable& table,
               std::span<const std::int64_t> values, std::size_t variable) {
  const double unit = unit_of(form, table, variable, table.design().cells[line.cells.front()].place);
  double gain = 0;
  for (std::size_t i = 1; i < line.cells.size(); ++i) {
    const double step =
        static_cast<double>(values[line.cells[i]]) - static_cast<double>(values[line.cells[i - 1]]);
    gain += 1 + std::log2(1 + std::abs(step) / unit);
  }
  for (std::size_t i = 0; i < form.features.size(); ++i) {
    const Feature& feature = table.feature(form.features[i]);
    if (!feature.involves(variable)) continue;
    const auto rest = cofactor(feature, variable, table.design().cells[line.cells.front()].place);
    gain -= bits_of_part(feature, variable) +
            std::log2(1 + std::abs(form.coefficients[i].to_double() * static_cast<double>(rest)) / unit) - 1;
  }
  return gain - (form.constant == symbolic::Rational(0) ? 0 : 1);
}

// Returns whether the process counts could show every dimension of a grid. Two dimensions are always needed,
// since a program may use a grid without a communicator; three if a grid of three was recorded.
bool grids_are_seen(const Design& design, const Scope& scope) {
  const auto splits = [&](int dimensions) {
    return std::any_of(design.groups.begin(), design.groups.end(), [&](const Group& group) {
      return is_evidence(design, group, scope) && balanced_dimensions(group.processes, dimensions).back() > 1;
    });
  };
  const bool in_space = std::any_of(design.grids.begin(), design.grids.end(), [](const ProcessGrid& grid) {
    return grid.dimensions == 3 && grid.from_dims_create;
  });
  return splits(2) && (!in_space || splits(3));
}

// Returns whether the form uses a grid that does not follow MPI_Dims_create. The extents of such a grid at
// another p are unknown.
bool uses_recorded_grid(const Form& form, const FeatureTable& table) {
  const auto& grids = table.design().grids;
  return std::any_of(form.features.begin(), form.features.end(), [&](std::size_t f) {
    const auto& factors = table.feature(f).factors;
    return std::any_of(factors.begin(), factors.end(), [&](const Factor& factor) {
      return std::any_of(grids.begin(), grids.end(), [&](const ProcessGrid& grid) {
        return grid.dimensions == factor.axis.dimensions && !grid.from_dims_create;
      });
    });
  });
}

/// Whether recordings that differ in this variable alone have the same count on every rank that both have,
/// and there are some.
bool is_independent(const Design& design, std::span<const std::int64_t> values, std::size_t variable,
                    const Scope& scope) {
  std::map<std::vector<double>, std::size_t> first;  // by the other variables
  bool any = false;
  for (std::size_t g = 0; g < design.groups.size(); ++g) {
    const Group& group = design.groups[g];
    if (!is_evidence(design, group, scope)) continue;
    std::vector<double> rest;
    for (std::size_t v = 0; v < design.variables(); ++v)
      if (v != variable) rest.push_back(design.value(group, v));
    const auto [at, is_new] = first.emplace(std::move(rest), g);
    if (is_new) continue;
    const Group& other = design.groups[at->second];
    for (std::size_t cell = 0; cell < std::min(group.cell_count, other.cell_count); ++cell)
      if (values[group.first_cell + cell] != values[other.first_cell + cell]) return false;
    any = true;
  }
  return any;
}

/// Whether all ranks of each recording have the same.
bool is_the_same_on_all_ranks(const Design& design, std::span<const std::int64_t> values) {
  return std::ranges::all_of(design.groups, [&](const Group& group) {
    const auto of_group = values.subspan(group.first_cell, group.cell_count);
    return std::ranges::all_of(of_group, [&](std::int64_t value) { return value == of_group.front(); });
  });
}

/// Variables that neither the form nor the recordings depend on: lines may go on through other values of
/// them. Where ranks differ, p is none of these.
std::set<std::size_t> without_effect(const Form& form, const FeatureTable& table,
                                     std::span<const std::int64_t> values, std::size_t variable,
                                     const Scope& scope) {
  const Design& design = table.design();
  const bool by_rank = table.with_rank() && !is_the_same_on_all_ranks(design, values);
  std::set<std::size_t> out;
  for (std::size_t v = 0; v < design.variables(); ++v) {
    if (v == variable || involves(form, table, v) || (v == design.parameters.size() && by_rank)) continue;
    if (is_independent(design, values, v, scope)) out.insert(v);
  }
  return out;
}

}  // namespace

double accidental_matches(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values,
                          std::size_t variable, const Scope& scope) {
  double least = 1;
  JointLines joint(form, table, values, variable);
  const auto lines = lines_of(table.design(), variable, table.with_rank(), scope,
                              without_effect(form, table, values, variable, scope), kMostJointLines);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (k < kMostLines) least = std::min(least, accidental_on(lines[k], form, table, values, variable));
    joint.add(lines[k]);
  }
  return std::min(least, joint.expected());
}

double surplus_bits(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values,
                    std::size_t variable, const Scope& scope) {
  double most = -INFINITY;
  for (const Line& line : lines_of(table.design(), variable, table.with_rank(), scope,
                                   without_effect(form, table, values, variable, scope)))
    most = std::max(most, gain_on(line, form, table, values, variable));
  return most;
}

std::optional<std::size_t> group_to_extend(const Form& form, const FeatureTable& table,
                                           std::span<const std::int64_t> values, std::size_t variable) {
  std::optional<std::size_t> best;
  double least = INFINITY;
  for (const Line& line : lines_of(table.design(), variable, table.with_rank(), {})) {
    const double accidental = accidental_on(line, form, table, values, variable);
    if (accidental >= least) continue;
    least = accidental;
    best = table.design().cells[line.cells.front()].group;
  }
  return best;
}

std::vector<std::size_t> unestablished_variables(const Form& form, const FeatureTable& table,
                                                 std::span<const std::int64_t> values, const Scope& scope) {
  std::vector<std::size_t> open;
  const Design& design = table.design();
  const std::set<std::size_t> without = confirmed_without(form, table, scope);
  const auto established = [&](std::size_t v) {
    const bool is_p = v == design.parameters.size();
    const std::size_t needed = std::max<std::size_t>(3, parts_of(form, table, v) + 1);
    if (!without.contains(v) && !varied_alone(design, v, needed, scope, without)) return false;
    if (is_p && (!grids_are_seen(design, scope) || uses_recorded_grid(form, table))) return false;
    return !involves(form, table, v) ||
           (surplus_bits(form, table, values, v, scope) >= kLeastSurplus &&
            accidental_matches(form, table, values, v, scope) <= kMostAccidental);
  };
  for (std::size_t v = 0; v < design.variables(); ++v)
    if (!is_fixed(scope, v) && (!table.keeps_out() || !established(v))) open.push_back(v);
  return open;
}

std::vector<std::vector<double>> settling_values(const Form& form, const FeatureTable& table,
                                                 std::span<const std::int64_t> values,
                                                 const std::vector<std::size_t>& open) {
  const Design& design = table.design();
  std::set<std::vector<double>> seen;
  for (const Group& group : design.groups) {
    if (!is_evidence(design, group, {})) continue;
    std::vector<double> tuple;
    for (const std::size_t v : open) tuple.push_back(design.value(group, v));
    seen.insert(tuple);
  }
  std::vector<std::vector<double>> settling;
  for (const auto& tuple : seen) {
    Scope scope(design.variables());
    for (std::size_t i = 0; i < open.size(); ++i) scope[open[i]] = tuple[i];
    if (unestablished_variables(form, table, values, scope).empty()) settling.push_back(tuple);
  }
  return settling;
}

}  // namespace parcast::program
