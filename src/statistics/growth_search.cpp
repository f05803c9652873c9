// SPDX-License-Identifier: Apache-2.0
#include "statistics/growth_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <set>
#include <string>
#include <unordered_set>

#include "statistics/distribution.h"

namespace parcast::statistics::growth {
namespace {

constexpr double kTermCost = 3;        // of each term after the first
constexpr double kReach = 6.9;         // nats below the best: one in a thousand
constexpr std::size_t kKept = 48;      // hypotheses returned
constexpr std::size_t kExtended = 16;  // hypotheses extended by one more term
// limit for the number of products of factors; above it, shorter lists are used
constexpr double kMostCandidates = 3000;

const std::vector<double> kFewExponents{-1, -0.5, 0, 0.5, 1, 1.5, 2, 3};
const std::vector<double> kManyExponents{-1,   -2.0 / 3, -0.5, -1.0 / 3, 0,   0.25,    1.0 / 3, 0.5, 2.0 / 3,
                                         0.75, 1,        1.25, 4.0 / 3,  1.5, 5.0 / 3, 2,       2.5, 3};

const std::vector<double> kWholeExponents{-1, 0, 1, 2};

// The factor of one argument: its power and the power of its logarithm.
struct Factor {
  double exponent = 0;
  int log_power = 0;
  double cost = 0;
};

std::size_t distinct_values(const GrowthData& data, std::size_t argument) {
  std::set<double> values;
  for (const auto& point : data.points) values.insert(point[argument]);
  return values.size();
}

// The size of the lists of factors. The first level with few enough products is used.
struct Level {
  const std::vector<double>* exponents = nullptr;
  int largest_log_power = 0;
};

std::vector<Factor> factors_of(const GrowthData& data, std::size_t argument, const GrowthOptions& options,
                               const Level& level) {
  const std::size_t distinct = distinct_values(data, argument);
  if (distinct < 2) return {Factor{}};
  double lowest = data.points[0][argument];
  for (const auto& point : data.points) lowest = std::min(lowest, point[argument]);
  std::vector<double> exponents = *level.exponents;
  if (argument < options.exponents.size() && !options.exponents[argument].empty())
    exponents = options.exponents[argument];
  if (std::find(exponents.begin(), exponents.end(), 0.0) == exponents.end()) exponents.push_back(0);
  int logs = level.largest_log_power;
  if (argument < options.largest_log_power.size()) logs = options.largest_log_power[argument];
  // two values cannot distinguish a logarithm from a power
  if (distinct < 3 || lowest < 1) logs = 0;
  std::vector<Factor> factors;
  for (const double exponent : exponents) {
    if (exponent < 0 && lowest <= 0) continue;
    for (int log = 0; log <= logs; ++log)
      factors.push_back({exponent, log, exponent_cost(exponent) + log_power_cost(log)});
  }
  return factors;
}

std::vector<std::vector<Factor>> all_factors(const GrowthData& data, const GrowthOptions& options) {
  const std::size_t points = data.points.size();
  std::vector<Level> levels{{&kFewExponents, 1}, {&kFewExponents, 0}, {&kWholeExponents, 0}};
  if (points > 6) levels.insert(levels.begin(), {&kManyExponents, 1});
  if (points > 12) levels.insert(levels.begin(), {&kManyExponents, 2});
  std::vector<std::vector<Factor>> factors;
  for (const Level& level : levels) {
    factors.clear();
    double count = 1;
    for (std::size_t j = 0; j < data.arguments.size(); ++j) {
      factors.push_back(factors_of(data, j, options, level));
      count *= static_cast<double>(factors.back().size());
    }
    if (count <= kMostCandidates) break;
  }
  return factors;
}

// Returns the factor's value at each observation.
std::vector<double> factor_values(const GrowthData& data, std::size_t argument, const Factor& factor) {
  std::vector<double> values;
  for (const auto& point : data.points)
    values.push_back(shape_value({1, {factor.exponent}, {factor.log_power}}, {&point[argument], 1}));
  return values;
}

// Converts the shape's values to the column. Returns false if it overflows, vanishes or does not vary (the
// constant then represents it).
bool finish_column(Candidate& candidate, const Rows& rows) {
  std::vector<double>& column = candidate.column;
  const auto [lowest, highest] = std::minmax_element(column.begin(), column.end());
  const bool varies = candidate.cost == 0 || *highest > *lowest * (1 + 1e-9);
  for (std::size_t i = 0; i < column.size(); ++i) column[i] *= rows.scale[i];
  const double squares = std::inner_product(column.begin(), column.end(), column.begin(), 0.0);
  if (!varies || !std::isfinite(squares) || squares <= 0) return false;
  candidate.scale = 1 / std::sqrt(squares / static_cast<double>(column.size()));
  for (double& entry : column) entry *= candidate.scale;
  return true;
}

// Derived arguments give one shape in several forms. Of equal columns the simplest is kept.
void keep_simplest_of_equal(std::vector<Candidate>& candidates) {
  const auto digits_of = [](const Candidate& c) {
    std::string digits(c.column.size() * sizeof(long long), '\0');
    for (std::size_t i = 0; i < c.column.size(); ++i) {
      const long long entry = std::llround(c.column[i] * 1e7);
      std::memcpy(digits.data() + i * sizeof entry, &entry, sizeof entry);
    }
    return digits;
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  std::unordered_set<std::string> seen;
  std::erase_if(candidates, [&](const Candidate& c) { return !seen.insert(digits_of(c)).second; });
}

bool better(const Found& a, const Found& b) {
  if (a.log_weight != b.log_weight) return a.log_weight > b.log_weight;
  return a.candidates < b.candidates;
}

// The hypotheses found so far, limited to the best few.
class Ranking {
 public:
  bool accepts(double log_weight) const { return !(log_weight < threshold_); }

  void offer(Found found) {
    if (!accepts(found.log_weight)) return;
    found_.push_back(std::move(found));
    if (found_.size() >= 8 * kKept) best(kKept);
  }

  /// Returns the best `count` in order. Candidates ranked below kKept are dropped.
  std::vector<Found> best(std::size_t count) {
    std::sort(found_.begin(), found_.end(), better);
    const auto same = [](const Found& a, const Found& b) { return a.candidates == b.candidates; };
    found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
    if (found_.size() >= kKept) {
      found_.resize(kKept);
      threshold_ = found_.back().log_weight;
    }
    return {found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(std::min(count, found_.size()))};
  }

 private:
  std::vector<Found> found_;
  double threshold_ = -INFINITY;
};

// Inner products of some columns with all candidates, which lie row by row so that loops over candidates use
// vector registers.
class Products {
 public:
  static constexpr std::size_t kBlock = 256;  // candidates
  using OfBlock = std::array<double, kBlock>;

  Products(const std::vector<Candidate>& candidates, std::size_t rows)
      : candidates_(candidates.size()), rows_(rows), entries_(candidates_ * rows), squares_(candidates_) {
    for (std::size_t c = 0; c < candidates_; ++c)
      for (std::size_t i = 0; i < rows; ++i) {
        const double entry = candidates[c].column[i];
        entries_[i * candidates_ + c] = entry, squares_[c] += entry * entry;
      }
  }

  double squares(std::size_t candidate) const { return squares_[candidate]; }

  /// Sets the products of a column with the candidates from `first` on.
  void set(std::span<const double> column, std::size_t first, OfBlock& products) const {
    const std::size_t count = std::min(kBlock, candidates_ - first);
    products.fill(0);
    for (std::size_t i = 0; i < rows_; ++i) {
      const double* entries = entries_.data() + i * candidates_ + first;
      const double factor = column[i];
      for (std::size_t c = 0; c < count; ++c) products[c] += factor * entries[c];
    }
  }

 private:
  std::size_t candidates_, rows_;
  std::vector<double> entries_, squares_;
};

// Computes all extensions of one set of columns by one more.
class Extender {
 public:
  Extender(const std::vector<Candidate>& candidates, const Rows& rows, const GrowthOptions& options)
      : candidates_(candidates),
        rows_(rows),
        evidence_(rows.target.size(), options),
        products_(candidates, rows.target.size()) {}

  void offer_constant(Ranking& ranking) const {
    Basis basis(rows_.target);
    if (basis.add(candidates_[0].column))
      ranking.offer({{0}, evidence_(1, basis.residual_squares(), basis.log_determinant())});
  }

  void extend(const std::vector<std::size_t>& base, Ranking& ranking) const {
    Basis basis(rows_.target);
    double cost = 0;
    for (const std::size_t c : base) {
      if (!basis.add(candidates_[c].column)) return;
      // for the previous term, since another one is added
      if (c != 0) cost += candidates_[c].cost + kTermCost;
    }
    std::vector<double> scratch(rows_.target.size());
    Estimates estimates(*this, basis);
    for (std::size_t c = 1; c < candidates_.size(); ++c) {
      if (!ranking.accepts(estimates.most(c) - cost - candidates_[c].cost)) continue;
      if (std::find(base.begin(), base.end(), c) != base.end()) continue;
      const auto trial = basis.with(candidates_[c].column, scratch);
      if (!trial) continue;
      const double log_weight = evidence_(basis.size() + 1, trial->residual_squares, trial->log_determinant) -
                                cost - candidates_[c].cost;
      if (!ranking.accepts(log_weight)) continue;
      Found one{base, log_weight};
      one.candidates.push_back(c);
      std::sort(one.candidates.begin(), one.candidates.end());
      ranking.offer(std::move(one));
    }
  }

 private:
  // Upper bounds of the evidence, from inner products alone: most candidates need no more.
  class Estimates {
   public:
    Estimates(const Extender& of, const Basis& basis)
        : of_(of),
          basis_(basis),
          residual_squares_(basis.residual_squares()),
          log_determinant_(basis.log_determinant()) {}

    /// Returns the bound, without the costs; infinite where rounding could matter. Candidates ascend.
    double most(std::size_t c) {
      if (c >= end_) advance(c);
      const double whole = of_.products_.squares(c), projection = onto_residual_[c - first_];
      double left = whole;
      for (std::size_t k = 0; k < basis_.size(); ++k) left -= onto_[k][c - first_] * onto_[k][c - first_];
      if (!(left > kSure * whole)) return INFINITY;
      if (projection < -kSure * std::sqrt(whole * residual_squares_)) return -INFINITY;
      const double squares = residual_squares_ - projection * projection / left;
      if (!(squares > kSure * residual_squares_)) return INFINITY;
      return of_.evidence_(basis_.size() + 1, squares, log_determinant_ + 0.5 * std::log(left)) + kMargin;
    }

   private:
    static constexpr double kSure = 1e-5, kMargin = 1e-6;  // far above the rounding of sums of a few rows

    void advance(std::size_t c) {
      first_ = c / Products::kBlock * Products::kBlock, end_ = first_ + Products::kBlock;
      of_.products_.set(basis_.residual(), first_, onto_residual_);
      for (std::size_t k = 0; k < basis_.size(); ++k) of_.products_.set(basis_.unit(k), first_, onto_[k]);
    }

    const Extender& of_;
    const Basis& basis_;
    double residual_squares_, log_determinant_;
    std::size_t first_ = 0, end_ = 0;
    Products::OfBlock onto_residual_{};
    std::array<Products::OfBlock, kMaximalColumns> onto_{};
  };

  const std::vector<Candidate>& candidates_;
  const Rows& rows_;
  Evidence evidence_;
  Products products_;
};

std::size_t terms_of(const Found& found) {
  return found.candidates.size() - (found.candidates[0] == 0 ? 1 : 0);
}

}  // namespace

std::size_t most_parameters(std::size_t points) {
  if (points <= 2) return 1;
  if (points <= 5) return 2;
  return std::min(kMaximalColumns, points / 2);
}

double exponent_cost(double exponent) {
  const double size = std::abs(exponent);
  if (size == 0) return 0;
  if (size == std::round(size)) return 0.2 + 0.1 * size;
  if (2 * size == std::round(2 * size)) return 1.5 + 0.1 * size;
  return 2.5 + 0.1 * size;
}

double log_power_cost(int power) {
  return power == 0 ? 0 : 1.5 + power;
}

double rare_growth_cost(const GrowthTerm& shape, const GrowthOptions& options) {
  double degree = 0;
  for (std::size_t j = 0; j < shape.exponents.size() && j < options.rare_degrees.size(); ++j)
    degree += (shape.exponents[j] + 0.5 * shape.log_powers[j]) * options.rare_degrees[j];
  return options.nats_per_rare_degree * std::max({0.0, degree, options.least_rare_degree - degree});
}

double steep_growth_cost(const GrowthTerm& shape, const GrowthOptions& options) {
  double degree = 0, usual = 0;
  for (std::size_t j = 0; j < shape.exponents.size() && j < options.data_degrees.size(); ++j) {
    if (!(shape.exponents[j] > 0) || !(options.data_degrees[j] > 0)) continue;
    degree += shape.exponents[j] * options.data_degrees[j];
    usual = std::max(usual, options.usual_degrees[j]);
  }
  return options.nats_per_steep_degree * std::max(0.0, degree - usual);
}

bool within_degrees(const std::vector<double>& exponents, const GrowthOptions& options) {
  double grows = 0, size = 0, steepest = 0, second = 0;  // the last two: of sizes
  for (std::size_t j = 0; j < exponents.size() && j < options.degrees.size(); ++j)
    grows += std::max(0.0, exponents[j]) * options.degrees[j];
  for (std::size_t j = 0; j < exponents.size() && j < options.size_degrees.size(); ++j) {
    const double degree = exponents[j] * options.size_degrees[j];
    size += degree;
    second = std::max(second, std::min(degree, steepest));
    steepest = std::max(steepest, degree);
  }
  grows -= std::min(second, options.further_degree);
  return grows <= options.largest_degree + 1e-9 && size >= options.least_size_degree - 1e-9;
}

std::vector<Candidate> make_candidates(const GrowthData& data, const Rows& rows,
                                       const GrowthOptions& options) {
  const auto factors = all_factors(data, options);
  std::vector<std::vector<std::vector<double>>> values(factors.size());
  for (std::size_t j = 0; j < factors.size(); ++j)
    for (const Factor& factor : factors[j]) values[j].push_back(factor_values(data, j, factor));
  std::vector<Candidate> candidates;
  std::vector<std::size_t> choice(factors.size(), 0);
  for (std::size_t j = 0; j < factors.size() || factors.empty();) {
    Candidate c;
    c.column.assign(data.values.size(), 1.0);
    for (std::size_t k = 0; k < factors.size(); ++k) {
      const Factor& factor = factors[k][choice[k]];
      c.shape.exponents.push_back(factor.exponent);
      c.shape.log_powers.push_back(factor.log_power);
      c.cost += factor.cost;
      for (std::size_t i = 0; i < c.column.size(); ++i) c.column[i] *= values[k][choice[k]][i];
    }
    c.cost += rare_growth_cost(c.shape, options) + steep_growth_cost(c.shape, options);
    if (within_degrees(c.shape.exponents, options) && finish_column(c, rows))
      candidates.push_back(std::move(c));
    if (factors.empty()) break;
    for (j = 0; j < factors.size() && ++choice[j] == factors[j].size(); ++j) choice[j] = 0;
  }
  keep_simplest_of_equal(candidates);  // the constant, of cost 0, comes first
  return candidates;
}

// Integrates the normal likelihood over coefficients (each column's share of the value has a prior density of
// one) and over the noise (scaled inverse chi-square prior).
Evidence::Evidence(std::size_t rows, const GrowthOptions& options)
    : expected_squares_(options.expected_noise_weight * options.expected_relative_noise *
                        options.expected_relative_noise) {
  for (std::size_t columns = 0; columns <= std::min(kMaximalColumns, rows); ++columns) {
    const auto free = static_cast<double>(rows - columns);
    degrees_[columns] = options.expected_noise_weight + free;
    constants_[columns] = log_gamma(degrees_[columns] / 2) - 0.5 * free * std::log(std::numbers::pi);
  }
}

double Evidence::operator()(std::size_t columns, double residual_squares, double log_determinant) const {
  return constants_[columns] - log_determinant -
         0.5 * degrees_[columns] * std::log(expected_squares_ + residual_squares);
}

double Evidence::most_squares(std::size_t columns, double log_determinant, double least) const {
  constexpr double kRounding = 1e-9;
  return (1 + kRounding) *
             std::exp((constants_[columns] - log_determinant - least) / (0.5 * degrees_[columns])) -
         expected_squares_;
}

std::vector<Found> search(const std::vector<Candidate>& candidates, const Rows& rows,
                          const GrowthOptions& options) {
  const Extender extender(candidates, rows, options);
  const std::size_t columns = most_parameters(rows.target.size());
  Ranking ranking;
  if (options.constant_allowed || candidates.size() == 1) extender.offer_constant(ranking);
  if (rows.target.size() > 1) extender.extend({}, ranking);
  if (columns >= 2 && options.constant_allowed) extender.extend({0}, ranking);
  for (std::size_t terms = 2; terms <= options.maximal_terms; ++terms)
    for (const Found& base : ranking.best(kExtended))
      if (base.candidates.size() < columns && terms_of(base) + 1 == terms)
        extender.extend(base.candidates, ranking);
  std::vector<Found> all = ranking.best(kKept);
  const double reach = all.front().log_weight - kReach;
  std::erase_if(all, [&](const Found& f) { return f.log_weight < reach; });
  return all;
}

}  // namespace parcast::statistics::growth
