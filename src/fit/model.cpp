// SPDX-License-Identifier: Apache-2.0
#include "fit/model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/number_range.h"
#include "fit/continued.h"
#include "fit/factored.h"
#include "fit/regimes.h"

namespace parcast::fit {
namespace {

// Returns the points with positive values.
Points positive_points(const Kernel& kernel, Statistic statistic) {
  Points points;
  for (std::size_t i = 0; i < kernel.points.size(); ++i)
    if (!kernel.values[i].empty() && of(statistic, kernel.values[i]) > 0) points.push_back(kernel.points[i]);
  return points;
}

// Derives the usable arguments from these points; from all points if none is positive.
std::shared_ptr<const Arguments> arguments_of(const Kernel& kernel, const Layouts& layouts,
                                              Statistic statistic) {
  const bool all = std::ranges::all_of(
      kernel.values, [&](const auto& runs) { return !runs.empty() && of(statistic, runs) > 0; });
  if (all) return layouts.arguments(kernel.points);
  const Points positive = positive_points(kernel, statistic);
  return layouts.arguments(positive.empty() ? kernel.points : positive);
}

double root_mean_square(const std::vector<Check>& checks, double continued_weight) {
  double sum = 0;
  for (const Check& check : checks)
    sum += std::pow(std::expm1(std::clamp(check.predicted(continued_weight) - check.measured, -5.0, 5.0)), 2);
  return std::sqrt(sum / static_cast<double>(checks.size()));
}

// Returns the weight of the last points' growth from the kernel's own checks and the usual weight. It
// compares how well the growth and the mixture predicted the largest points, as if each had an error of at
// least 5 %.
double weight_of(const std::vector<Check>& checks, double usual) {
  constexpr double kLeast = 0.05;
  double mixture = 0, last = 0, n = 0;
  for (const Check& check : checks)
    if (check.continued) {
      mixture += std::pow(check.middle - check.measured, 2);
      last += std::pow(*check.continued - check.measured, 2);
      ++n;
    }
  if (n == 0) return usual;
  const double ours = (1 - usual) / (kLeast * kLeast + mixture / n),
               theirs = usual / (kLeast * kLeast + last / n);
  return theirs / (ours + theirs);
}

bool reproduces(const statistics::GrowthHypothesis& h, const Observed& observed) {
  constexpr double kExact = 1e-9;
  for (std::size_t i = 0; i < observed.values.size(); ++i)
    if (!(std::fabs(statistics::evaluate(h, observed.points[i]) / observed.values[i] - 1) <= kExact))
      return false;
  return true;
}

bool all_equal(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low <= 1e-12 * *high;
}

constexpr double kSteepest = -1.1;  // a steeper last exponent is superlinear
// Points beyond the coefficients from which a formula does not give measured values of few digits back by
// chance.
constexpr std::size_t kBeyondChance = 3;

// Looks at the line through the largest point of an argument that counts processes.
std::optional<Superlinear> superlinear_of(const Model& model) {
  const Points& points = model.observations.observed.points;
  for (std::size_t j = 0; j < model.arguments.names.size(); ++j) {
    if (!model.design.layout->of_processes(j)) continue;
    std::vector<double> beyond =
        *std::ranges::max_element(points, {}, [j](const auto& point) { return point[j]; });
    beyond[j] *= 2;
    const auto last = continuation(points, beyond);
    if (!last || last->between <= 0) continue;
    const double exponent = last->slope(model.observations.observed.values);
    if (exponent < kSteepest)
      return Superlinear{model.arguments.names[j], points[last->before][j], points[last->last][j], exponent};
  }
  return std::nullopt;
}

}  // namespace

Model model_of(const Kernel& kernel, const Layouts& layouts, Statistic statistic,
               const Calibration& calibration) {
  Model model;
  model.calibration = calibration;
  model.arguments = *arguments_of(kernel, layouts, statistic);
  model.observations = observe(kernel, model.arguments, statistic);
  const Observed& observed = model.observations.observed;
  if (model.observations.zero) model.constant = 0;
  if (observed.values.empty()) return model;
  if (model.arguments.used.empty() || (observed.values.size() > 1 && all_equal(observed.values))) {
    model.constant = observed.values.front();
    return model;
  }
  std::vector<bool> processes;
  for (const std::string& name : model.arguments.names) processes.push_back(counts_processes(name));
  model.design =
      design_of(observed, layouts.of(observed.points, processes), calibration.prior, is_count(kernel));
  const PointSet& set = model.design.layout->all();
  model.mixture = Mixture::fit(observed, set, {*model.design.shapes, {}, model.design.layout->searched()},
                               calibration.prior, Detail::distributions);
  const statistics::GrowthHypothesis& best = model.mixture->parts().front().hypothesis;
  const bool by_chance =
      set.laws && !is_count(kernel) && observed.values.size() < best.factor.rows + kBeyondChance;
  model.exact = !by_chance && reproduces(best, observed);
  model.superlinear = superlinear_of(model);
  model.continued = model.exact ? 0
                    : set.laws  ? std::min(calibration.continued, kUsualContinued)
                                : calibration.continued;
  if (model.exact || !set.laws) return model;
  Mixture laws = Mixture::fit_laws(observed, set, calibration.prior, Detail::distributions);
  if (Mixture::sums_beside_laws(set))
    model.mixture->join(std::move(laws));
  else
    model.mixture = std::move(laws);
  return model;
}

namespace {

// The share of published curves over processes that turn up: the exponent beyond the last point is above the
// last one seen. Of a distribution of two halves with different widths, this is the share of the upper one.
constexpr double kTurnUp = 0.65;
constexpr std::size_t kFewestBeyond = 4;  // values of a parameter: three for a curve, one more to validate it
constexpr std::size_t kFewestAfter = 3;   // the same beyond a known change, which needs no confirmation

Model validated(const Kernel& kernel, const Layouts& layouts, Statistic statistic,
                const Calibration& calibration) {
  Model model = model_of(kernel, layouts, statistic, calibration);
  if (!model.mixture) return model;
  const Layout& layout = *model.design.layout;
  if (!model.exact && model.design.of_program() && !layout.crossed_folds().empty()) {
    const auto crossed = forward_checks(model.observations.observed, model.design, calibration.prior,
                                        layout.crossed_folds(), Detail::values);
    model.competition.emplace(model.observations.observed, layout, crossed);
    model.validation_error = model.competition->validation_error();
    return model;
  }
  const auto checks = forward_checks(model.observations.observed, model.design, calibration.prior,
                                     model.design.layout->folds(), Detail::values);
  if (checks.empty()) return model;
  if (!model.exact) model.continued = weight_of(checks, model.continued);
  model.validation_error = root_mean_square(checks, model.continued);
  return model;
}

// Returns the kernel's points at which the coordinate is wanted.
Kernel part_of(const Kernel& kernel, std::size_t column, const std::function<bool(double)>& wanted) {
  Kernel out{kernel.callpath, kernel.metric, kernel.unit, {}, {}, kernel.largest_of};
  for (std::size_t i = 0; i < kernel.points.size(); ++i)
    if (wanted(kernel.points[i][column]))
      out.points.push_back(kernel.points[i]), out.values.push_back(kernel.values[i]);
  return out;
}

std::size_t column_of(const Model& model) {
  const auto& names = model.arguments.names;
  return model.arguments
      .used[static_cast<std::size_t>(std::ranges::find(names, model.regime->parameter) - names.begin())];
}

void follow_break(Model& model, const Kernel& kernel, const Layouts& layouts, Statistic statistic,
                  const Calibration& calibration) {
  model.regime = find_break(model.observations.observed.values, *model.design.layout, model.arguments.names);
  if (!model.regime) return;
  const std::size_t column = model.regime_column = column_of(model);
  const Kernel rest = part_of(kernel, column, [&](double x) { return x >= model.regime->first_after; });
  const std::size_t values = distinct_values(rest.points, column);
  if (values < kFewestBeyond) {
    model.regime->missing = kFewestBeyond - values;
    return;
  }
  Model part = validated(rest, layouts, statistic, calibration);
  const bool no_worse =
      part.validation_error && model.validation_error && *part.validation_error <= *model.validation_error;
  if (!no_worse && !part.constant) return;
  model.regime->followed = true;
  model.beyond = std::make_shared<const Model>(std::move(part));
}

// The exponent of the power law through the ends of the kernel's values along a column; 0 for a single value.
double end_slope(const Kernel& kernel, std::size_t column, Statistic statistic) {
  const auto by_column = [&](std::size_t a, std::size_t b) {
    return kernel.points[a][column] < kernel.points[b][column];
  };
  std::vector<std::size_t> rows(kernel.points.size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto [low, high] = std::ranges::minmax_element(rows, by_column);
  const double between = std::log(kernel.points[*high][column] / kernel.points[*low][column]);
  const double slope =
      std::log(of(statistic, kernel.values[*high]) / of(statistic, kernel.values[*low])) / between;
  return std::isfinite(slope) ? slope : 0;
}

// Returns the models of the points on both sides of a known change; of all points if there are too few beyond
// it. Returns nothing if no change lies within the data.
std::optional<Model> parted_model_of(const Kernel& kernel, const Layouts& layouts, Statistic statistic,
                                     const Calibration& calibration) {
  for (const Change& change : calibration.changes) {
    const auto name = std::ranges::find(layouts.parameters(), change.parameter);
    if (name == layouts.parameters().end()) continue;
    const auto column = static_cast<std::size_t>(name - layouts.parameters().begin());
    const Kernel before = part_of(kernel, column, [&](double x) { return x <= change.at; });
    const Kernel after = part_of(kernel, column, [&](double x) { return x > change.at; });
    if (before.points.empty() || after.points.empty()) continue;
    Break regime{change.parameter,
                 0,
                 INFINITY,
                 end_slope(before, column, statistic),
                 end_slope(after, column, statistic),
                 0,
                 change.at};
    for (const auto& point : before.points) regime.last_before = std::max(regime.last_before, point[column]);
    for (const auto& point : after.points) regime.first_after = std::min(regime.first_after, point[column]);
    const std::size_t values = distinct_values(after.points, column);
    regime.followed = values >= kFewestAfter;
    if (!regime.followed) regime.missing = kFewestAfter - values;
    Model model = validated(regime.followed ? before : kernel, layouts, statistic, calibration);
    if (regime.followed)
      model.beyond = std::make_shared<const Model>(validated(after, layouts, statistic, calibration));
    model.regime = regime;
    model.regime_column = column;
    return model;
  }
  return std::nullopt;
}

}  // namespace

Model validated_model_of(const Kernel& kernel, const Layouts& layouts, Statistic statistic,
                         const Calibration& calibration) {
  if (auto parted = parted_model_of(kernel, layouts, statistic, calibration)) return *std::move(parted);
  Model model = validated(kernel, layouts, statistic, calibration);
  if (model.mixture && !model.exact) follow_break(model, kernel, layouts, statistic, calibration);
  return model;
}

Predicted cut_to_range(Predicted predicted) {
  for (double* number : {&predicted.value, &predicted.low, &predicted.high}) {
    const double inside =
        *number > 0 ? std::clamp(*number, kSmallestNumber, kLargestNumber) : kSmallestNumber;
    predicted.cut |= inside != *number;
    *number = inside;
  }
  return predicted;
}

const Model& Model::answering(const std::vector<double>& point) const {
  if (!beyond) return *this;
  const double x = point[regime_column];
  return (regime->given ? x > *regime->given : x >= regime->first_after) ? *beyond : *this;
}

/// Predicts the same value everywhere if many points have it. For a single point only its noise is known, or
/// expected.
Predicted Model::of_constant(Predicted out, double level) const {
  out.value = out.low = out.high = *constant;
  if (observations.observed.values.size() != 1) return out;
  const auto runs = static_cast<double>(std::max<std::size_t>(observations.repetitions, 1));
  const double noise = observations.run_error > 0 ? observations.run_error : calibration.prior.relative_noise;
  const statistics::StudentComponent one{1, std::log(*constant), noise * std::sqrt(1 + 1 / runs),
                                         calibration.prior.weight + runs - 1};
  out.low = std::exp(statistics::mixture_quantile({&one, 1}, 0.5 - level / 2));
  out.high = std::exp(statistics::mixture_quantile({&one, 1}, 0.5 + level / 2));
  return cut_to_range(std::move(out));
}

// Returns the largest width over all parameters in which the point lies beyond the data.
double Model::width_at(const std::vector<double>& at) const {
  double width = 0;
  for (std::size_t j = 0; j < at.size(); ++j) {
    double largest = 0;
    for (const auto& point : observations.observed.points) largest = std::max(largest, point[j]);
    if (at[j] <= largest || largest <= 0) continue;
    const auto reach = calibration.reaches.find(arguments.used[j]);
    if (reach != calibration.reaches.end())
      width = std::max(width, reach->second.at(std::log2(at[j] / largest)));
  }
  return width > 0 ? width : calibration.width;
}

namespace {

// Returns the components with another error of their own in place of the one that they contain.
std::vector<statistics::StudentComponent> with_error(std::vector<statistics::StudentComponent> components,
                                                     double before, double after) {
  for (auto& each : components)
    each.scale = std::sqrt(std::max(each.scale * each.scale - before * before, 1e-24) + after * after);
  return components;
}

}  // namespace

Model::Beyond Model::beyond_data(const std::vector<double>& at) const {
  const Extent extent(observations.observed.points);
  double processes = 0;
  for (std::size_t j = 0; j < at.size(); ++j)
    if (design.layout->of_processes(j) && at[j] > extent.high[j])
      processes += std::pow(std::log2(at[j] / extent.high[j]), 2);
  const double others = std::max(0.0, std::pow(doublings_beyond(extent, at), 2) - processes);
  const auto error = [&](double factor) {
    return std::hypot(kErrorPerDoubling * std::sqrt(others),
                      factor * kErrorOverProcesses * std::sqrt(processes));
  };
  return {error(1), error(2 * (superlinear ? kTurnUp : 1 - kTurnUp)), error(2 * kTurnUp)};
}

// Returns whether the point lies beyond the data in processes alone.
bool Model::grows_by_processes(const std::vector<double>& at) const {
  const auto argument = argument_beyond(Extent(observations.observed.points).high, at);
  return argument && design.layout->of_processes(*argument);
}

std::optional<double> Model::last_growth(const std::vector<double>& at) const {
  auto how = continuation(observations.observed.points, at);
  if (!how) return std::nullopt;
  if (design.of_program() && grows_by_processes(at)) return std::nullopt;
  how->few = design.layout->all().laws && design.layout->of_processes(0);
  return how->of(observations.observed.values);
}

Predicted Model::predict(const std::vector<double>& point, double level) const {
  if (const Model& other = answering(point); &other != this) return other.predict(point, level);
  Predicted out;
  out.point = point;
  const std::vector<double> at = arguments.coordinates(point);
  for (std::size_t j = 0; j < point.size(); ++j)
    if (arguments.fixed[j] && point[j] != *arguments.fixed[j]) out.unidentified = true;
  if (constant) out = of_constant(std::move(out), level);
  if (!observations.observed.points.empty())
    out.distance = doublings_beyond(Extent(observations.observed.points), at);
  if (!mixture) return out;
  // A formula that reproduces every value is extrapolated without further error.
  const Beyond beyond_it = exact ? Beyond{} : beyond_data(at);
  auto components = mixture->at(mixture->place(at), beyond_it.middle);
  if (components.empty()) {  // e.g. 1/x at 0
    out.unidentified = true;
    return out;
  }
  if (competition) competition->join(components, at, beyond_it.middle);
  const statistics::StudentQuantiles& quantiles = design.layout->quantiles();
  const double middle = statistics::mixture_quantile(components, 0.5, quantiles);
  const double goes_on = last_growth(at).value_or(middle);
  const double answer = middle + continued * (goes_on - middle);
  out.value = std::exp(answer);
  const double width = width_at(at);
  const auto end = [&](double p, double error) {
    const double quantile =
        error == beyond_it.middle
            ? statistics::mixture_quantile(components, p, quantiles)
            : statistics::mixture_quantile(with_error(components, beyond_it.middle, error), p, quantiles);
    return std::exp(answer + width * (quantile - middle));
  };
  out.low = end(0.5 - level / 2, beyond_it.below);
  out.high = end(0.5 + level / 2, beyond_it.above);
  return cut_to_range(std::move(out));
}

}  // namespace parcast::fit
