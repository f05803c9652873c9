// SPDX-License-Identifier: Apache-2.0
#include "fit/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "statistics/growth_search.h"

namespace parcast::fit {
namespace {

constexpr double kTermCost = 3;         // nats, of each term after the first
constexpr double kReach = 7;            // nats below the best that still matter
constexpr std::size_t kKept = 16;
constexpr std::size_t kExtended = 5;    // sums that are tried with one more term
constexpr double kSimple = 0.55;        // cost of a whole power, which is extended whatever its rank
constexpr double kDependent = 1e-9;     // of a column's squared length

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// Columns and target relative to the expected values, columns at unit root mean square.
class Columns {
 public:
  Columns(const Shapes& shapes, std::span<const double> values, std::span<const double> expected)
      : rows_(values.size()), entries_(shapes.values.size()) {
    for (std::size_t i = 0; i < rows_; ++i) target_.push_back(values[i] / expected[i]);
    for (std::size_t t = 0; t < shapes.size(); ++t) {
      const auto shape = shapes.of(t);
      double* out = entries_.data() + t * rows_;
      for (std::size_t i = 0; i < rows_; ++i) out[i] = shape[i] / expected[i];
      const double unit = std::sqrt(static_cast<double>(rows_) / dot(out, out, rows_));
      for (std::size_t i = 0; i < rows_; ++i) out[i] *= unit;
    }
  }
  std::size_t rows() const { return rows_; }
  const std::vector<double>& target() const { return target_; }
  const double* of(std::size_t term) const { return entries_.data() + term * rows_; }

 private:
  std::size_t rows_;
  std::vector<double> entries_, target_;
};

// An orthonormal basis of a sum's columns, and what they leave of the target.
struct Base {
  std::size_t count = 0;
  std::array<std::vector<double>, kMostTerms> unit;
  std::array<std::array<double, kMostTerms>, kMostTerms> triangle{};  // [column][row]
  std::array<double, kMostTerms> projection{};
  std::vector<double> residual;
  double residual_squares = 0;
  double log_determinant = 0;
};

std::optional<Base> base_of(const Columns& columns, std::span<const std::size_t> terms) {
  const std::size_t n = columns.rows();
  Base base;
  base.residual = columns.target();
  for (const std::size_t term : terms) {
    std::vector<double> q(columns.of(term), columns.of(term) + n);
    auto& r = base.triangle[base.count];
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < base.count; ++k) {
        const double product = dot(base.unit[k].data(), q.data(), n);
        for (std::size_t i = 0; i < n; ++i) q[i] -= product * base.unit[k][i];
        r[k] += product;
      }
    const double left = dot(q.data(), q.data(), n);
    if (!(left > kDependent * static_cast<double>(n))) return std::nullopt;
    const double length = std::sqrt(left);
    for (double& entry : q) entry /= length;
    r[base.count] = length;
    base.log_determinant += std::log(length);
    const double along = dot(q.data(), base.residual.data(), n);
    base.projection[base.count] = along;
    for (std::size_t i = 0; i < n; ++i) base.residual[i] -= along * q[i];
    base.unit[base.count++] = std::move(q);
  }
  base.residual_squares = dot(base.residual.data(), base.residual.data(), n);
  return base;
}

// Whether all coefficients would be positive with one more column.
bool positive(const Base& base, const std::array<double, kMostTerms>& r, double length, double along) {
  std::array<double, kMostTerms> c{};
  c[base.count] = along / length;
  if (!(c[base.count] > 0)) return false;
  for (std::size_t k = base.count; k-- > 0;) {
    double sum = base.projection[k] - r[k] * c[base.count];
    for (std::size_t j = k + 1; j < base.count; ++j) sum -= base.triangle[j][k] * c[j];
    c[k] = sum / base.triangle[k][k];
    if (!(c[k] > 0)) return false;
  }
  return true;
}

bool better(const Sum& a, const Sum& b) {
  if (a.log_weight != b.log_weight) return a.log_weight > b.log_weight;
  return a.count != b.count ? a.count < b.count : a.terms < b.terms;
}

class Searcher {
 public:
  Searcher(const Shapes& shapes, std::span<const double> values, std::span<const double> expected, const Prior& prior)
      : shapes_(shapes), columns_(shapes, values, expected), evidence_(values.size(), options(prior)) {}

  static statistics::GrowthOptions options(const Prior& prior) {
    statistics::GrowthOptions out;
    out.expected_relative_noise = prior.relative_noise;
    out.expected_noise_weight = prior.weight;
    return out;
  }

  // The sum of these terms; nothing where a coefficient would not be positive.
  std::optional<Sum> weighed(std::vector<std::size_t> terms) const {
    std::sort(terms.begin(), terms.end());
    const std::size_t last = terms.back();
    terms.pop_back();
    const auto base = base_of(columns_, terms);
    if (!base) return std::nullopt;
    return trial(*base, terms, last);
  }

  void extend(std::span<const std::size_t> terms, std::vector<Sum>& found) const {
    const auto base = base_of(columns_, terms);
    if (!base) return;
    double best = -INFINITY;
    if (!terms.empty())  // of single terms all are wanted
      for (const Sum& sum : found) best = std::max(best, sum.log_weight);
    for (std::size_t t = terms.empty() ? 0 : 1; t < shapes_.size(); ++t) {
      if (std::find(terms.begin(), terms.end(), t) != terms.end()) continue;
      const auto sum = trial(*base, terms, t);
      if (!sum || sum->log_weight < best - kReach) continue;
      if (!terms.empty()) best = std::max(best, sum->log_weight);
      found.push_back(*sum);
    }
  }

 private:
  std::optional<Sum> trial(const Base& base, std::span<const std::size_t> terms, std::size_t added) const {
    const std::size_t n = columns_.rows();
    const double* column = columns_.of(added);
    std::array<double, kMostTerms> r{};
    double left = static_cast<double>(n);
    for (std::size_t k = 0; k < base.count; ++k) {
      r[k] = dot(base.unit[k].data(), column, n);
      left -= r[k] * r[k];
    }
    if (!(left > kDependent * static_cast<double>(n))) return std::nullopt;
    const double length = std::sqrt(left);
    const double along = dot(column, base.residual.data(), n) / length;
    if (!positive(base, r, length, along)) return std::nullopt;
    Sum sum;
    std::size_t place = terms.size();
    for (; place > 0 && terms[place - 1] > added; --place) sum.terms[place] = terms[place - 1];
    sum.terms[place] = added;
    std::copy_n(terms.begin(), place, sum.terms.begin());
    sum.count = terms.size() + 1;
    sum.cost = cost_of(shapes_, sum.all());
    const double squares = std::max(0.0, base.residual_squares - along * along);
    sum.log_weight = evidence_(sum.count, squares, base.log_determinant + std::log(length)) - sum.cost;
    return sum;
  }

  const Shapes& shapes_;
  Columns columns_;
  statistics::growth::Evidence evidence_;
};

void keep_best(std::vector<Sum>& sums, std::size_t count) {
  // A sum that was found by several ways has weights that differ in the last digits.
  std::stable_sort(sums.begin(), sums.end(), [](const Sum& a, const Sum& b) { return a.count != b.count ? a.count < b.count : a.terms < b.terms; });
  sums.erase(std::unique(sums.begin(), sums.end(), [](const Sum& a, const Sum& b) { return a.same_terms(b); }), sums.end());
  std::sort(sums.begin(), sums.end(), better);
  if (sums.size() > count) sums.resize(count);
}

// The term of one argument alone; none: the size of the list.
std::size_t find_term(const Shapes& shapes, std::size_t argument, double exponent, int log_power) {
  for (std::size_t t = 0; t < shapes.size(); ++t) {
    bool same = true;
    for (std::size_t j = 0; j < shapes.terms[t].exponents.size() && same; ++j)
      same = shapes.terms[t].exponents[j] == (j == argument ? exponent : 0) &&
             shapes.terms[t].log_powers[j] == (j == argument ? log_power : 0);
    if (same) return t;
  }
  return shapes.size();
}

// What plain models say, whatever their evidence: they are compared by how they extrapolate.
std::vector<std::vector<std::size_t>> plain_sums(const Shapes& shapes, std::size_t points) {
  std::vector<std::vector<std::size_t>> sums{{0}};
  const std::size_t arguments = shapes.terms[0].exponents.size();
  for (std::size_t j = 0; j < arguments; ++j) {
    const std::size_t proportional = find_term(shapes, j, 1, 0), inverse = find_term(shapes, j, -1, 0);
    const std::size_t log = find_term(shapes, j, 0, 1), none = shapes.size();
    if (proportional != none) sums.push_back({proportional});
    if (inverse != none && points > 2) sums.push_back({0, inverse});
    if (inverse != none && log != none && points > 3) sums.push_back({0, inverse, log});
  }
  return sums;
}

}  // namespace

double cost_of(const Shapes& shapes, std::span<const std::size_t> terms) {
  double cost = 0;
  std::size_t beside = 0;
  for (const std::size_t t : terms) {
    cost += shapes.cost[t];
    if (t != 0 && beside++ > 0) cost += kTermCost;
  }
  return cost;
}

std::vector<Sum> search(const Shapes& shapes, std::span<const double> values, std::span<const double> expected, const Prior& prior) {
  const Searcher searcher(shapes, values, expected, prior);
  const std::size_t most = statistics::growth::most_parameters(values.size());
  std::vector<Sum> level, found;
  searcher.extend({}, level);
  for (std::size_t count = 1;; ++count) {
    // The best of each size are extended although larger sums may fit far better: two good terms may each be poor alone.
    keep_best(level, level.size());
    found.insert(found.end(), level.begin(), level.end());
    if (count >= most) break;
    std::vector<Sum> larger;
    const std::size_t constant = 0;
    if (count == 1) searcher.extend({&constant, 1}, larger);
    std::size_t extended = 0;
    for (const Sum& base : level)
      if ((count > 1 || base.terms[0] != 0) && (extended++ < kExtended || (count == 1 && base.cost < kSimple))) searcher.extend(base.all(), larger);
    level = std::move(larger);
  }
  keep_best(found, kKept);
  const double reach = found.empty() ? 0 : found.front().log_weight - kReach;
  std::erase_if(found, [&](const Sum& sum) { return sum.log_weight < reach; });
  for (auto& terms : plain_sums(shapes, values.size()))
    if (auto sum = searcher.weighed(std::move(terms))) found.push_back(*sum);
  keep_best(found, found.size());
  return found;
}

}  // namespace parcast::fit
