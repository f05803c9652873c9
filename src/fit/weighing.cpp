// SPDX-License-Identifier: Apache-2.0
#include "fit/weighing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace parcast::fit {
namespace {

constexpr double kNegligible = 0.004;  // fraction of the largest weight
constexpr double kPowerLawCost = 0.5;  // its exponents have a prior density of one per unit
constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::size_t kRowsAtATime = 16;
constexpr double kRounding = 1e-9;  // nats

// Sorts by weight, the largest first; equal ones by relation and sum, with a power law last.
bool heavier(const Weighed& a, const Weighed& b) {
  if (a.weight != b.weight) return a.weight > b.weight;
  return a.relation != b.relation ? a.relation < b.relation : a.sum < b.sum;
}

std::vector<std::size_t> alike_together(std::span<const Sum> sums) {
  std::vector<std::size_t> order(sums.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(sums[a].all(), sums[b].all());
  });
  return order;
}

std::size_t common_terms(const Sum& a, const Sum& b) {
  std::size_t count = 0;
  while (count < a.count && count < b.count && a.terms[count] == b.terms[count]) ++count;
  return count;
}

}  // namespace

statistics::GrowthOptions options_of(std::span<const double> relative_errors, const Prior& prior) {
  double squares = 0;
  for (const double e : relative_errors) squares += e * e / static_cast<double>(relative_errors.size());
  statistics::GrowthOptions options;
  options.expected_relative_noise = std::sqrt(prior.relative_noise * prior.relative_noise + squares);
  options.expected_noise_weight = prior.weight;
  return options;
}

double normalise(std::vector<Weighed>& hypotheses, std::size_t most) {
  std::sort(hypotheses.begin(), hypotheses.end(), heavier);
  const double best = hypotheses.front().weight;
  double total = 0;
  for (Weighed& each : hypotheses) each.weight = std::exp(each.weight - best);
  std::erase_if(hypotheses, [](const Weighed& each) { return each.weight < kNegligible; });
  if (hypotheses.size() > most) hypotheses.resize(most);
  for (const Weighed& each : hypotheses) total += each.weight;
  for (Weighed& each : hypotheses) each.weight /= total;
  return best + std::log(total);
}

Weighing::Weighing(const Values& values, const PointSet& set, const ShapesOn& on, std::span<const Sum> sums,
                   const Prior& prior)
    : values_(values),
      set_(set),
      shapes_(on.shapes),
      sampled_(!on.searched.empty()),
      sums_(sums),
      order_(alike_together(sums)),
      rows_(values.values.size()),
      options_(options_of(values.relative_errors, prior)),
      evidence_(rows_, options_),
      member_(shapes_.size(), kNone),
      ratio_(rows_),
      work_(rows_) {
  std::vector<std::size_t> members;
  logs_.reserve(rows_);
  for (const Sum& sum : sums_)
    for (const std::size_t term : sum.all()) {
      if (member_[term] != kNone) continue;
      member_[term] = members.size();
      members.push_back(term);
    }
  if (sampled_) {
    shape_ = fit::values_of(shapes_, members, set.points);
  } else {
    shape_.reserve(members.size() * rows_);
    for (const std::size_t term : members)
      for (std::size_t i = 0; i < rows_; ++i) shape_.push_back(on.on(i)[term]);
  }
  for (const double value : values_.values) logs_.push_back(std::log(value));
  middle_ = std::accumulate(logs_.begin(), logs_.end(), 0.0) / static_cast<double>(rows_);
  varied_ = std::span(set.varied).first(std::min(set.varied.size(), statistics::growth::kMaximalColumns - 1));
  const bool positive =
      std::ranges::none_of(varied_, [&](std::size_t j) { return set.logarithms[j].empty(); });
  if (!positive || varied_.size() + 1 > statistics::growth::most_parameters(rows_)) varied_ = {};
}

void Weighing::relative_to(std::span<const double> expected) {
  for (std::size_t i = 0; i < rows_; ++i) ratio_[i] = values_.values[i] / expected[i];
  relative_.resize(shape_.size());
  scale_.clear();
  for (std::size_t at = 0; at < shape_.size(); at += rows_) {
    double squares = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
      const double entry = shape_[at + i] / expected[i];
      relative_[at + i] = entry;
      squares += entry * entry;
    }
    scale_.push_back(std::sqrt(static_cast<double>(rows_) / squares));
    for (std::size_t i = 0; i < rows_; ++i) relative_[at + i] *= scale_.back();
  }
  for (std::size_t k = 0; k < kRelations.size(); ++k) columns_[k].clear(), target_[k].clear();
  residuals_.clear();
  least_ = -INFINITY;
}

void Weighing::whiten_members(std::size_t relation, const Whitening& whitening) {
  if (!target_[relation].empty()) return;
  target_[relation] = ratio_;
  whitening.apply(target_[relation]);
  columns_[relation] = relative_;
  whitening.apply_each(columns_[relation]);
}

std::span<const double> Weighing::whitened(std::size_t relation, std::size_t term) const {
  return std::span(columns_[relation]).subspan(member_[term] * rows_, rows_);
}

std::vector<Weighed> Weighing::weigh(std::span<const std::shared_ptr<const Whitening>> whitenings,
                                     bool power_laws) {
  std::vector<Weighed> out;
  out.reserve(64);
  // The sum that seemed best sets the weight that the others have to reach.
  const std::size_t best = 0;
  std::vector<std::size_t> others = order_;
  std::erase(others, best);
  for (std::size_t k = 0; k < whitenings.size() && !sums_.empty(); ++k)
    sums_of_terms(k, *whitenings[k], {&best, 1}, out);
  for (std::size_t k = 0; k < whitenings.size(); ++k) {
    sums_of_terms(k, *whitenings[k], others, out);
    if (power_laws) power_law(k, *whitenings[k], out);
  }
  return out;
}

void Weighing::sums_of_terms(std::size_t relation, const Whitening& whitening,
                             std::span<const std::size_t> which, std::vector<Weighed>& out) {
  whiten_members(relation, whitening);
  std::vector<Weighed> some;
  some.reserve(which.size());
  basis_.begin(target_[relation]);
  const Sum* before = nullptr;
  for (const std::size_t s : which) {
    const Sum& sum = sums_[s];
    basis_.keep(before ? std::min(basis_.size(), common_terms(*before, sum)) : 0);
    before = &sum;
    while (basis_.size() < sum.count && basis_.add(whitened(relation, sum.terms[basis_.size()]))) {
    }
    if (basis_.size() < sum.count) continue;
    Weighed weighed{s, relation, sum.count, basis_.coefficients(), basis_.log_determinant(), sum.cost};
    if (!std::all_of(weighed.coefficients.begin(),
                     weighed.coefficients.begin() + static_cast<std::ptrdiff_t>(sum.count),
                     [](double c) { return c > 0; }))
      continue;
    for (std::size_t k = 0; k < sum.count; ++k) weighed.coefficients[k] *= scale_[member_[sum.terms[k]]];
    some.push_back(weighed);
  }
  finish(some, whitening, out);
}

bool Weighing::begin_power_law(const Whitening& whitening) {
  work_.resize((2 + varied_.size()) * rows_);
  for (std::size_t i = 0; i < rows_; ++i) work_[i] = logs_[i] - middle_;
  std::fill_n(work_.begin() + static_cast<std::ptrdiff_t>(rows_), rows_, 1.0);
  for (std::size_t k = 0; k < varied_.size(); ++k)
    std::ranges::copy(set_.logarithms[varied_[k]],
                      work_.begin() + static_cast<std::ptrdiff_t>((2 + k) * rows_));
  whitening.apply_each(work_);
  const std::span<const double> columns(work_);
  basis_.begin(columns.first(rows_));
  basis_.add(columns.subspan(rows_, rows_));
  for (std::size_t k = 0; k < varied_.size(); ++k)
    if (!basis_.add(columns.subspan((2 + k) * rows_, rows_))) return false;
  return true;
}

void Weighing::power_law(std::size_t relation, const Whitening& whitening, std::vector<Weighed>& out) {
  if (varied_.empty() || !begin_power_law(whitening)) return;
  Weighed weighed{Weighed::kPowerLaw,       relation,     basis_.size(), basis_.coefficients(),
                  basis_.log_determinant(), kPowerLawCost};
  for (std::size_t k = 1; k < weighed.parameters; ++k)
    if (weighed.coefficients[k] == 0) return;  // a simpler sum is equivalent
  weighed.coefficients[0] += middle_;
  finish({&weighed, 1}, whitening, out);
}

void Weighing::values_of(const Weighed& weighed, std::size_t first, std::size_t last,
                         std::span<double> values) const {
  const std::size_t count = last - first;
  if (weighed.sum == Weighed::kPowerLaw) {
    for (std::size_t i = 0; i < count; ++i) {
      double log = weighed.coefficients[0];
      for (std::size_t k = 0; k < varied_.size(); ++k)
        log += weighed.coefficients[k + 1] * set_.logarithms[varied_[k]][first + i];
      values[i] = std::exp(log);
    }
    return;
  }
  std::fill_n(values.begin(), count, 0.0);
  const Sum& sum = sums_[weighed.sum];
  for (std::size_t k = 0; k < sum.count; ++k) {
    const double coefficient = weighed.coefficients[k];
    const double* shape = shape_.data() + member_[sum.terms[k]] * rows_ + first;
    for (std::size_t i = 0; i < count; ++i) values[i] += coefficient * shape[i];
  }
}

// Computes the logarithms of values / formula. Relative to the expected values, a formula that is far too low
// would only be off by one everywhere, which correlated errors explain. Returns false if the formula vanishes
// at a point: it cannot have produced a positive value.
bool Weighing::logarithms_of(const Weighed& weighed, std::size_t first, std::size_t last, double* out) const {
  values_of(weighed, first, last, {out, last - first});
  for (std::size_t i = 0; i < last - first; ++i) {
    if (!(out[i] > 0) || !std::isfinite(out[i])) return false;
    out[i] = std::log(values_.values[first + i] / out[i]);
  }
  return true;
}

// Computes weights, a block of rows at a time for all hypotheses. Residuals only grow, so after each block
// some hypotheses can no longer matter.
void Weighing::finish(std::span<Weighed> some, const Whitening& whitening, std::vector<Weighed>& out) {
  struct Open {
    std::size_t hypothesis = 0;
    double* residuals = nullptr;
    double most = 0, squares = 0;
  };
  if (some.empty()) return;
  const double log_prior = std::log(kRelations[some.front().relation].weight),
               reach = std::log(kNegligible) - kRounding;
  trials_.resize(std::max(trials_.size(), some.size() * rows_));
  std::vector<Open> open;
  std::vector<double*> columns;
  open.reserve(some.size());
  columns.reserve(some.size());
  for (std::size_t s = 0; s < some.size(); ++s) {
    const double beside = log_prior - whitening.log_determinant() - some[s].cost;
    const double most = evidence_.most_squares(some[s].parameters, some[s].log_determinant, least_ - beside);
    if (most >= 0) open.push_back({s, trials_.data() + open.size() * rows_, most});
  }
  const std::size_t at_a_time = whitening.by_rows() ? kRowsAtATime : rows_;
  for (std::size_t first = 0; first < rows_ && !open.empty(); first += at_a_time) {
    const std::size_t last = std::min(first + at_a_time, rows_);
    std::erase_if(open, [&](const Open& each) {
      return !logarithms_of(some[each.hypothesis], first, last, each.residuals + first);
    });
    columns.clear();
    for (const Open& each : open) columns.push_back(each.residuals);
    whitening.apply_rows(columns, first, last);
    std::erase_if(open, [&](Open& each) {
      each.squares += dot(each.residuals + first, each.residuals + first, last - first);
      return each.squares > each.most;
    });
  }
  for (const Open& each : open) {
    Weighed& weighed = some[each.hypothesis];
    weighed.squares = dot(each.residuals, each.residuals, rows_);
    weighed.weight = evidence_(weighed.parameters, weighed.squares, weighed.log_determinant) -
                     whitening.log_determinant() - weighed.cost + log_prior;
    weighed.residuals = residuals_.size();
    const std::vector<double> cells = whitening.of_cells({each.residuals, rows_});
    residuals_.insert(residuals_.end(), cells.begin(), cells.end());
    least_ = std::max(least_, weighed.weight + reach);
    out.push_back(weighed);
  }
}

Mixture::Part Weighing::part(const Weighed& weighed, const Whitening& whitening, Detail detail) {
  Mixture::Part part;
  part.errors = weighed.relation;
  part.hypothesis.weight = weighed.weight;
  if (weighed.sum == Weighed::kPowerLaw) {
    add_power_law(part, weighed, whitening, detail);
  } else {
    add_sum(part, weighed, whitening, detail);
  }
  statistics::growth::set_noise(part.hypothesis, rows_, weighed.parameters, weighed.squares, options_);
  if (weighed.relation == 0) return part;  // independent errors carry no information about other points
  const auto residuals = residuals_.begin() + static_cast<std::ptrdiff_t>(weighed.residuals);
  part.carried.assign(residuals, residuals + static_cast<std::ptrdiff_t>(whitening.cells()));
  whitening.apply_transposed(part.carried);
  return part;
}

void Weighing::add_sum(Mixture::Part& part, const Weighed& weighed, const Whitening& whitening,
                       Detail detail) {
  statistics::GrowthHypothesis& h = part.hypothesis;
  const Sum& sum = sums_[weighed.sum];
  part.terms.assign(sum.terms.begin(), sum.terms.begin() + static_cast<std::ptrdiff_t>(sum.count));
  h.terms.reserve(sum.count);
  for (std::size_t k = 0; k < sum.count; ++k) {
    h.terms.push_back(detail == Detail::distributions || sampled_ ? shapes_.term(sum.terms[k])
                                                                  : statistics::GrowthTerm{});
    h.terms.back().coefficient = weighed.coefficients[k];
  }
  if (detail == Detail::values) return;
  basis_.begin(target_[weighed.relation]);
  for (const std::size_t term : sum.all()) basis_.add(whitened(weighed.relation, term));
  h.factor = basis_.inverse_triangle();
  for (std::size_t k = 0; k < sum.count; ++k) {
    const double scale = scale_[member_[sum.terms[k]]];
    for (std::size_t j = 0; j < sum.count; ++j) h.factor(k, j) *= scale;
    for (const double entry : whitening.of_cells(whitened(weighed.relation, sum.terms[k])))
      part.columns.push_back(entry / scale);
  }
}

void Weighing::add_power_law(Mixture::Part& part, const Weighed& weighed, const Whitening& whitening,
                             Detail detail) {
  statistics::GrowthHypothesis& h = part.hypothesis;
  h.fitted_exponents = true;
  h.terms.push_back({std::exp(weighed.coefficients[0]), std::vector<double>(set_.arguments()),
                     std::vector<int>(set_.arguments())});
  for (std::size_t k = 0; k < varied_.size(); ++k)
    h.terms[0].exponents[varied_[k]] = weighed.coefficients[k + 1];
  if (detail == Detail::values) return;
  begin_power_law(whitening);
  h.factor = basis_.inverse_triangle();
  for (std::size_t k = 0; k <= varied_.size(); ++k) {
    const std::vector<double> column = whitening.of_cells(std::span(work_).subspan((1 + k) * rows_, rows_));
    part.columns.insert(part.columns.end(), column.begin(), column.end());
  }
}

}  // namespace parcast::fit
