// SPDX-License-Identifier: Apache-2.0
// Predictions of a fitted growth model at a point. Each hypothesis gives a Student t distribution of the
// logarithm of the value, and the prediction is the mixture of these.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/number_range.h"
#include "base/text.h"
#include "statistics/growth_interval.h"
#include "statistics/log_error.h"
#include "statistics/student_mixture.h"

namespace parcast::statistics {
namespace {

// Sensitivities of the value to each parameter, relative to the value.
using Gradient = std::vector<double>;

double power_of(double x, double exponent) {
  return std::pow(std::max(x, 0.0), exponent);  // an extent below zero holds nothing
}

double logarithm_of(double x, int power) {
  return std::pow(std::log2(std::max(x, 1.0)), power);
}

// Powers of the arguments at a point, each computed once: hypotheses share their few exponents.
class Powers {
 public:
  explicit Powers(std::span<const double> point) : point_(point) {}

  double shape(const GrowthTerm& term) {
    double value = 1;
    for (std::size_t j = 0; j < term.exponents.size(); ++j) {
      if (term.exponents[j] != 0)
        value *= once(powers_, j, term.exponents[j], [&](double e) { return power_of(point_[j], e); });
      if (term.log_powers[j] != 0)
        value *= once(logarithms_, j, term.log_powers[j], [&](int k) { return logarithm_of(point_[j], k); });
    }
    return value;
  }
  std::span<const double> point() const { return point_; }

 private:
  template <class Exponent>
  struct Entry {
    std::size_t argument = 0;
    Exponent exponent = 0;
    double value = 0;
  };
  template <class Exponent, class Compute>
  static double once(std::vector<Entry<Exponent>>& known, std::size_t argument, Exponent exponent,
                     const Compute& compute) {
    for (const Entry<Exponent>& each : known)
      if (each.argument == argument && each.exponent == exponent) return each.value;
    return known.emplace_back(Entry<Exponent>{argument, exponent, compute(exponent)}).value;
  }

  std::span<const double> point_;
  std::vector<Entry<double>> powers_;
  std::vector<Entry<int>> logarithms_;
};

// Returns the hypothesis's value, and sets the gradient.
double value_of(const GrowthHypothesis& h, Powers& powers, Gradient& gradient) {
  gradient.clear();
  double value = 0;
  for (const GrowthTerm& term : h.terms) {
    gradient.push_back(powers.shape(term));
    value += term.coefficient * gradient.back();
  }
  for (double& each : gradient) each /= value;
  if (!h.fitted_exponents) return value;
  gradient.assign(1, 1);  // for the coefficient's logarithm
  for (const double x : powers.point()) gradient.push_back(x > 0 ? std::log(x) : 0);
  return value;
}

StudentComponent component(const GrowthHypothesis& h, double value, const Gradient& gradient, double beyond) {
  double squares = 0;
  for (std::size_t k = 0; k < h.factor.columns; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) sum += gradient[i] * h.factor(i, k);
    squares += sum * sum;
  }
  const double error = std::sqrt(squares) * h.relative_noise;
  const double scale = std::hypot(h.fitted_exponents ? error : error_of_logarithm(error), beyond);
  return {h.weight, std::log(value), std::max(scale, 1e-15), h.degrees_of_freedom};
}

double doublings_beyond(const ArgumentRange& range, double x) {
  if (x > range.highest) return range.highest > 0 ? std::log2(x / range.highest) : 1;
  if (x < range.lowest) return x > 0 ? std::log2(range.lowest / x) : 1;
  return 0;
}

// Returns the distribution of the value's logarithm, over the hypotheses that are positive at the point.
std::vector<StudentComponent> mixture_at(const GrowthModel& model, std::span<const double> point,
                                         double distance) {
  std::vector<StudentComponent> mixture;
  mixture.reserve(model.hypotheses.size());
  Gradient gradient;
  Powers powers(point);
  for (const GrowthHypothesis& h : model.hypotheses)
    if (const double value = value_of(h, powers, gradient); value > 0)
      mixture.push_back(component(h, value, gradient, model.relative_error_per_doubling * distance));
  double total = 0;
  for (const StudentComponent& c : mixture) total += c.weight;
  for (StudentComponent& c : mixture) c.weight /= total;
  return mixture;
}

// Returns the value below which the mixture has probability p. The noise may allow infinite values. They are
// replaced by the largest number.
double value_below(std::span<const StudentComponent> mixture, double p, const StudentQuantiles& quantiles) {
  return std::min(std::exp(mixture_quantile(mixture, p, quantiles)), kLargestNumber);
}

std::string number(double value) {
  return format_significant(value, 4);
}

std::string power_text(const std::string& name, double exponent) {
  constexpr double kNearWhole = 5e-4;  // of a fitted exponent: 1.000 in the digits that are printed
  if (exponent == 0) return "";
  if (std::abs(exponent - std::round(exponent)) < kNearWhole && std::round(exponent) != 0)
    exponent = std::round(exponent);
  if (exponent == 1) return " " + name;
  for (const int denominator : {1, 2, 3, 4}) {
    const double numerator = exponent * denominator;
    if (std::abs(numerator - std::round(numerator)) > 1e-12) continue;
    const std::string fraction = std::to_string(std::lround(numerator));
    return " " + name + "^" +
           (denominator == 1 ? fraction : "(" + fraction + "/" + std::to_string(denominator) + ")");
  }
  return " " + name + "^" + format_significant(exponent, 3);
}

}  // namespace

double shape_value(const GrowthTerm& term, std::span<const double> point) {
  double value = 1;
  for (std::size_t j = 0; j < term.exponents.size(); ++j) {
    if (term.exponents[j] != 0) value *= power_of(point[j], term.exponents[j]);
    if (term.log_powers[j] != 0) value *= logarithm_of(point[j], term.log_powers[j]);
  }
  return value;
}

double evaluate(const GrowthHypothesis& hypothesis, std::span<const double> point) {
  double sum = 0;
  for (const GrowthTerm& term : hypothesis.terms) sum += term.coefficient * shape_value(term, point);
  return sum;
}

double GrowthModel::predict(std::span<const double> point) const {
  assert(!hypotheses.empty() && point.size() == arguments.size());
  return evaluate(hypotheses.front(), point);
}

GrowthPrediction GrowthModel::predict(std::span<const double> point, double level) const {
  const StudentQuantiles quantiles;
  const GrowthInterval ends = interval_of(*this, point, level, quantiles);
  GrowthPrediction out{0, ends.low, ends.high, ends.distance, ends.unidentified};
  if (ends.exists) out.value = value_below(mixture_at(*this, point, ends.distance), 0.5, quantiles);
  return out;
}

GrowthInterval interval_of(const GrowthModel& model, std::span<const double> point, double level,
                           const StudentQuantiles& quantiles) {
  assert(!model.hypotheses.empty() && point.size() == model.arguments.size() && level > 0 && level < 1);
  GrowthInterval out;
  for (std::size_t j = 0; j < model.ranges.size(); ++j) {
    const ArgumentRange& range = model.ranges[j];
    const double beyond = doublings_beyond(range, point[j]);
    out.distance = std::hypot(out.distance, beyond);
    if (range.distinct < 2 && !range.given && point[j] != range.lowest) out.unidentified = true;
  }
  const std::vector<StudentComponent> mixture = mixture_at(model, point, out.distance);
  if (mixture.empty()) return out;
  out.exists = true;
  out.low = value_below(mixture, 0.5 - level / 2, quantiles);
  out.high = value_below(mixture, 0.5 + level / 2, quantiles);
  return out;
}

namespace {

/// Returns whether an operator occurs outside all parentheses.
bool compound(std::string_view argument) {
  int depth = 0;
  for (const char c : argument) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth == 0 && std::string_view("^*/+- ").find(c) != std::string_view::npos) return true;
  }
  return false;
}

std::ptrdiff_t factors(const GrowthTerm& term) {
  return std::ranges::count_if(term.exponents, [](double e) { return e != 0; }) +
         std::ranges::count_if(term.log_powers, [](int power) { return power != 0; });
}

}  // namespace

std::string to_string(const GrowthHypothesis& hypothesis, std::span<const std::string> arguments) {
  std::string text;
  for (const GrowthTerm& term : hypothesis.terms) {
    if (!text.empty()) text += " + ";
    text += number(term.coefficient);
    for (std::size_t j = 0; j < arguments.size(); ++j) {
      text += power_text(compound(arguments[j]) && (term.exponents[j] != 1 || factors(term) > 1)
                             ? "(" + arguments[j] + ")"
                             : arguments[j],
                         term.exponents[j]);
      if (term.log_powers[j] == 0) continue;
      text += " log2(" + arguments[j] + ")";
      if (term.log_powers[j] > 1) text += "^" + std::to_string(term.log_powers[j]);
    }
  }
  return text;
}

}  // namespace parcast::statistics
