// SPDX-License-Identifier: Apache-2.0
#include "causes/breaks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/text.h"
#include "statistics/least_squares.h"
#include "statistics/noise.h"
#include "statistics/random.h"

namespace parcast::causes {
namespace {

/// One possible break of the relation: a further column of the regression.
struct Alternative {
  Shape shape = Shape::straight;
  double last = 0, next = 0;  // work or processes before and after the break
  Column column;
};

Column column_of(std::span<const Sample> samples, Shape shape, double last) {
  Column column;
  for (const Sample& sample : samples) {
    const double along = shape == Shape::step_in_processes ? sample.processes : sample.work;
    const double beyond = shape == Shape::bend ? sample.work - last : sample.work;
    column.push_back(along > last ? beyond : 0);
  }
  return column;
}

/// Adds a break at every amount with at least two samples on either side.
void add_alternatives(std::span<const Sample> samples, Shape shape, std::vector<Alternative>& out) {
  std::vector<double> along;
  for (const Sample& sample : samples)
    along.push_back(shape == Shape::step_in_processes ? sample.processes : sample.work);
  std::sort(along.begin(), along.end());
  for (std::size_t i = 1; i + 2 < along.size(); ++i)
    if (along[i] < along[i + 1])
      out.push_back({shape, along[i], along[i + 1], column_of(samples, shape, along[i])});
}

std::vector<Alternative> alternatives_for(std::span<const Sample> samples) {
  std::vector<Alternative> out;
  add_alternatives(samples, Shape::bend, out);
  add_alternatives(samples, Shape::step, out);
  add_alternatives(samples, Shape::step_in_processes, out);
  return out;
}

/// Least squares of relative deviations. All columns and the times are divided by the times; one orthonormal
/// column is added after the other.
class Projection {
 public:
  Projection(std::span<const double> seconds, const Column& weights)
      : scale_(seconds.size()), rest_(weights), column_(seconds.size()) {
    for (std::size_t i = 0; i < seconds.size(); ++i) scale_[i] = weights[i] / seconds[i];
  }

  void add(const Column& column) {
    const double length = make_orthogonal(column);
    if (length == 0) return;
    for (double& value : column_) value /= length;
    const double along = dot(rest_, column_);
    for (std::size_t i = 0; i < rest_.size(); ++i) rest_[i] -= along * column_[i];
    basis_.push_back(column_);
  }
  double residual() const { return dot(rest_, rest_); }
  /// Returns the reduction of the residual by a further column.
  double gain(const Column& column) {
    const double length = make_orthogonal(column);
    if (length == 0) return 0;
    const double along = dot(rest_, column_) / length;
    return along * along;
  }

 private:
  static double dot(const Column& a, const Column& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }

  /// Puts the part of the scaled column that is orthogonal to all others into column_. Returns its length, 0
  /// if almost nothing is left.
  double make_orthogonal(const Column& column) {
    for (std::size_t i = 0; i < column.size(); ++i) column_[i] = column[i] * scale_[i];
    const double before = std::sqrt(dot(column_, column_));
    for (int round = 0; round < 2; ++round)
      for (const Column& q : basis_) {
        const double along = dot(q, column_);
        for (std::size_t i = 0; i < column_.size(); ++i) column_[i] -= along * q[i];
      }
    const double after = std::sqrt(dot(column_, column_));
    return after > 1e-9 * before ? after : 0;
  }

  Column scale_, rest_, column_;
  std::vector<Column> basis_;
};

struct Best {
  std::size_t alternative = 0;
  double share = 0;     // fraction of the straight relation's residual that it removes
  double residual = 0;  // of the straight relation
};

Best best_of(std::span<const double> seconds, const Column& weights, const std::vector<Column>& straight,
             const std::vector<Alternative>& alternatives) {
  Projection projection(seconds, weights);
  for (const Column& column : straight) projection.add(column);
  Best best{0, 0, projection.residual()};
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const double share = projection.gain(alternatives[i].column) / best.residual;
    if (share > best.share) best.alternative = i, best.share = share;
  }
  return best;
}

/// Residuals are relative deviations, unweighted.
Result<statistics::Fit> fit(std::span<const Sample> samples, const Column& weights,
                            const std::vector<Column>& columns) {
  statistics::Matrix design(samples.size(), columns.size());
  std::vector<double> ones(samples.size(), 1.0);
  statistics::LeastSquaresOptions options;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) design(i, j) = columns[j][i] / samples[i].seconds;
    options.weights.push_back(weights[i] * weights[i]);
  }
  return statistics::fit_least_squares(design, ones, options);
}

/// Returns the weights of samples with constant noise in addition to the relative one: 1 without constant
/// noise.
Column weights_for(std::span<const Sample> samples, const std::vector<Column>& straight,
                   const BreakOptions& options) {
  if (!options.weights.empty()) return options.weights;
  Column weights(samples.size(), 1.0);
  for (int round = 0; round < 3; ++round) {
    const auto fitted = fit(samples, weights, straight);
    if (!fitted) break;
    std::vector<statistics::Spread> spreads;
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (fitted->leverage[i] < 0.99)
        spreads.push_back(statistics::spread_of_residual(
            samples[i].seconds, samples[i].seconds * fitted->residuals[i], fitted->leverage[i]));
    const auto noise = statistics::estimate_noise(spreads);
    if (!noise || !(noise->relative + noise->constant > 0)) break;
    double most = 0;
    for (std::size_t i = 0; i < samples.size(); ++i)
      weights[i] = samples[i].seconds / std::sqrt(noise->variance(samples[i].seconds)),
      most = std::max(most, weights[i]);
    for (double& weight : weights) weight /= most;
  }
  return weights;
}

double squares(const std::vector<double>& values, const Column& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * values[i] * weights[i] * weights[i];
  return sum;
}

/// Draws times on the straight relation with permuted errors, scaled to the noise of their new place. If the
/// relation is straight, these are as probable as the samples.
class Dealer {
 public:
  Dealer(std::span<const Sample> samples, const Column& weights, const statistics::Fit& fitted,
         std::uint64_t seed)
      : random_(seed), weights_(weights), seconds_(samples.size()) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      // a relation with a negative cost may fit almost nothing
      const double share = std::max(1 - fitted.residuals[i], 0.01);
      fitted_.push_back(samples[i].seconds * share);
      errors_.push_back(-std::log(share) * weights[i]);
    }
  }
  std::span<const double> deal() {
    for (std::size_t i = errors_.size() - 1; i > 0; --i) std::swap(errors_[i], errors_[random_.below(i + 1)]);
    for (std::size_t i = 0; i < seconds_.size(); ++i)
      seconds_[i] = fitted_[i] * std::exp(errors_[i] / weights_[i]);
    return seconds_;
  }

 private:
  statistics::Random random_;
  const Column& weights_;
  std::vector<double> fitted_, errors_, seconds_;
};

/// Returns the probability of so large an improvement by chance. Stops early if many permutations exceed it
/// (Besag and Clifford 1991).
double chance(std::span<const Sample> samples, const Column& weights, const std::vector<Column>& straight,
              const std::vector<Alternative>& alternatives, const statistics::Fit& fitted, double share,
              const BreakOptions& options) {
  Dealer dealer(samples, weights, fitted, options.seed);
  const auto enough =
      static_cast<std::size_t>(2 * options.level * static_cast<double>(options.permutations + 1));
  std::size_t exceeded = 0;
  for (std::size_t round = 1; round <= options.permutations; ++round) {
    exceeded += best_of(dealer.deal(), weights, straight, alternatives).share >= share * (1 - 1e-12);
    if (exceeded >= std::max<std::size_t>(enough, 1))
      return static_cast<double>(exceeded) / static_cast<double>(round);
  }
  return static_cast<double>(1 + exceeded) / static_cast<double>(1 + options.permutations);
}

Result<void> check(std::span<const Sample> samples, std::size_t causes) {
  if (samples.size() < causes + 2)
    return Error{"fewer than " + std::to_string(causes + 2) + " runs are too few for a cost per unit of work",
                 "", "measure at least " + std::to_string(causes + 2) + " points"};
  double work = 0;
  for (const Sample& sample : samples) {
    if (!(sample.seconds > 0) || !std::isfinite(sample.seconds))
      return Error{"a time is " + format_exact(sample.seconds) + " seconds", "",
                   "relations are between positive times and their work"};
    if (!(sample.work >= 0) || !std::isfinite(sample.work))
      return Error{"work is " + format_exact(sample.work), "", "counts are 0 or more"};
    work = std::max(work, sample.work);
  }
  return work > 0 ? Result<void>()
                  : Error{"no sample has any work", "", "give the operations or quantums of the phase"};
}

/// Copies the costs; the column of the break, if any, is the last one.
void take_costs(const statistics::Fit& fitted, const Column& weights, std::size_t straight, Linearity& out) {
  out.delta = out.delta_beyond = fitted.coefficients[0];
  out.standard_error = fitted.standard_errors[0];
  out.others.assign(fitted.coefficients.begin() + 1,
                    fitted.coefficients.begin() + static_cast<std::ptrdiff_t>(straight));
  out.other_errors.assign(fitted.standard_errors.begin() + 1,
                          fitted.standard_errors.begin() + static_cast<std::ptrdiff_t>(straight));
  out.residual = squares(fitted.residuals, weights);
  out.noise = fitted.residual_standard_error;
}

void take_break(std::span<const Sample> samples, const Alternative& found, const statistics::Fit& fitted,
                Linearity& out) {
  const double change = fitted.coefficients.back();
  out.shape = found.shape;
  out.last_linear = found.last;
  out.first_beyond = found.next;
  out.delta_beyond = out.delta + change;
  out.linear_samples = static_cast<std::size_t>(std::count(found.column.begin(), found.column.end(), 0.0));
  // the column is 0 up to the last linear sample; without work it would be 0 as well
  if (found.shape == Shape::bend) {
    out.linear_samples = static_cast<std::size_t>(
        std::count_if(samples.begin(), samples.end(), [&](const Sample& s) { return s.work <= found.last; }));
  }
}

double effect_of(std::span<const Sample> samples, const Alternative& found, const statistics::Fit& fitted) {
  double effect = 0;
  for (std::size_t i = 0; i < samples.size(); ++i)
    effect = std::max(effect, std::abs(fitted.coefficients.back() * found.column[i]) / samples[i].seconds);
  return effect;
}

/// Returns the relation with the best break, tested or not, in addition to a known one.
std::optional<Linearity> broken_beside(std::span<const Sample> samples, const Linearity& known,
                                       const BreakOptions& options) {
  auto found = find_break(samples, std::vector<Column>{break_column(samples, known)}, options);
  if (!found || found->shape == Shape::straight) return std::nullopt;
  return std::move(*found);
}

bool same_place(const Linearity& a, const Linearity& b) {
  return a.shape == b.shape && a.last_linear == b.last_linear;
}

bool apart(std::span<const Sample> samples, const Linearity& a, const Linearity& b) {
  const bool processes = a.shape == Shape::step_in_processes;
  if (processes != (b.shape == Shape::step_in_processes)) return true;
  const auto [low, high] = std::minmax(a.last_linear, b.last_linear);
  const auto between = std::count_if(samples.begin(), samples.end(), [&](const Sample& sample) {
    const double along = processes ? sample.processes : sample.work;
    return along > low && along <= high;
  });
  return between >= 3;
}

}  // namespace

Column break_column(std::span<const Sample> samples, const Linearity& relation) {
  return relation.shape == Shape::straight ? Column(samples.size(), 0.0)
                                           : column_of(samples, relation.shape, relation.last_linear);
}

std::optional<TwoBreaks> find_second_break(std::span<const Sample> samples, const Linearity& first,
                                           const BreakOptions& options) {
  constexpr int kRounds = 4;
  BreakOptions resolved = options, free = options;
  resolved.weights = free.weights = first.weights;
  free.permutations = 0;
  free.level = 1;
  auto second = broken_beside(samples, first, resolved);
  if (!second) return std::nullopt;
  const double p_value = second->p_value;
  Linearity other = first;
  for (int round = 0; round < kRounds; ++round) {
    auto moved = broken_beside(samples, *second, free);
    if (!moved) return std::nullopt;
    const bool stays = round > 0 && same_place(*moved, other);
    other = std::move(*moved);
    auto again = broken_beside(samples, other, free);
    if (!again) return std::nullopt;
    second = std::move(again);
    if (stays) break;
  }
  if (!apart(samples, other, *second)) return std::nullopt;
  other.p_value = first.p_value;
  second->p_value = p_value;
  const auto place = [](const Linearity& x) {
    return std::pair(x.shape == Shape::step_in_processes, x.last_linear);
  };
  return place(other) <= place(*second) ? TwoBreaks{std::move(other), std::move(*second)}
                                        : TwoBreaks{std::move(*second), std::move(other)};
}

Result<Linearity> find_break(std::span<const Sample> samples, std::span<const Column> others,
                             const BreakOptions& options) {
  PARCAST_TRY(check(samples, 1 + others.size()));
  std::vector<Column> straight(1);
  std::vector<double> seconds;
  for (const Sample& sample : samples) straight[0].push_back(sample.work), seconds.push_back(sample.seconds);
  straight.insert(straight.end(), others.begin(), others.end());
  const Column weights = weights_for(samples, straight, options);
  PARCAST_ASSIGN(const statistics::Fit fitted, fit(samples, weights, straight));
  Linearity out;
  out.linear_samples = samples.size();
  out.last_linear = *std::max_element(straight[0].begin(), straight[0].end());
  take_costs(fitted, weights, straight.size(), out);
  out.weights = weights;
  out.straight_residual = out.residual;
  const std::vector<Alternative> alternatives = alternatives_for(samples);
  out.tested = samples.size() >= std::max(kFewest, straight.size() + 4) && !alternatives.empty();
  // Rounding in a table of measurements leaves deviations of a millionth.
  if (!out.tested || out.straight_residual <= 1e-12 * static_cast<double>(samples.size())) return out;
  const Best best = best_of(seconds, weights, straight, alternatives);
  const Alternative& found = alternatives[best.alternative];
  std::vector<Column> broken = straight;
  broken.push_back(found.column);
  const auto refitted = fit(samples, weights, broken);
  if (!refitted || effect_of(samples, found, *refitted) < options.least_effect) return out;
  out.p_value = chance(samples, weights, straight, alternatives, fitted, best.share, options);
  if (out.p_value > options.level) return out;
  take_costs(*refitted, weights, straight.size(), out);
  take_break(samples, found, *refitted, out);
  out.effect = effect_of(samples, found, *refitted);
  return out;
}

}  // namespace parcast::causes
