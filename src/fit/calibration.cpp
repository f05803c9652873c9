// SPDX-License-Identifier: Apache-2.0
#include "fit/calibration.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/threads.h"
#include "fit/factored.h"
#include "statistics/summary.h"

namespace parcast::fit {
namespace {

constexpr std::size_t kFewestKernels = 8;
constexpr std::size_t kFewestPoints = 4;  // of a kernel that is used to estimate noise
constexpr double kCountNoise = 0.002;     // of counts, before the data are seen
constexpr double kNinety = 1.6448536269514722;
constexpr double kOpinion = 10;  // weight, in scores, of the prior that no correction is needed
constexpr double kNarrowest = 0.4, kWidest = 4;

std::vector<const Kernel*> sample_of(const std::vector<const Kernel*>& kernels) {
  if (kernels.size() <= kSample) return kernels;
  std::vector<const Kernel*> out;
  for (std::size_t i = 0; i < kSample; ++i) out.push_back(kernels[i * kernels.size() / kSample]);
  return out;
}

// Returns the width that the checks of all other parameters require, so that no check counts twice.
double width_elsewhere(const std::vector<Check>& checks, std::size_t parameter, double continued) {
  std::vector<double> scores;
  for (const Check& check : checks)
    if (check.argument != parameter) scores.push_back(score(check, continued));
  return fit::width_of(std::move(scores), 1);
}

// Returns the median distance of one parameter's checks, and the width that their scores require.
std::pair<double, double> width_along(const std::vector<Check>& checks, std::size_t parameter,
                                      double continued, double otherwise) {
  std::vector<double> distances, scores;
  for (const Check& check : checks)
    if (check.argument == parameter)
      distances.push_back(check.beyond), scores.push_back(score(check, continued));
  return {distances.empty() ? 0 : statistics::median(distances), fit::width_of(std::move(scores), otherwise)};
}

}  // namespace

double Reach::at(double doublings) const {
  if (!(far > near)) return near_width;
  const double share = std::clamp((doublings - near) / (far - near), 0.0, 1.0);
  return near_width + share * (far_width - near_width);
}

double continued_weight(const std::vector<Check>& checks, double otherwise) {
  double best = otherwise, least = INFINITY, n = 0;
  for (const double weight : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    std::vector<double> errors;
    for (const Check& check : checks)
      if (check.continued) errors.push_back(std::fabs(check.predicted(weight) - check.measured));
    n = static_cast<double>(errors.size());
    if (errors.empty()) return otherwise;
    if (const double error = statistics::median(errors); error < least) least = error, best = weight;
  }
  return (n * best + kOpinion * otherwise) / (n + kOpinion);
}

double width_of(std::vector<double> scores, double otherwise) {
  if (scores.empty()) return otherwise;
  for (double& z : scores) z = std::fabs(z);
  const double n = static_cast<double>(scores.size());
  const double seen = std::clamp(statistics::quantile(scores, 0.9) / kNinety, kNarrowest, kWidest);
  return (n * seen + kOpinion * otherwise) / (n + kOpinion);
}

Calibration calibrate(const std::vector<const Kernel*>& kernels, const Layouts& layouts, Statistic statistic,
                      unsigned threads) {
  Calibration out;
  if (is_count(*kernels.front())) out.prior.relative_noise = kCountNoise;
  const auto sample = sample_of(kernels);
  std::vector<Model> models(sample.size());
  for_each_index(sample.size(), threads,
                 [&](std::size_t i) { models[i] = model_of(*sample[i], layouts, statistic, out); });
  std::vector<double> noise;
  for (const Model& model : models)
    if (model.mixture && model.observations.observed.values.size() >= kFewestPoints)
      noise.push_back(model.mixture->relative_noise());
  if (noise.size() >= kFewestKernels) {
    out.prior.relative_noise = std::clamp(statistics::median(noise), 1e-4, 0.3);
    out.prior.weight = 2;
  }
  const auto checks_of = [&](bool far) {
    std::vector<std::vector<Check>> found(models.size());
    for_each_index(models.size(), threads, [&](std::size_t i) {
      if (!models[i].mixture) return;
      const Layout& layout = *models[i].design.layout;
      found[i] = forward_checks(models[i].observations.observed, models[i].design, out.prior,
                                far ? layout.far_folds() : layout.folds(), Detail::distributions);
      // index of the parameter
      for (Check& check : found[i]) check.argument = models[i].arguments.used[check.argument];
    });
    std::vector<Check> checks;
    for (auto& some : found)
      checks.insert(checks.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    return checks;
  };
  const std::vector<Check> checks = checks_of(false), far = checks_of(true);
  out.continued = continued_weight(checks, out.continued);
  std::vector<double> scores;
  for (const Check& check : checks) scores.push_back(score(check, out.continued));
  out.checks = scores.size();
  out.width = width_of(std::move(scores), 1);
  for (const Check& check : checks) out.reaches.try_emplace(check.argument);
  for (auto& [parameter, reach] : out.reaches) {
    const auto [near, near_width] =
        width_along(checks, parameter, out.continued, width_elsewhere(checks, parameter, out.continued));
    const auto [most, far_width] = width_along(far, parameter, out.continued, near_width);
    reach = {near, near_width, std::max(most, near), far_width};
  }
  return out;
}

}  // namespace parcast::fit
