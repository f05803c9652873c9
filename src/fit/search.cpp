// SPDX-License-Identifier: Apache-2.0
#include "fit/search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "fit/crossed.h"
#include "fit/orthogonal.h"
#include "fit/wide.h"
#include "statistics/growth_search.h"

namespace parcast::fit {
namespace {

constexpr double kTermCost = 3;  // nats, for each term after the first
constexpr double kReach = 7;     // hypotheses up to this many nats below the best matter
constexpr std::size_t kKept = 16;
constexpr std::size_t kExtended = 5;                             // sums that are extended by one more term
constexpr std::size_t kKeptCrossed = 48, kExtendedCrossed = 16;  // the same of processes crossed with sizes
constexpr double kSimple = 0.55;     // cost of an integer power, which is extended whatever its rank
constexpr double kDependent = 1e-9;  // fraction of a column's squared length
constexpr double kClose = 1e-6;      // fraction of the squared length of the target
constexpr double kClear = 1e-2;  // fraction of the same: a difference that large has nearly all its digits

struct TermRange {
  std::size_t first = 0, last = 0;  // excluding the last
};

// Multiplies a vector with some columns; entry (i, t) is row i of column t. Eight rows at a time, in their
// order, so that each sum is loaded and stored once for all of them.
PARCAST_WIDE void multiply(const double* entries, std::size_t rows, std::size_t terms, const double* vector,
                           TermRange of, double* to) {
  for (std::size_t t = of.first; t < of.last; ++t) to[t] = 0;
  std::size_t i = 0;
  for (; i + 8 <= rows; i += 8) {
    const double *a = entries + i * terms, *b = a + terms, *c = b + terms, *d = c + terms, *e = d + terms,
                 *f = e + terms, *g = f + terms, *h = g + terms;
    const double *v = vector + i, v0 = v[0], v1 = v[1], v2 = v[2], v3 = v[3], v4 = v[4], v5 = v[5], v6 = v[6],
                 v7 = v[7];
    for (std::size_t t = of.first; t < of.last; ++t)
      to[t] = to[t] + v0 * a[t] + v1 * b[t] + v2 * c[t] + v3 * d[t] + v4 * e[t] + v5 * f[t] + v6 * g[t] +
              v7 * h[t];
  }
  for (; i < rows; ++i) {
    const double *a = entries + i * terms, by = vector[i];
    for (std::size_t t = of.first; t < of.last; ++t) to[t] += by * a[t];
  }
}

// Columns and target relative to the expected values, columns at unit root mean square. Entry (i, t) is row i
// of term t, so that loops over all terms access memory in order.
class Columns {
 public:
  Columns(const ShapesOn& on, std::span<const double> values, std::span<const double> expected)
      : rows_(values.size()),
        terms_(on.shapes.size()),
        entries_(std::make_unique_for_overwrite<double[]>(rows_ * terms_)),
        target_(rows_),
        along_target_(terms_, 0.0),
        known_(terms_, 0) {
    fill(on, values.data(), expected.data());
  }
  std::size_t rows() const { return rows_; }
  const std::vector<double>& target() const { return target_; }
  const std::vector<double>& along_target() const { return along_target_; }
  void copy(std::size_t term, std::vector<double>& out) const {
    out.resize(rows_);
    for (std::size_t i = 0; i < rows_; ++i) out[i] = entries_[i * terms_ + term];
  }
  /// Computes the products of a vector with the columns of some terms, each at its index.
  void products(std::span<const double> vector, TermRange of, std::vector<double>& out) const {
    out.resize(terms_);
    multiply(entries_.get(), rows_, terms_, vector.data(), of, out.data());
  }
  /// Returns the products of the term's column with those of some terms; cached if all terms are requested.
  std::span<const double> products(std::size_t term, TermRange of) {
    if (known_[term] > 0) return products_[known_[term] - 1];
    copy(term, column_);
    if (of.last - of.first < terms_) {
      products(column_, of, some_);
      return some_;
    }
    products(column_, of, products_.emplace_back());
    known_[term] = products_.size();
    return products_.back();
  }

 private:
  PARCAST_WIDE void fill(const ShapesOn& on, const double* values, const double* expected) {
    std::vector<double> scale(terms_, 0.0);
    double *squares = scale.data(), *along = along_target_.data();
    for (std::size_t i = 0; i < rows_; ++i) {
      target_[i] = values[i] / expected[i];
      const double* shape = on.on(i).data();
      const double by = expected[i];
      double* row = entries_.get() + i * terms_;
      for (std::size_t t = 0; t < terms_; ++t) {
        row[t] = shape[t] / by;
        squares[t] += row[t] * row[t];
      }
    }
    for (std::size_t t = 0; t < terms_; ++t) squares[t] = std::sqrt(static_cast<double>(rows_) / squares[t]);
    for (std::size_t i = 0; i < rows_; ++i) {
      const double target = target_[i];
      double* row = entries_.get() + i * terms_;
      for (std::size_t t = 0; t < terms_; ++t) {
        row[t] *= squares[t];
        along[t] += row[t] * target;
      }
    }
  }

  std::size_t rows_, terms_;
  std::unique_ptr<double[]> entries_;
  std::vector<double> target_, along_target_;
  std::vector<std::size_t> known_;  // per term: index in products_, counted from one; 0: not yet
  std::vector<std::vector<double>> products_;
  std::vector<double> column_, some_;
};

// The sums tried before, independent of the order in which their terms were added.
class Tried {
 public:
  /// Reserves room for about this number of sums.
  explicit Tried(std::size_t expected) : table_(std::bit_ceil(2 * expected), 0) {}
  void clear() {
    std::ranges::fill(table_, 0);
    count_ = 0;
  }
  /// Returns false if the sum was present.
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
    std::vector<std::uint64_t> before(2 * table_.size(), 0);
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
  Searcher(const ShapesOn& on, std::span<const double> values, std::span<const double> expected,
           const Prior& prior)
      : shapes_(on.shapes),
        columns_(on, values, expected),
        evidence_(values.size(), options(prior)),
        left_(shapes_.size()),
        numerator_(shapes_.size()),
        most_(shapes_.size()),
        tried_(2 * shapes_.size()) {
    for (auto& each : common_) each.resize(shapes_.size());
  }

  static statistics::GrowthOptions options(const Prior& prior) {
    statistics::GrowthOptions out;
    out.expected_relative_noise = prior.relative_noise;
    out.expected_noise_weight = prior.weight;
    return out;
  }

  // Returns the sum of these terms, ascending; nothing if a coefficient would not be positive.
  std::optional<Sum> weighed(std::span<const std::size_t> terms) {
    const std::size_t last = terms.back();
    terms = terms.first(terms.size() - 1);
    if (!begin(terms, {last, last + 1}) || !(numerator_[last] > 0)) return std::nullopt;
    return trial(terms, last, -INFINITY);
  }

  void extend(std::span<const std::size_t> terms, std::vector<Sum>& found) {
    if (!begin(terms, {0, shapes_.size()})) return;
    bound(terms.size() + 1);
    double best = -INFINITY;
    for (const Sum& sum : found) best = std::max(best, sum.log_weight);
    for (std::size_t t = 1; t < shapes_.size(); ++t) {
      if (most_[t] < best - kReach || !(numerator_[t] > 0) || std::ranges::find(terms, t) != terms.end())
        continue;
      const auto sum = trial(terms, t, best - kReach);
      if (!sum) continue;
      best = std::max(best, sum->log_weight);
      found.push_back(*sum);
    }
  }

  // Finds single terms: those that can be among the best, and the simple ones.
  void singles(std::vector<Sum>& found) {
    begin({}, {0, shapes_.size()});
    bound(1);
    std::vector<double> sorted;
    for (std::size_t t = 0; t < shapes_.size(); ++t)
      if (numerator_[t] > 0) sorted.push_back(most_[t]);
    double least = -INFINITY;
    if (sorted.size() > kKept) {
      std::nth_element(sorted.begin(), sorted.begin() + (kKept - 1), sorted.end(), std::greater<>());
      // the last amount: fraction of the squared length
      least = sorted[kKept - 1] - evidence_.slack(1) - 0.03;
    }
    for (std::size_t t = 0; t < shapes_.size(); ++t) {
      if (!(numerator_[t] > 0) || (most_[t] < least && shapes_.cost[t] >= kSimple)) continue;
      if (const auto sum = trial({}, t, -INFINITY)) found.push_back(*sum);
    }
  }

  void forget() { tried_.clear(); }

 private:
  // Orthogonalizes the base's columns. For some terms, computes their components along these columns, the
  // rest of their squared length, and its product with the residual. All come from products of columns, which
  // bases share.
  PARCAST_WIDE bool begin(std::span<const std::size_t> terms, TermRange some) {
    base_.begin(columns_.target());
    for (const std::size_t term : terms) {
      columns_.copy(term, column_);
      if (!base_.add(column_, kDependent)) return false;
    }
    for (std::size_t t = some.first; t < some.last; ++t) left_[t] = static_cast<double>(columns_.rows());
    for (std::size_t t = some.first; t < some.last; ++t) numerator_[t] = columns_.along_target()[t];
    for (std::size_t k = 0; k < terms.size(); ++k) {
      share(terms, k, some);
      const double projection = base_.projection(k);
      const double* r = common_[k].data();
      double *left = left_.data(), *numerator = numerator_.data();
      for (std::size_t t = some.first; t < some.last; ++t) {
        left[t] -= r[t] * r[t];
        numerator[t] -= projection * r[t];
      }
    }
    base_squares_ = base_.residual_squares();
    // differences would have lost digits
    if (base_squares_ < kClose * static_cast<double>(columns_.rows()))
      columns_.products(base_.residual(), some, numerator_);
    cost_ = least_cost_of_more(terms);
    return true;
  }

  // Returns the least cost of the sum with one more term, except for this term's own cost.
  double least_cost_of_more(std::span<const std::size_t> terms) const {
    double cost = 0;
    if (!shapes_.processes.empty()) {
      for (const std::size_t t : terms) cost += shapes_.cost[t];
      return cost;
    }
    return cost_of(shapes_, terms) + (terms.empty() || (terms.size() == 1 && terms[0] == 0) ? 0 : kTermCost);
  }

  // Computes each term's component along the base's column k, orthogonal to the columns before.
  PARCAST_WIDE void share(std::span<const std::size_t> terms, std::size_t k, TermRange some) {
    const double length = base_.triangle(k, k);
    // for the same reason
    if (k > 0 && length * length < kClear * static_cast<double>(columns_.rows()))
      return columns_.products(base_.unit(k), some, common_[k]);
    const double* whole = columns_.products(terms[k], some).data();
    double* r = common_[k].data();
    if (k == 0) {
      for (std::size_t t = some.first; t < some.last; ++t) r[t] = whole[t] / length;
      return;
    }
    std::copy(whole + some.first, whole + some.last, r + some.first);
    for (std::size_t j = 0; j < k; ++j) {
      const double part = base_.triangle(j, k);
      const double* before = common_[j].data();
      for (std::size_t t = some.first; t < some.last; ++t) r[t] -= part * before[t];
    }
    for (std::size_t t = some.first; t < some.last; ++t) r[t] /= length;
  }

  // Bounds the weight of the sum with each further term: most cannot matter.
  PARCAST_WIDE void bound(std::size_t count) {
    const double squares = base_squares_, log_determinant = base_.log_determinant(), before = cost_;
    // a local copy, which the writes below cannot change
    const statistics::growth::Evidence evidence = evidence_;
    const double *left = left_.data(), *numerator = numerator_.data(), *cost = shapes_.cost.data();
    double* most = most_.data();
    for (std::size_t t = 0; t < shapes_.size(); ++t) {
      const double rest = squares - numerator[t] * numerator[t] / left[t];
      most[t] = evidence.at_most(count, rest > 0 ? rest : 0,
                                 log_determinant + 0.5 * statistics::growth::log_from_below(left[t])) -
                before - cost[t];
    }
  }

  // Returns whether all coefficients would be positive with the term.
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

  // Returns the sum with one more term, if its weight is at least `least` and it was not tried before.
  std::optional<Sum> trial(std::span<const std::size_t> terms, std::size_t added, double least) {
    if (!(left_[added] > kDependent * static_cast<double>(columns_.rows())) || !positive(added))
      return std::nullopt;
    const double squares =
        std::max(0.0, base_squares_ - numerator_[added] * numerator_[added] / left_[added]);
    const double evidence =
        evidence_(terms.size() + 1, squares, base_.log_determinant() + 0.5 * std::log(left_[added]));
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
    if (!shapes_.processes.empty() && sum.log_weight < least) return std::nullopt;
    return sum;
  }

  const Shapes& shapes_;
  Columns columns_;
  statistics::growth::Evidence evidence_;
  Orthogonal base_;
  double base_squares_ = 0, cost_ = 0;                  // of the base, and with the cost of a second term
  std::array<std::vector<double>, kMostTerms> common_;  // per column of the base, for every term
  std::vector<double> left_, numerator_, most_;         // for every term
  std::vector<double> column_;
  Tried tried_;
};

void keep_best(std::vector<Sum>& sums, std::size_t count) {
  const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(std::min(count, sums.size()));
  std::partial_sort(sums.begin(), middle, sums.end(), better);
  sums.erase(middle, sums.end());
}

// Keeps, of single terms, the best in order, followed by the simple ones in order.
void keep_best_and_simple(std::vector<Sum>& sums) {
  const auto best = sums.begin() + static_cast<std::ptrdiff_t>(std::min(kKept, sums.size()));
  std::partial_sort(sums.begin(), best, sums.end(), better);
  const auto end = std::remove_if(best, sums.end(), [](const Sum& sum) { return sum.cost >= kSimple; });
  std::sort(best, end, better);
  sums.erase(end, sums.end());
}

}  // namespace

double cost_of(const Shapes& shapes, std::span<const std::size_t> terms) {
  if (!shapes.processes.empty()) return cost_of_crossed(shapes, terms);
  double cost = 0;
  std::size_t beside = 0;
  for (const std::size_t t : terms) {
    cost += shapes.cost[t];
    if (t != 0 && beside++ > 0) cost += kTermCost;
  }
  return cost;
}

std::vector<Sum> search(const ShapesOn& on, std::span<const double> values, std::span<const double> expected,
                        const Prior& prior) {
  const Shapes& shapes = on.shapes;
  Searcher searcher(on, values, expected, prior);
  const std::size_t most = statistics::growth::most_parameters(values.size());
  const bool crossed = !shapes.processes.empty();
  const std::size_t kept = crossed ? kKeptCrossed : kKept,
                    most_extended = crossed ? kExtendedCrossed : kExtended;
  std::vector<Sum> level, found;
  level.reserve(64);
  found.reserve(64);
  searcher.singles(level);
  for (std::size_t count = 1;; ++count) {
    // The best of each size are extended even if larger sums fit far better: two good terms may each be poor
    // alone.
    if (count == 1)
      keep_best_and_simple(level);
    else
      keep_best(level, kept);
    found.insert(found.end(), level.begin(),
                 level.begin() + static_cast<std::ptrdiff_t>(std::min(kept, level.size())));
    if (count >= most) break;
    std::vector<Sum> larger;
    larger.reserve(256);
    const std::size_t constant = 0;
    if (count == 1) searcher.extend({&constant, 1}, larger);
    std::size_t extended = 0;
    for (const Sum& base : level)
      if ((count > 1 || base.terms[0] != 0) &&
          (extended++ < most_extended || (count == 1 && base.cost < kSimple)))
        searcher.extend(base.all(), larger);
    level = std::move(larger);
  }
  keep_best(found, kept);
  const double reach = found.empty() ? 0 : found.front().log_weight - kReach;
  std::erase_if(found, [&](const Sum& sum) { return sum.log_weight < reach; });
  searcher.forget();
  for (const auto& terms : shapes.plain) {
    if (terms.size() > 1 && terms.size() >= values.size()) continue;  // requires one point more than terms
    if (auto sum = searcher.weighed(terms);
        sum && std::ranges::none_of(found, [&](const Sum& each) { return each.same_terms(*sum); }))
      found.push_back(*sum);
  }
  keep_best(found, found.size());
  return found;
}

}  // namespace parcast::fit
