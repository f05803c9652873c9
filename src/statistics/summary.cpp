// SPDX-License-Identifier: Apache-2.0
#include "statistics/summary.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "statistics/distribution.h"

namespace parcast::statistics {
namespace {

std::vector<double> sorted(std::span<const double> sample) {
  std::vector<double> copy(sample.begin(), sample.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double quantile_of_sorted(std::span<const double> ordered, double q) {
  const double position = q * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= ordered.size()) return ordered.back();
  const double share = position - static_cast<double>(below);
  return ordered[below] + share * (ordered[below + 1] - ordered[below]);
}

// Two passes, the second about the mean of the first. There is no cancellation, and the rounding error of the
// mean is removed.
double mean_of(std::span<const double> sample) {
  const auto n = static_cast<double>(sample.size());
  double sum = 0;
  for (const double x : sample) sum += x / n;
  double rest = 0;
  for (const double x : sample) rest += x - sum;
  return sum + rest / n;
}

double deviation_about(double mean, std::span<const double> sample) {
  if (sample.size() < 2) return 0;
  double squares = 0;
  double rest = 0;
  for (const double x : sample) {
    squares += (x - mean) * (x - mean);
    rest += x - mean;
  }
  const auto n = static_cast<double>(sample.size());
  return std::sqrt(std::max(0.0, squares - rest * rest / n) / (n - 1));
}

}  // namespace

Moments moments(std::span<const double> sample) {
  const double mean = mean_of(sample);
  return {mean, deviation_about(mean, sample)};
}

Result<Summary> summarize(std::span<const double> sample) {
  if (sample.empty()) return Error{"the sample is empty", "", "at least one measurement is needed"};
  for (std::size_t i = 0; i < sample.size(); ++i)
    if (!std::isfinite(sample[i]))
      return Error{"a measurement is not a finite number", "value " + std::to_string(i + 1), "leave it out"};
  const std::vector<double> ordered = sorted(sample);
  Summary s;
  s.count = sample.size();
  s.mean = mean_of(sample);
  s.standard_deviation = deviation_about(s.mean, sample);
  s.minimum = ordered.front();
  s.maximum = ordered.back();
  s.median = quantile_of_sorted(ordered, 0.5);
  std::vector<double> distances(sample.size());
  std::transform(sample.begin(), sample.end(), distances.begin(),
                 [&](double x) { return std::abs(x - s.median); });
  s.median_absolute_deviation = median(distances);
  return s;
}

double quantile(std::span<const double> sample, double q) {
  assert(!sample.empty() && q >= 0 && q <= 1);
  return quantile_of_sorted(sorted(sample), q);
}

double median(std::span<const double> sample) {
  return quantile(sample, 0.5);
}

double trimmed_mean(std::span<const double> sample, double fraction) {
  assert(!sample.empty() && fraction >= 0 && fraction < 0.5);
  const std::vector<double> ordered = sorted(sample);
  const auto cut = static_cast<std::size_t>(fraction * static_cast<double>(ordered.size()));
  return mean_of(std::span(ordered).subspan(cut, ordered.size() - 2 * cut));
}

Result<MedianInterval> median_interval(std::span<const double> sample, double level) {
  const std::size_t n = sample.size();
  assert(level > 0 && level < 1);
  if (n == 0 || 1 - std::ldexp(1.0, 1 - static_cast<int>(std::min<std::size_t>(n, 2000))) < level)
    return Error{std::to_string(n) + " values cannot enclose the median at a level of " +
                     format_significant(100 * level, 3) + " %",
                 "", "measure more often, or ask for a lower level"};
  const std::vector<double> ordered = sorted(sample);
  // The median is between the k-th smallest and the k-th largest value unless fewer than k values are on one
  // side.
  std::size_t k = 1;
  while (2 * (k + 1) <= n && 1 - 2 * binomial_probability_up_to(k, n, 0.5) >= level) ++k;
  return MedianInterval{{quantile_of_sorted(ordered, 0.5), ordered[k - 1], ordered[n - k]},
                        1 - 2 * binomial_probability_up_to(k - 1, n, 0.5)};
}

}  // namespace parcast::statistics
