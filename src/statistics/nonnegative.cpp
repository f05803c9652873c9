// SPDX-License-Identifier: Apache-2.0
// Lawson and Hanson's active set method (Solving Least Squares Problems, 1974, chapter 23). Coefficients
// leave zero one at a time, the one with the largest gradient first. They return to zero when a step would
// make them negative.
#include <algorithm>
#include <cmath>
#include <limits>

#include "statistics/least_squares.h"
#include "statistics/qr.h"

namespace parcast::statistics {
namespace {

class ActiveSet {
 public:
  ActiveSet(const Matrix& design, std::span<const double> response, std::span<const double> weights)
      : design_(design),
        response_(response.begin(), response.end()),
        lengths_(design.columns),
        passive_(design.columns),
        x_(design.columns) {
    for (std::size_t i = 0; i < design_.rows; ++i) {
      const double root = weights.empty() ? 1.0 : std::sqrt(weights[i]);
      response_[i] *= root;
      for (std::size_t j = 0; j < design_.columns; ++j) {
        design_(i, j) *= root;
        lengths_[j] = std::hypot(lengths_[j], design_(i, j));
      }
    }
    for (const double y : response_) response_length_ = std::hypot(response_length_, y);
  }

  /// Returns the columns with positive coefficients at the optimum.
  std::vector<std::size_t> run() {
    // In practice each column enters a few times at most. The bound only prevents cycling by rounding.
    for (std::size_t step = 0; step < 10 * design_.columns + 10; ++step) {
      const std::size_t entering = steepest();
      if (entering == design_.columns) break;
      passive_[entering] = true;
      if (!settle(entering))
        refused_.push_back(entering);
      else
        refused_.clear();
    }
    return columns();
  }

 private:
  std::vector<std::size_t> columns() const {
    std::vector<std::size_t> out;
    for (std::size_t j = 0; j < passive_.size(); ++j)
      if (passive_[j]) out.push_back(j);
    return out;
  }

  // Returns the column at zero with the largest cosine with the residual, if it is positive beyond rounding;
  // otherwise one past the last column.
  std::size_t steepest() const {
    std::vector<double> residual = response_;
    for (std::size_t i = 0; i < design_.rows; ++i)
      for (std::size_t j = 0; j < design_.columns; ++j) residual[i] -= design_(i, j) * x_[j];
    std::size_t best = design_.columns;
    double largest = 1e-13 * response_length_;
    for (std::size_t j = 0; j < design_.columns; ++j) {
      if (passive_[j] || lengths_[j] == 0 || std::count(refused_.begin(), refused_.end(), j)) continue;
      double gradient = 0;
      for (std::size_t i = 0; i < design_.rows; ++i) gradient += design_(i, j) * residual[i] / lengths_[j];
      if (gradient > largest) {
        largest = gradient;
        best = j;
      }
    }
    return best;
  }

  std::vector<double> solve_passive() const {
    const std::vector<std::size_t> chosen = columns();
    Matrix part(design_.rows, chosen.size());
    for (std::size_t i = 0; i < part.rows; ++i)
      for (std::size_t k = 0; k < chosen.size(); ++k) part(i, k) = design_(i, chosen[k]);
    const PivotedQr qr = pivoted_qr(part, std::ldexp(static_cast<double>(part.rows), -52));
    const QrSolution solution = solve(qr, part, response_);
    std::vector<double> x(design_.columns, 0.0);
    for (std::size_t k = 0; k < chosen.size(); ++k) x[chosen[k]] = solution.x[k];
    return x;
  }

  // Moves to the optimum on the passive set, and drops columns that would become negative on the way. Returns
  // false if the column that just entered gains nothing: its coefficient would not be positive because of
  // rounding or an alias.
  bool settle(std::size_t entering) {
    std::vector<double> target = solve_passive();
    if (target[entering] <= 0) {
      passive_[entering] = false;
      return false;
    }
    while (true) {
      double step = 1;
      for (std::size_t j = 0; j < x_.size(); ++j)
        if (passive_[j] && target[j] <= 0) step = std::min(step, x_[j] / (x_[j] - target[j]));
      if (step == 1 && std::none_of(target.begin(), target.end(), [](double v) { return v < 0; })) break;
      for (std::size_t j = 0; j < x_.size(); ++j) {
        if (!passive_[j]) continue;
        const bool blocks = target[j] <= 0 && x_[j] / (x_[j] - target[j]) <= step;
        x_[j] = blocks ? 0 : x_[j] + step * (target[j] - x_[j]);
        if (blocks) passive_[j] = false;
      }
      target = solve_passive();
    }
    x_ = target;
    for (std::size_t j = 0; j < x_.size(); ++j)
      if (passive_[j] && x_[j] == 0) passive_[j] = false;
    return true;
  }

  Matrix design_;
  std::vector<double> response_;
  std::vector<double> lengths_;
  double response_length_ = 0;
  std::vector<bool> passive_;
  std::vector<double> x_;
  std::vector<std::size_t> refused_;
};

// Expands a fit of some columns to all columns, with zeros for the omitted ones.
Fit widen(Fit part, const std::vector<std::size_t>& kept, std::size_t columns) {
  Fit fit = part;
  fit.coefficients.assign(columns, 0.0);
  fit.standard_errors.assign(columns, 0.0);
  fit.covariance = Matrix(columns, columns);
  fit.factor = Matrix(columns, part.rank);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    fit.coefficients[kept[i]] = part.coefficients[i];
    fit.standard_errors[kept[i]] = part.standard_errors[i];
    for (std::size_t j = 0; j < kept.size(); ++j) fit.covariance(kept[i], kept[j]) = part.covariance(i, j);
    for (std::size_t k = 0; k < part.rank; ++k) fit.factor(kept[i], k) = part.factor(i, k);
  }
  for (std::size_t j = 0; j < columns; ++j)
    if (!std::count(kept.begin(), kept.end(), j)) fit.bound.push_back(j);
  return fit;
}

}  // namespace

Result<Fit> fit_nonnegative(const Matrix& design, std::span<const double> response,
                            const LeastSquaresOptions& options) {
  // The unbounded fit checks the input. If it is already nonnegative and nothing is aliased, it is the
  // result.
  PARCAST_ASSIGN(const Fit free, fit_least_squares(design, response, options));
  if (free.aliases.empty() &&
      std::none_of(free.coefficients.begin(), free.coefficients.end(), [](double c) { return c < 0; }))
    return free;
  const std::vector<std::size_t> kept = ActiveSet(design, response, options.weights).run();
  if (kept.empty())
    return Error{"every coefficient is bound to zero: the response falls where each variable grows", "",
                 "look at the signs of the data, or fit without the bound"};
  Matrix part(design.rows, kept.size());
  for (std::size_t i = 0; i < design.rows; ++i)
    for (std::size_t k = 0; k < kept.size(); ++k) part(i, k) = design(i, kept[k]);
  PARCAST_ASSIGN(Fit fit, fit_least_squares(part, response, options));
  return widen(std::move(fit), kept, design.columns);
}

}  // namespace parcast::statistics
