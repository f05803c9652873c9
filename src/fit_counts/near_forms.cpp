// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/near_forms.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "model/binding.h"

namespace parcast::program {
namespace {

constexpr double kBitsAbove = 2;          // other forms may be this much longer than the form's own features
constexpr std::size_t kMostShapes = 400;  // of other forms with one term
constexpr std::size_t kMostPairShapes = 60;
constexpr double kDistances[]{1, 2, 4};  // in units of the form's smallest step

Wide common_divisor(Wide a, Wide b) {
  while (b != 0) std::swap(a %= b, b);
  return a < 0 ? -a : a;
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

}  // namespace

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

double accidental_on_all(const std::vector<Line>& lines, const Form& form, const FeatureTable& table,
                         std::span<const std::int64_t> values, std::size_t variable) {
  JointLines joint(form, table, values, variable);
  for (const Line& line : lines) joint.add(line);
  return joint.expected();
}

}  // namespace parcast::program
