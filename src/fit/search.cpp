// SPDX-License-Identifier: Apache-2.0
#include "fit/search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "fit/orthogonal.h"
#include "statistics/growth_search.h"

namespace parcast::fit {
namespace {

constexpr double kTermCost = 3;         // nats, of each term after the first
constexpr double kReach = 7;            // nats below the best that still matter
constexpr std::size_t kKept = 16;
constexpr std::size_t kExtended = 5;    // sums that are tried with one more term
constexpr double kSimple = 0.55;        // cost of a whole power, which is extended whatever its rank
constexpr double kDependent = 1e-9;     // of a column's squared length
constexpr double kClose = 1e-6;         // of the squared length of the target
constexpr double kClear = 1e-2;         // of the same: what is left by differences has nearly all its digits

// Columns and target relative to the expected values, columns at unit root mean square; entry (i, t) of row i and term t, so that
// what is asked of all terms goes through memory in order.
class Columns {
 public:
  Columns(const Shapes& shapes, std::span<const double> values, std::span<const double> expected)
      : rows_(values.size()), terms_(shapes.size()), entries_(shapes.values.size()), along_target_(shapes.size(), 0.0), products_(shapes.size()) {
    std::vector<double> squares(terms_, 0.0);
    for (std::size_t i = 0; i < rows_; ++i) {
      target_.push_back(values[i] / expected[i]);
      double* row = entries_.data() + i * terms_;
      for (std::size_t t = 0; t < terms_; ++t) row[t] = shapes.values[t * rows_ + i];
      for (std::size_t t = 0; t < terms_; ++t) row[t] /= expected[i];
      for (std::size_t t = 0; t < terms_; ++t) squares[t] += row[t] * row[t];
    }
    for (double& square : squares) square = std::sqrt(static_cast<double>(rows_) / square);
    for (std::size_t i = 0; i < rows_; ++i) {
      double* row = entries_.data() + i * terms_;
      for (std::size_t t = 0; t < terms_; ++t) row[t] *= squares[t];
      for (std::size_t t = 0; t < terms_; ++t) along_target_[t] += row[t] * target_[i];
    }
  }
  std::size_t rows() const { return rows_; }
  const std::vector<double>& target() const { return target_; }
  const std::vector<double>& along_target() const { return along_target_; }
  std::vector<double> of(std::size_t term) const {
    std::vector<double> out(rows_);
    for (std::size_t i = 0; i < rows_; ++i) out[i] = entries_[i * terms_ + term];
    return out;
  }
  /// The products of a vector with all columns.
  void products(std::span<const double> vector, std::vector<double>& out) const {
    out.assign(terms_, 0.0);
    for (std::size_t i = 0; i < rows_; ++i) {
      const double* row = entries_.data() + i * terms_;
      for (std::size_t t = 0; t < terms_; ++t) out[t] += vector[i] * row[t];
    }
  }
  /// Of the term's column with all columns.
  const std::vector<double>& products(std::size_t term) {
    std::vector<double>& out = products_[term];
    if (out.empty()) products(of(term), out);
    return out;
  }

 private:
  std::size_t rows_, terms_;
  std::vector<double> entries_, target_, along_target_;
  std::vector<std::vector<double>> products_;  // filled when first asked for
};

// Sums that were tried before, whatever the order in which their terms were added.
class Tried {
 public:
  /// False where it was there.
  bool insert(const Sum& sum) {
    if (2 * (count_ + 1) > table_.size()) grow();
    return place(key_of(sum));
  }

 private:
  static std::uint64_t key_of(const Sum& sum) {
    std::uint64_t key = 0;
    for (const std::size_t term : sum.all()) key = key << 16 | (term + 1);
    return key;
  }
  bool place(std::uint64_t key) {
    std::size_t at = static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> 20) & (table_.size() - 1);
    while (table_[at] != 0 && table_[at] != key) at = (at + 1) & (table_.size() - 1);
    const bool added = table_[at] == 0;
    table_[at] = key;
    count_ += added;
    return added;
  }
  void grow() {
    std::vector<std::uint64_t> before(std::max<std::size_t>(256, 2 * table_.size()), 0);
    std::swap(before, table_);
    count_ = 0;
    for (const std::uint64_t key : before)
      if (key != 0) place(key);
  }
  std::vector<std::uint64_t> table_;
  std::size_t count_ = 0;
};

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
  std::optional<Sum> weighed(std::vector<std::size_t> terms) {
    std::sort(terms.begin(), terms.end());
    const std::size_t last = terms.back();
    terms.pop_back();
    if (!begin(terms) || !(numerator_[last] > 0)) return std::nullopt;
    return trial(terms, last, -INFINITY);
  }

  void extend(std::span<const std::size_t> terms, std::vector<Sum>& found) {
    if (!begin(terms)) return;
    double best = -INFINITY;
    if (!terms.empty())  // of single terms all are wanted
      for (const Sum& sum : found) best = std::max(best, sum.log_weight);
    for (std::size_t t = terms.empty() ? 0 : 1; t < shapes_.size(); ++t) {
      if (!(numerator_[t] > 0) || std::ranges::find(terms, t) != terms.end()) continue;
      const auto sum = trial(terms, t, best - kReach);
      if (!sum) continue;
      if (!terms.empty()) best = std::max(best, sum->log_weight);
      found.push_back(*sum);
    }
  }

  void forget() { tried_ = {}; }

 private:
  // The base's columns made orthogonal, and of every term what it has in common with them, what is left of its squared length,
  // and its product with the residual: all from products of columns, which bases share.
  bool begin(std::span<const std::size_t> terms) {
    base_.begin(columns_.target());
    for (const std::size_t term : terms)
      if (!base_.add(columns_.of(term), kDependent)) return false;
    const std::size_t count = shapes_.size();
    left_.assign(count, static_cast<double>(columns_.rows()));
    numerator_ = columns_.along_target();
    for (std::size_t k = 0; k < terms.size(); ++k) {
      auto& r = common_[k];
      const double length = base_.triangle(k, k), projection = base_.projection(k);
      if (k > 0 && length * length < kClear * static_cast<double>(columns_.rows())) {
        columns_.products(base_.unit(k), r);  // differences would have lost digits
      } else {
        r = columns_.products(terms[k]);
        for (std::size_t j = 0; j < k; ++j) {
          const double part = base_.triangle(j, k);
          for (std::size_t t = 0; t < count; ++t) r[t] -= part * common_[j][t];
        }
        for (std::size_t t = 0; t < count; ++t) r[t] /= length;
      }
      for (std::size_t t = 0; t < count; ++t) {
        left_[t] -= r[t] * r[t];
        numerator_[t] -= projection * r[t];
      }
    }
    base_squares_ = base_.residual_squares();
    if (base_squares_ < kClose * static_cast<double>(columns_.rows())) columns_.products(base_.residual(), numerator_);  // for the same reason
    cost_ = cost_of(shapes_, terms) + (terms.empty() || (terms.size() == 1 && terms[0] == 0) ? 0 : kTermCost);
    return true;
  }

  // Whether all coefficients would be positive with the term.
  bool positive(std::size_t added) const {
    std::array<double, kMostTerms> c{};
    const std::size_t count = base_.size();
    c[count] = numerator_[added] / left_[added];
    if (!(c[count] > 0)) return false;
    for (std::size_t k = count; k-- > 0;) {
      double sum = base_.projection(k) - common_[k][added] * c[count];
      for (std::size_t j = k + 1; j < count; ++j) sum -= base_.triangle(k, j) * c[j];
      c[k] = sum / base_.triangle(k, k);
      if (!(c[k] > 0)) return false;
    }
    return true;
  }

  // The sum with one more term, if its weight is at least `least` and it was not tried before.
  std::optional<Sum> trial(std::span<const std::size_t> terms, std::size_t added, double least) {
    if (!(left_[added] > kDependent * static_cast<double>(columns_.rows())) || !positive(added)) return std::nullopt;
    const double squares = std::max(0.0, base_squares_ - numerator_[added] * numerator_[added] / left_[added]);
    const double evidence = evidence_(terms.size() + 1, squares, base_.log_determinant() + 0.5 * std::log(left_[added]));
    if (evidence - (cost_ + shapes_.cost[added]) < least) return std::nullopt;
    Sum sum;
    std::size_t place = terms.size();
    for (; place > 0 && terms[place - 1] > added; --place) sum.terms[place] = terms[place - 1];
    sum.terms[place] = added;
    std::copy_n(terms.begin(), place, sum.terms.begin());
    sum.count = terms.size() + 1;
    if (sum.count > 1 && !tried_.insert(sum)) return std::nullopt;
    sum.cost = cost_of(shapes_, sum.all());
    sum.log_weight = evidence - sum.cost;
    return sum;
  }

  const Shapes& shapes_;
  Columns columns_;
  statistics::growth::Evidence evidence_;
  Orthogonal base_;
  double base_squares_ = 0, cost_ = 0;                  // of the base, with that of a term beside it
  std::array<std::vector<double>, kMostTerms> common_;  // per column of the base, of every term
  std::vector<double> left_, numerator_;                // of every term
  Tried tried_;
};

void keep_best(std::vector<Sum>& sums, std::size_t count) {
  const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(std::min(count, sums.size()));
  std::partial_sort(sums.begin(), middle, sums.end(), better);
  sums.erase(middle, sums.end());
}

// The term of one argument alone; none: the size of the list.
std::size_t find_term(const Shapes& shapes, std::size_t argument, double exponent, int log_power) {
  for (std::size_t t = 0; t < shapes.size(); ++t) {
    bool same = true;
    for (std::size_t j = 0; j < shapes.arguments && same; ++j) {
      const std::size_t at = t * shapes.arguments + j;
      same = shapes.exponents[at] == (j == argument ? exponent : 0) && shapes.log_powers[at] == (j == argument ? log_power : 0);
    }
    if (same) return t;
  }
  return shapes.size();
}

// What plain models say, whatever their evidence: they are compared by how they extrapolate.
std::vector<std::vector<std::size_t>> plain_sums(const Shapes& shapes, std::size_t points) {
  std::vector<std::vector<std::size_t>> sums{{0}};
  for (std::size_t j = 0; j < shapes.arguments; ++j) {
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
  Searcher searcher(shapes, values, expected, prior);
  const std::size_t most = statistics::growth::most_parameters(values.size());
  std::vector<Sum> level, found;
  searcher.extend({}, level);
  for (std::size_t count = 1;; ++count) {
    // The best of each size are extended although larger sums may fit far better: two good terms may each be poor alone.
    keep_best(level, count == 1 ? level.size() : kKept);
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
  searcher.forget();
  for (auto& terms : plain_sums(shapes, values.size()))
    if (auto sum = searcher.weighed(std::move(terms)); sum && std::ranges::none_of(found, [&](const Sum& each) { return each.same_terms(*sum); }))
      found.push_back(*sum);
  keep_best(found, found.size());
  return found;
}

}  // namespace parcast::fit
