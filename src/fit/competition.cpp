// SPDX-License-Identifier: Apache-2.0
#include "fit/competition.h"

#include <algorithm>
#include <cmath>

#include "fit/model.h"

namespace parcast::fit {
namespace {

constexpr double kOwnPrior = 0.5;  // of the mixture; the plain forecasts share the rest alike
constexpr double kLeastError = 0.05;
constexpr double kWorst = 5;    // errors of logarithms count as at most that
constexpr double kDegrees = 4;  // of freedom of a plain forecast's error
// The checks rest on two values of an argument, one fewer than the question: their errors are larger.
constexpr double kOfCheckErrors = 0.5;

double squared(double error) {
  return std::isfinite(error) ? std::min(error * error, kWorst * kWorst) : kWorst * kWorst;
}

// Returns the plain forecasts of all points that the folds leave out.
std::vector<PlainAnswers> plain_checks(const Observed& observed, const Layout& layout) {
  std::vector<PlainAnswers> out;
  for (const Fold& fold : layout.crossed_folds()) {
    std::vector<double> values;
    for (const std::size_t i : fold.kept) values.push_back(observed.values[i]);
    const PlainForecasts forecasts = plain_forecasts(fold.rest.points, values, layout.processes());
    for (const std::size_t i : fold.left_out) out.push_back(answers_at(forecasts, observed.points[i]));
  }
  return out;
}

}  // namespace

Competition::Competition(const Observed& observed, const Layout& layout, std::span<const Check> checks)
    : forecasts_(plain_forecasts(observed.points, observed.values, layout.processes())) {
  const std::vector<PlainAnswers> plain = plain_checks(observed, layout);
  const double n = static_cast<double>(checks.size());
  double own = 0;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    own += squared(checks[i].middle - checks[i].measured) / n;
    for (std::size_t k = 0; k < errors_.size(); ++k)
      errors_[k] += squared(plain[i][k].value_or(INFINITY) - checks[i].measured) / n;
  }
  const auto weight = [](double prior, double squares) {
    return prior / (kLeastError * kLeastError + squares);
  };
  own_ = weight(kOwnPrior, own);
  double total = own_;
  for (std::size_t k = 0; k < errors_.size(); ++k) {
    weights_[k] = weight((1 - kOwnPrior) / static_cast<double>(errors_.size()), errors_[k]);
    errors_[k] = std::sqrt(errors_[k]);
    total += weights_[k];
  }
  own_ /= total;
  for (double& each : weights_) each /= total;
  double squares = 0;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    double sum = std::isfinite(checks[i].middle) ? own_ * checks[i].middle : 0,
           known = std::isfinite(checks[i].middle) ? own_ : 0;
    for (std::size_t k = 0; k < weights_.size(); ++k)
      if (plain[i][k]) sum += weights_[k] * *plain[i][k], known += weights_[k];
    squares += std::pow(std::expm1(std::clamp(sum / known - checks[i].measured, -kWorst, kWorst)), 2) / n;
  }
  validation_error_ = std::sqrt(squares);
}

void Competition::join(std::vector<statistics::StudentComponent>& mixture, std::span<const double> point,
                       double error) const {
  const PlainAnswers answers = answers_at(forecasts_, point);
  double total = own_;
  for (std::size_t k = 0; k < answers.size(); ++k)
    if (answers[k]) total += weights_[k];
  for (auto& each : mixture) each.weight *= own_ / total;
  for (std::size_t k = 0; k < answers.size(); ++k)
    if (answers[k])
      mixture.push_back(
          {weights_[k] / total, *answers[k], std::hypot(kOfCheckErrors * errors_[k], error), kDegrees});
}

}  // namespace parcast::fit
