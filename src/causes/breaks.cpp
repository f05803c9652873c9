// SPDX-License-Identifier: Apache-2.0
#include "causes/breaks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/text.h"
#include "statistics/least_squares.h"
#include "statistics/random.h"

namespace parcast::causes {
namespace {

/// One way in which the relation may break: a further column of the regression.
struct Alternative {
  Shape shape = Shape::straight;
  double last = 0, next = 0;  // of work or processes, before and behind the break
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

/// At every amount that has at least two samples on either side.
void add_alternatives(std::span<const Sample> samples, Shape shape, std::vector<Alternative>& out) {
  std::vector<double> along;
  for (const Sample& sample : samples) along.push_back(shape == Shape::step_in_processes ? sample.processes : sample.work);
  std::sort(along.begin(), along.end());
  for (std::size_t i = 1; i + 2 < along.size(); ++i)
    if (along[i] < along[i + 1]) out.push_back({shape, along[i], along[i + 1], column_of(samples, shape, along[i])});
}

std::vector<Alternative> alternatives_for(std::span<const Sample> samples) {
  std::vector<Alternative> out;
  add_alternatives(samples, Shape::bend, out);
  add_alternatives(samples, Shape::step, out);
  add_alternatives(samples, Shape::step_in_processes, out);
  return out;
}

/// Least squares of relative deviations: all columns and the times divided by the times, one orthonormal column after the other.
class Projection {
 public:
  explicit Projection(std::span<const double> seconds) : scale_(seconds.size()), rest_(seconds.size(), 1.0), column_(seconds.size()) {
    for (std::size_t i = 0; i < seconds.size(); ++i) scale_[i] = 1 / seconds[i];
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
  /// By how much a further column would lessen the residual.
  double gain(const Column& column) {
    const double length = make_orthogonal(column);
    if (length == 0) return 0;
    const double along = dot(rest_, column_) / length;
    return along * along;
  }

 private:
  static double dot(const Column& a, const Column& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

  /// The part of the scaled column that no other one has, in column_; returns its length, 0 where next to nothing is left.
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
  double share = 0;     // of the straight relation's residual that it takes away
  double residual = 0;  // of the straight relation
};

Best best_of(std::span<const double> seconds, const std::vector<Column>& straight, const std::vector<Alternative>& alternatives) {
  Projection projection(seconds);
  for (const Column& column : straight) projection.add(column);
  Best best{0, 0, projection.residual()};
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const double share = projection.gain(alternatives[i].column) / best.residual;
    if (share > best.share) best.alternative = i, best.share = share;
  }
  return best;
}

Result<statistics::Fit> fit(std::span<const Sample> samples, const std::vector<Column>& columns) {
  statistics::Matrix design(samples.size(), columns.size());
  std::vector<double> ones(samples.size(), 1.0);
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) design(i, j) = columns[j][i] / samples[i].seconds;
  return statistics::fit_least_squares(design, ones);
}

double squares(const std::vector<double>& values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

/// How probable so large an improvement is when the relative errors stand anywhere. The errors keep their values and
/// change places; where many have exceeded it early the rest is not tried (Besag and Clifford 1991).
double chance(std::span<const Sample> samples, const std::vector<Column>& straight, const std::vector<Alternative>& alternatives,
              const statistics::Fit& fitted, double share, const BreakOptions& options) {
  // Fitted time / time. A relation with a negative cost may fit next to nothing.
  std::vector<double> shares, errors, seconds(samples.size());
  for (const double residual : fitted.residuals) shares.push_back(std::max(1 - residual, 0.01)), errors.push_back(1 / shares.back());
  statistics::Random random(options.seed);
  const auto enough = static_cast<std::size_t>(4 * options.level * static_cast<double>(options.permutations + 1));
  std::size_t exceeded = 0;
  for (std::size_t round = 1; round <= options.permutations; ++round) {
    for (std::size_t i = errors.size() - 1; i > 0; --i) std::swap(errors[i], errors[random.below(i + 1)]);
    for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] = samples[i].seconds * shares[i] * errors[i];
    exceeded += best_of(seconds, straight, alternatives).share >= share * (1 - 1e-12);
    if (exceeded >= enough) return static_cast<double>(exceeded) / static_cast<double>(round);
  }
  return static_cast<double>(1 + exceeded) / static_cast<double>(1 + options.permutations);
}

Result<void> check(std::span<const Sample> samples, std::size_t causes) {
  if (samples.size() < causes + 2)
    return Error{std::to_string(samples.size()) + " samples are too few for a cost per unit of work", "", "measure at least " + std::to_string(causes + 2) + " points"};
  double work = 0;
  for (const Sample& sample : samples) {
    if (!(sample.seconds > 0) || !std::isfinite(sample.seconds))
      return Error{"a time is " + format_exact(sample.seconds) + " seconds", "", "relations are between positive times and their work"};
    if (!(sample.work >= 0) || !std::isfinite(sample.work)) return Error{"work is " + format_exact(sample.work), "", "counts are 0 or more"};
    work = std::max(work, sample.work);
  }
  return work > 0 ? Result<void>() : Error{"no sample has any work", "", "tell how many operations or quantums the phase has"};
}

/// The costs, with the column of the break as the last one if there is one.
void take_costs(const statistics::Fit& fitted, std::size_t straight, Linearity& out) {
  out.delta = out.delta_beyond = fitted.coefficients[0];
  out.standard_error = fitted.standard_errors[0];
  out.others.assign(fitted.coefficients.begin() + 1, fitted.coefficients.begin() + static_cast<std::ptrdiff_t>(straight));
  out.other_errors.assign(fitted.standard_errors.begin() + 1, fitted.standard_errors.begin() + static_cast<std::ptrdiff_t>(straight));
  out.residual = squares(fitted.residuals);
  out.noise = fitted.residual_standard_error;
}

void take_break(std::span<const Sample> samples, const Alternative& found, const statistics::Fit& fitted, Linearity& out) {
  const double change = fitted.coefficients.back();
  out.shape = found.shape;
  out.last_linear = found.last;
  out.first_beyond = found.next;
  out.delta_beyond = out.delta + change;
  out.linear_samples = static_cast<std::size_t>(std::count(found.column.begin(), found.column.end(), 0.0));
  if (found.shape == Shape::bend) {  // the column is 0 at the last linear sample and before; without work it would be as well
    out.linear_samples = static_cast<std::size_t>(std::count_if(samples.begin(), samples.end(), [&](const Sample& s) { return s.work <= found.last; }));
  }
}

double effect_of(std::span<const Sample> samples, const Alternative& found, const statistics::Fit& fitted) {
  double effect = 0;
  for (std::size_t i = 0; i < samples.size(); ++i)
    effect = std::max(effect, std::abs(fitted.coefficients.back() * found.column[i]) / samples[i].seconds);
  return effect;
}

}  // namespace

Result<Linearity> find_break(std::span<const Sample> samples, std::span<const Column> others, const BreakOptions& options) {
  PARCAST_TRY(check(samples, 1 + others.size()));
  std::vector<Column> straight(1);
  std::vector<double> seconds;
  for (const Sample& sample : samples) straight[0].push_back(sample.work), seconds.push_back(sample.seconds);
  straight.insert(straight.end(), others.begin(), others.end());
  PARCAST_ASSIGN(const statistics::Fit fitted, fit(samples, straight));
  Linearity out;
  out.linear_samples = samples.size();
  out.last_linear = *std::max_element(straight[0].begin(), straight[0].end());
  take_costs(fitted, straight.size(), out);
  out.straight_residual = out.residual;
  const std::vector<Alternative> alternatives = alternatives_for(samples);
  out.tested = samples.size() >= std::max(kFewest, straight.size() + 4) && !alternatives.empty();
  // Deviations of a millionth are what rounding in a table of measurements leaves.
  if (!out.tested || out.straight_residual <= 1e-12 * static_cast<double>(samples.size())) return out;
  const Best best = best_of(seconds, straight, alternatives);
  const Alternative& found = alternatives[best.alternative];
  std::vector<Column> broken = straight;
  broken.push_back(found.column);
  const auto refitted = fit(samples, broken);
  if (!refitted || effect_of(samples, found, *refitted) < options.least_effect) return out;
  out.p_value = chance(samples, straight, alternatives, fitted, best.share, options);
  if (out.p_value > options.level) return out;
  take_costs(*refitted, straight.size(), out);
  take_break(samples, found, *refitted, out);
  out.effect = effect_of(samples, found, *refitted);
  return out;
}

}  // namespace parcast::causes
