// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/noise_law.h"

#include <algorithm>
#include <cmath>

namespace parcast::program {
namespace {

constexpr double kUsualFall = 0.5, kFallSpread = 0.25;
constexpr double kErrorOfNoise = 0.2;  // of the logarithm of a run's noise
constexpr double kStep = 0.25;         // of the exponent

/// Returns the exponent with which noise falls: by a regression of logarithms, with the prior above.
double fall_of(std::span<const NoiseOfRun> runs, double log_seconds) {
  double log_noise = 0, count = 0;
  for (const NoiseOfRun& run : runs)
    if (run.noise > 0 && run.weight > 0) log_noise += std::log(run.noise), ++count;
  log_noise /= std::max(count, 1.0);
  double squares = 1 / (kFallSpread * kFallSpread), product = kUsualFall * squares;
  for (const NoiseOfRun& run : runs) {
    if (!(run.noise > 0) || !(run.weight > 0)) continue;
    const double x = (std::log(run.seconds) - log_seconds) / kErrorOfNoise;
    squares += x * x;
    product -= x * (std::log(run.noise) - log_noise) / kErrorOfNoise;
  }
  return kStep * std::round(std::clamp(product / squares, 0.0, 1.0) / kStep);
}

}  // namespace

NoiseLaw noise_law(std::span<const NoiseOfRun> runs) {
  NoiseLaw out;
  double weight = 0, log_seconds = 0, count = 0;
  for (const NoiseOfRun& run : runs) {
    weight += run.weight;
    if (run.noise > 0 && run.weight > 0) log_seconds += std::log(run.seconds), ++count;
  }
  if (!(count > 0)) return out;
  log_seconds /= count;
  out.seconds = std::exp(log_seconds);
  out.falls = fall_of(runs, log_seconds);
  double shortest = out.seconds;
  for (const NoiseOfRun& run : runs) {
    if (!(run.noise > 0) || !(run.weight > 0)) continue;
    out.noise += run.weight / weight * run.noise * std::pow(run.seconds / out.seconds, out.falls);
    shortest = std::min(shortest, run.seconds);
  }
  out.most = out.noise * std::pow(out.seconds / shortest, out.falls);
  return out;
}

}  // namespace parcast::program
