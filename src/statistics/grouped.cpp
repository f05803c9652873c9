// SPDX-License-Identifier: Apache-2.0
#include "statistics/grouped.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>

#include "statistics/distribution.h"
#include "statistics/grouped_component.h"
#include "statistics/random.h"
#include "statistics/summary.h"

namespace parcast::statistics {
namespace {

constexpr double kTuning = 1.345;  // Huber 1981: 95 % of the efficiency of least squares under normal errors
constexpr double kFar = 4;         // robust standard deviations of an outlier

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Matrix columns_of(const Matrix& design, const std::vector<std::size_t>& kept) {
  Matrix out(design.rows, kept.size());
  for (std::size_t i = 0; i < design.rows; ++i)
    for (std::size_t k = 0; k < kept.size(); ++k) out(i, k) = design(i, kept[k]);
  return out;
}

std::vector<double> row_of(std::span<const double> row, const std::vector<std::size_t>& kept) {
  std::vector<double> out;
  for (const std::size_t j : kept) out.push_back(row[j]);
  return out;
}

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// Variance of a standard normal variable clipped on both sides so that a share `inside` lies inside: 0.71
/// for the 82 % inside 1.345; 1 if all is inside.
double clipped_variance(double inside) {
  if (inside >= 1) return 1;
  const double at = normal_quantile((1 + inside) / 2),
               density = std::exp(-at * at / 2) / std::sqrt(2 * std::numbers::pi);
  return inside - 2 * at * density + at * at * (1 - inside);
}

std::size_t group_count(const GroupedData& data) {
  return *std::ranges::max_element(data.groups) + 1;
}

/// The combinations of spreads with their prior weights. The constant part has any size, from far below the
/// shortest time to far above the longest, uniformly in its logarithm. The group effects have a half Cauchy
/// distribution (Gelman 2006), which keeps the effects of few groups finite.
struct Weighed {
  Spreads spreads;
  double weight = 0;
};

std::vector<Weighed> grid(std::span<const double> means, std::size_t groups) {
  constexpr int kLevels = 6;
  constexpr double kScale = 5;  // of the half Cauchy distribution, in units of the noise
  const auto [least, most] = std::ranges::minmax(means);
  std::vector<double> levels{0};
  for (int k = 0; k < kLevels; ++k)
    levels.push_back(least / 3 * std::pow(9 * most / least, static_cast<double>(k) / (kLevels - 1)));
  std::vector<Weighed> out;
  for (const double level : levels) {
    if (groups < 2) {
      out.push_back({{level, 0}, 1});
      continue;
    }
    // Steps by sqrt(2): the share of a step is its density times its value. Values below the first count as
    // no effect.
    const double first = 0.125, step = std::sqrt(2.0);
    const auto density = [&](double x) { return 1 / (1 + x * x / (kScale * kScale)); };
    out.push_back({{level, 0}, first / std::sqrt(step)});
    for (double x = first; x < 300; x *= step)
      out.push_back({{level, x}, density(x) * x * (std::sqrt(step) - 1 / std::sqrt(step))});
  }
  return out;
}

}  // namespace

/// Alternates between estimating the means of the times, on which the variances depend, and the components.
class GroupedFitter {
 public:
  GroupedFitter(const GroupedData& data, const GroupedOptions& options)
      : data_(data), options_(options), groups_(group_count(data)) {}

  Result<GroupedFit> run() {
    LeastSquaresOptions start;
    if (!options_.plain)
      for (const double y : data_.response) start.weights.push_back(1 / (y * y));
    PARCAST_ASSIGN(out_.determined_, fit_least_squares(data_.design, data_.response, start));
    for (std::size_t j = 0; j < data_.design.columns; ++j)
      if (std::ranges::none_of(out_.determined_.aliases,
                               [&](const Alias& alias) { return alias.column == j; }))
        kept_.push_back(j);
    out_.plain_ = options_.plain;
    PARCAST_TRY(fit());
    while (options_.nonnegative && !negative().empty()) {
      PARCAST_TRY(bind());
      PARCAST_TRY(fit());
    }
    fill();
    return std::move(out_);
  }

 private:
  Result<void> fit() {
    part_ = {columns_of(data_.design, kept_), data_.response, data_.groups};
    means_.assign(data_.response.size(), 1), shared_ = means_;
    typical_ = 1, limit_ = INFINITY;
    Spreads spreads{options_.plain ? INFINITY : 0, options_.plain || groups_ < 2 ? 0.0 : 1.0};
    if (!options_.plain) first_means();
    // First estimate the means alone, with usual spreads; then the spreads, and the means with these.
    constexpr int kRounds = 6;
    for (int round = 0; round < kRounds; ++round) {
      PARCAST_TRY(settle(spreads));
      if (options_.plain) break;
      follow_means();
    }
    if (options_.plain) {
      out_.components_ = {mode_};
      return {};
    }
    PARCAST_TRY(weigh());
    PARCAST_TRY(settle(out_.components_.front().spreads));
    follow_means();
    return weigh();
  }

  /// Starts from a fit to a few rows that agrees best with all rows, as the fits to subsets of Rousseeuw
  /// (1984), but by the mean of relative distances, which cannot exceed 1. If the measured times were the
  /// first means, a row that is far too short would get all of the weight, and no iteration could correct
  /// that.
  void first_means() {
    constexpr int kTrials = 200;
    const std::size_t rows = data_.response.size(), taken = kept_.size() + 1;
    Random random(1);
    std::vector<std::size_t> order(rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double best = INFINITY;
    std::vector<double> expected = means_ = shared_ = data_.response;
    for (int trial = 0; trial < kTrials; ++trial) {
      Matrix some(taken, kept_.size());
      std::vector<double> response;
      LeastSquaresOptions options;
      for (std::size_t k = 0; k < taken; ++k) {
        std::swap(order[k], order[k + random.below(rows - k)]);
        for (std::size_t j = 0; j < kept_.size(); ++j) some(k, j) = part_.design(order[k], j);
        response.push_back(data_.response[order[k]]);
        options.weights.push_back(1 / (response.back() * response.back()));
      }
      const auto fit = fit_least_squares(some, response, options);
      if (!fit) continue;
      std::vector<double> fitted;
      double distance = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        const double y = data_.response[i];
        fitted.push_back(dot(part_.design.row(i), fit->coefficients));
        distance += std::abs(y - fitted[i]) / (y + std::abs(fitted[i]));
      }
      if (!(distance < best)) continue;
      best = distance;
      // A robust fit uses the fitted time instead of the measured one, since times that are far too long
      // would attract the fit.
      for (std::size_t i = 0; i < rows; ++i)
        take_mean(i, fitted[i], options_.robust && fitted[i] > 0 ? fitted[i] : data_.response[i]);
      expected = std::move(fitted);
    }
    typical_ = geometric_mean(means_);
    if (options_.robust) take(drawn_to(expected, {}, limit_), {});
  }

  /// Fits at one combination of spreads. A robust fit moves responses towards the fit until their residuals
  /// are within the limit (Huber 1981, 7.8).
  Result<void> settle(const Spreads& spreads) {
    PARCAST_ASSIGN(mode_, fit_at(part_, means_, shared_, typical_, spreads));
    for (int round = 0; options_.robust && round < 200; ++round) {
      const Drawn drawn = drawn_to(conditional(), spreads, limit_);
      const double change = take(drawn, spreads);
      PARCAST_ASSIGN(mode_, fit_at(part_, means_, shared_, typical_, spreads));
      mode_.coefficient_factor = drawn.coefficient_factor, mode_.noise_factor = drawn.noise_factor;
      if (change < 1e-9) break;
    }
    return {};
  }

  std::vector<double> conditional() const {
    std::vector<double> out;
    for (std::size_t i = 0; i < means_.size(); ++i)
      out.push_back(dot(part_.design.row(i), mode_.fit.coefficients) +
                    (options_.plain ? 0 : shared_[i] * mode_.effect[data_.groups[i]]));
    return out;
  }

  /// Returns residuals in units of each row's own noise. robust_scale() returns their spread from the median,
  /// corrected for the degrees of freedom of the fit.
  std::vector<double> scaled(const Spreads& spreads, const std::vector<double>& expected) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < expected.size(); ++i)
      out.push_back((data_.response[i] - expected[i]) /
                    std::sqrt(noise_variance(means_[i], typical_, spreads)));
    return out;
  }
  double robust_scale(std::span<const double> residuals) const {
    std::vector<double> sizes;
    for (const double r : residuals) sizes.push_back(std::abs(r));
    const double n = static_cast<double>(sizes.size());
    const double followed =
        static_cast<double>(kept_.size() + (groups_ > 1 && !options_.plain ? groups_ - 1 : 0));
    return kNormalConsistency * median(sizes) * std::sqrt(n / std::max(1.0, n - followed));
  }

  /// Clipped responses, and corrections for the clipping.
  struct Drawn {
    std::vector<double> response;
    double limit = INFINITY;
    double coefficient_factor = 1, noise_factor = 1;  // GroupedComponent
    // difference between the sum of Huber's losses and the sum of squares of the clipped residuals
    double lost = 0;
  };

  /// Clips responses to a distance from the expected values: at most `bound` (in units of each row's own
  /// noise) and 1.345 robust standard deviations.
  Drawn drawn_to(const std::vector<double>& expected, const Spreads& spreads, double bound) const {
    const std::vector<double> residuals = scaled(spreads, expected);
    Drawn out;
    out.limit = std::min(bound, kTuning * robust_scale(residuals));
    std::size_t inside = 0;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      out.response.push_back(expected[i] + std::clamp(residuals[i], -out.limit, out.limit) *
                                               std::sqrt(noise_variance(means_[i], typical_, spreads)));
      const double beyond = std::min(std::abs(residuals[i]), kFar / kTuning * out.limit) - out.limit;
      out.lost += 2 * out.limit * std::max(beyond, 0.0);
      inside += beyond <= 0 ? 1 : 0;
    }
    const double n = static_cast<double>(residuals.size()),
                 share = std::max(static_cast<double>(inside), 1.0) / n;
    const double correction = (1 + static_cast<double>(kept_.size()) / n * (1 - share) / share) / share;
    out.coefficient_factor = correction * correction;
    out.noise_factor = 1 / clipped_variance(share);
    return out;
  }

  /// Returns how far responses moved, in units of the limit. The limit can only shrink: a fit that begins to
  /// follow an outlier increases the residuals, which would let it follow further.
  double take(const Drawn& drawn, const Spreads& spreads) {
    double change = 0;
    for (std::size_t i = 0; i < drawn.response.size(); ++i)
      change = std::max(change, std::abs(drawn.response[i] - part_.response[i]) /
                                    std::sqrt(noise_variance(means_[i], typical_, spreads)));
    part_.response = drawn.response;
    limit_ = drawn.limit;
    return change / std::max(limit_, 1e-300);
  }

  /// Sets a mean to the fitted value. If that is far below the measured time, or negative, the measured time
  /// determines the size of the noise. It does not determine the group's effect: in units of the measured
  /// times, an effect alone would explain all of them.
  void take_mean(std::size_t row, double fitted, double response) {
    means_[row] = std::max(fitted, response / 5);
    shared_[row] = std::max(fitted, 0.0);
  }

  void follow_means() {
    for (std::size_t i = 0; i < means_.size(); ++i)
      take_mean(i, dot(part_.design.row(i), mode_.fit.coefficients), part_.response[i]);
    typical_ = geometric_mean(means_);
  }

  Result<void> weigh() {
    std::vector<GroupedComponent> all;
    double best = -INFINITY;
    const std::vector<double> expected = conditional();
    GroupedData data = part_;
    Drawn drawn;
    double level = NAN;
    for (const auto& [spreads, weight] : grid(means_, groups_)) {
      // Outliers depend on the constant part of the noise. Short times clipped without a constant part would
      // suggest that there is none.
      if (options_.robust && spreads.level != level) {
        level = spreads.level;
        drawn = drawn_to(expected, spreads, INFINITY);
        data.response = drawn.response;
      }
      auto component = fit_at(data, means_, shared_, typical_, spreads);
      if (!component) {
        if (all.empty()) return component.error();
        continue;  // beyond the precision of the arithmetic
      }
      component->coefficient_factor = drawn.coefficient_factor, component->noise_factor = drawn.noise_factor;
      component->log_likelihood += std::log(weight) - huber_loss(component->fit, drawn.lost);
      best = std::max(best, component->log_likelihood);
      all.push_back(*std::move(component));
    }
    double sum = 0;
    for (GroupedComponent& each : all) sum += each.weight = std::exp(each.log_likelihood - best);
    std::erase_if(all, [&](const GroupedComponent& each) { return each.weight < 1e-5 * sum; });
    sum = 0;
    for (const GroupedComponent& each : all) sum += each.weight;
    for (GroupedComponent& each : all) each.weight /= sum;
    std::ranges::stable_sort(all, std::ranges::greater(), &GroupedComponent::weight);
    out_.components_ = std::move(all);
    mode_ = out_.components_.front();
    if (options_.robust) take(drawn_to(expected, mode_.spreads, INFINITY), mode_.spreads);
    return {};
  }

  /// Returns the decrease of the likelihood when the clipped parts count by Huber's loss instead of not at
  /// all.
  static double huber_loss(const Fit& fit, double lost) {
    const auto degrees = static_cast<double>(fit.degrees_of_freedom);
    const double squares = degrees * fit.residual_standard_error * fit.residual_standard_error;
    return lost > 0 && squares > 0 ? 0.5 * degrees * std::log1p(lost / squares) : 0;
  }

  std::vector<std::size_t> negative() const {
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < kept_.size(); ++k)
      if (out_.components_.front().fit.coefficients[k] < 0) out.push_back(k);
    return out;
  }

  Result<void> bind() {
    const Whitening white(data_.groups, means_, shared_, typical_, out_.components_.front().spreads);
    PARCAST_ASSIGN(const Fit bounded,
                   fit_nonnegative(white.apply(part_.design), white.apply(part_.response)));
    std::vector<std::size_t> held = bounded.bound;
    if (held.empty()) held = negative();
    for (const std::size_t k : held) out_.bound.push_back(kept_[k]);
    std::erase_if(kept_, [&](std::size_t j) { return std::ranges::count(out_.bound, j) > 0; });
    std::ranges::sort(out_.bound);
    if (kept_.empty())
      return Error{"every cost is held at zero: times fall where each count grows", "",
                   "look at the signs of the data, or fit without the bound"};
    return {};
  }

  void fill() {
    out_.kept = kept_;
    out_.typical = options_.plain ? geometric_mean(data_.response) : typical_;
    out_.aliases = out_.determined_.aliases;
    out_.aliased = out_.determined_.aliased;
    out_.degrees_of_freedom = mode_.fit.degrees_of_freedom;
    out_.condition = mode_.fit.condition;
    fill_coefficients();
    fill_spreads();
    fill_rows();
    fill_inflation();
  }

  void fill_coefficients() {
    const std::size_t p = data_.design.columns;
    out_.coefficients.assign(p, 0);
    out_.covariance = Matrix(p, p);
    for (const GroupedComponent& each : out_.components_)
      for (std::size_t k = 0; k < kept_.size(); ++k)
        out_.coefficients[kept_[k]] += each.weight * each.fit.coefficients[k];
    for (const GroupedComponent& each : out_.components_)
      for (std::size_t k = 0; k < kept_.size(); ++k)
        for (std::size_t l = 0; l < kept_.size(); ++l) {
          const double apart = (each.fit.coefficients[k] - out_.coefficients[kept_[k]]) *
                               (each.fit.coefficients[l] - out_.coefficients[kept_[l]]);
          out_.covariance(kept_[k], kept_[l]) +=
              each.weight * (each.coefficient_factor * each.fit.covariance(k, l) + apart);
        }
    for (std::size_t j = 0; j < p; ++j) out_.standard_errors.push_back(std::sqrt(out_.covariance(j, j)));
    for (const std::size_t j : out_.aliased)
      out_.standard_errors[j] = std::numeric_limits<double>::quiet_NaN();
  }

  void fill_spreads() {
    for (const GroupedComponent& each : out_.components_) {
      const double sigma = each.fit.residual_standard_error, level = each.spreads.level;
      const double noise = sigma * std::sqrt(each.noise_factor);
      const double relative = std::isinf(level) ? 0 : noise / std::sqrt(1 + std::pow(level / typical_, 2));
      out_.noise_relative += each.weight * relative;
      out_.noise_constant += each.weight * (std::isinf(level) ? noise * typical_ : relative * level);
      out_.between += each.weight * noise * each.spreads.between;
    }
  }

  void fill_rows() {
    const Spreads& spreads = mode_.spreads;
    const Whitening white(data_.groups, means_, shared_, typical_, spreads);
    const Matrix design = white.apply(part_.design);
    const std::vector<double> whole = white.transposed(mode_.fit.residuals);
    Matrix back(design.rows, design.columns);  // V^-1 X
    for (std::size_t k = 0; k < design.columns; ++k) {
      std::vector<double> column;
      for (std::size_t i = 0; i < design.rows; ++i) column.push_back(design(i, k));
      const std::vector<double> turned = white.transposed(column);
      for (std::size_t i = 0; i < design.rows; ++i) back(i, k) = turned[i];
    }
    const double sigma = mode_.fit.residual_standard_error;
    out_.conditional = conditional();
    const std::vector<double> own = scaled(spreads, out_.conditional);
    const double scale = options_.robust ? limit_ / kTuning : robust_scale(own),
                 rounding = 1e-10 * (options_.plain ? out_.typical : 1);
    for (std::size_t i = 0; i < design.rows; ++i) {
      out_.fitted.push_back(dot(part_.design.row(i), mode_.fit.coefficients));
      out_.residuals.push_back(data_.response[i] - out_.conditional[i]);
      double followed = 0;
      for (std::size_t k = 0; k < mode_.fit.rank; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < design.columns; ++j) sum += back(i, j) * mode_.fit.factor(j, k);
        followed += sum * sum;
      }
      const double all = white.inverse_diagonal(i), left = std::max(all - followed, 0.0);
      // 0 by rounding where the other runs of a program leave no freedom
      const double leverage = all > 0 ? 1 - left / all : 1;
      out_.leverage.push_back(leverage);
      const bool exact = left <= 1e-12 * all;
      out_.standardized.push_back(exact || sigma == 0 ? 0 : whole[i] / (sigma * std::sqrt(left)));
      out_.cooks_distance.push_back(exact ? INFINITY
                                          : std::pow(out_.standardized[i], 2) * leverage / (1 - leverage) /
                                                static_cast<double>(mode_.fit.rank));
      out_.distance.push_back(scale > rounding ? std::abs(own[i]) / scale : 0);
      if (out_.distance[i] > kFar) out_.outliers.push_back(i);
      if (options_.robust && out_.distance[i] > kTuning) out_.clipped.push_back(i);
    }
  }

  void fill_inflation() {
    const Whitening white(data_.groups, means_, shared_, typical_, mode_.spreads);
    const Matrix design = white.apply(part_.design);
    out_.variance_inflation.assign(data_.design.columns, 0);
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      double length = 0, spread = 0;
      for (std::size_t i = 0; i < design.rows; ++i) length = std::hypot(length, design(i, k));
      for (std::size_t l = 0; l < mode_.fit.rank; ++l) spread = std::hypot(spread, mode_.fit.factor(k, l));
      out_.variance_inflation[kept_[k]] = std::pow(length * spread, 2);
    }
    for (const std::size_t j : out_.aliased) out_.variance_inflation[j] = INFINITY;
  }

  const GroupedData& data_;
  GroupedOptions options_;
  std::size_t groups_;
  std::vector<std::size_t> kept_;
  GroupedData part_;  // the kept columns, and the clipped responses
  std::vector<double> means_, shared_;
  double typical_ = 1, limit_ = INFINITY;
  GroupedComponent mode_;
  GroupedFit out_;
};

Result<double> GroupedFit::value(std::span<const double> row) const {
  if (const auto determined = predict(determined_, row); !determined) return determined.error();
  return dot(row, coefficients);
}

Result<Interval> GroupedFit::interval(std::span<const double> row, double level, Of what,
                                      std::size_t group) const {
  PARCAST_ASSIGN(const double expected, value(row));
  const std::vector<double> x = row_of(row, kept);
  const double unit = expected != 0 ? std::abs(expected) : typical;  // unit for the accuracy of quantiles
  std::vector<StudentComponent> mixture;
  double centre = 0;
  for (const GroupedComponent& each : components_) {
    const double mean = dot(x, each.fit.coefficients), size = std::abs(mean),
                 sigma = each.fit.residual_standard_error;
    double location = mean, own = 0;
    std::vector<double> direction = x;
    const double typical_mean = plain_ ? 1 : typical;
    if (what != Of::mean) own = each.noise_factor * noise_variance(size, typical_mean, each.spreads);
    if (what == Of::new_group) own += each.noise_factor * std::pow(each.spreads.between * size, 2);
    if (what == Of::same_group && !plain_) {
      location += size * each.effect[group];
      own += each.coefficient_factor * size * size * each.effect_variance[group];
      for (std::size_t k = 0; k < direction.size(); ++k)
        direction[k] -= size * each.effect_of_columns[group][k];
    }
    double variance = 0;
    for (std::size_t l = 0; l < each.fit.rank; ++l) {
      double sum = 0;
      for (std::size_t k = 0; k < direction.size(); ++k) sum += direction[k] * each.fit.factor(k, l);
      variance += sum * sum;
    }
    const double spread = sigma * std::sqrt(each.coefficient_factor * variance + own);
    centre += each.weight * location;
    mixture.push_back({each.weight, location / unit, std::max(spread / unit, 1e-15),
                       static_cast<double>(each.fit.degrees_of_freedom)});
  }
  const auto quantile_at = [&](double probability) {
    if (mixture.size() > 1) return unit * mixture_quantile(mixture, probability);
    return unit *
           (mixture[0].location + mixture[0].scale * student_t_quantile(probability, mixture[0].degrees));
  };
  Interval out{centre, quantile_at(0.5 - level / 2), quantile_at(0.5 + level / 2)};
  // A time is positive, so a lower bound that is a fraction h below it is converted to a factor.
  if (!plain_ && centre > 0) out.low = centre * std::exp(std::min(out.low / centre - 1, 0.0));
  return out;
}

Result<Interval> GroupedFit::mean(std::span<const double> row, double level) const {
  return interval(row, level, Of::mean, 0);
}
Result<Interval> GroupedFit::new_group(std::span<const double> row, double level) const {
  return interval(row, level, Of::new_group, 0);
}
Result<Interval> GroupedFit::same_group(std::span<const double> row, std::size_t group, double level) const {
  return interval(row, level, Of::same_group, group);
}

Result<GroupedFit> fit_grouped(const GroupedData& data, const GroupedOptions& options) {
  if (data.groups.size() != data.response.size())
    return Error{"the regression has " + std::to_string(data.response.size()) + " responses, but " +
                     std::to_string(data.groups.size()) + " groups",
                 "", ""};
  for (std::size_t i = 0; i < data.response.size(); ++i)
    if (!(data.response[i] > 0))
      return Error{"a time is not positive", "row " + std::to_string(i + 1), "leave it out"};
  if (data.response.empty()) return Error{"the regression has no rows", "", "name at least one run"};
  return GroupedFitter(data, options).run();
}

}  // namespace parcast::statistics
