// SPDX-License-Identifier: Apache-2.0
#include "observations/sampling.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace parcast::program {
namespace {

constexpr std::size_t kReach = 5;   // neighbours on each side
constexpr std::size_t kFewest = 5;  // with fewer samples nothing is replaced
constexpr std::size_t kMostStretches = 128;
// Nanoseconds on the processor: time to refill caches that another thread emptied.
constexpr double kMostOfASwitch = 200e3;
constexpr double kMostTimes = 2;  // times the level: other effects of a switch are assumed to stay below
constexpr double kFirstStandsOut = 0.1;  // relative to the level after it
constexpr double kRareShare = 0.005;     // of executions: outliers this rare are capped
constexpr double kFarOut = 10;           // robust standard deviations
constexpr double kNormalConsistency = 1.482602218505602;

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

// Computes the median of the nearest undisturbed samples around each sample.
class Level {
 public:
  explicit Level(std::span<const Sample> samples) {
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (!samples[i].disturbed) calm_.push_back({i, static_cast<double>(samples[i].nanoseconds)});
  }
  bool known() const { return calm_.size() >= 3; }
  // Returns the level at index `at`, which must not decrease from call to call.
  double around(std::size_t at) {
    while (next_ < calm_.size() && calm_[next_].index < at) ++next_;
    const std::size_t begin = next_ > kReach ? next_ - kReach : 0;
    const std::size_t end = std::min(calm_.size(), next_ + kReach + 1);
    window_.clear();
    for (std::size_t i = begin; i < end; ++i) window_.push_back(calm_[i].value);
    return median_of(window_);
  }

 private:
  struct Calm {
    std::size_t index;
    double value;
  };
  std::vector<Calm> calm_;
  std::vector<double> window_;
  std::size_t next_ = 0;
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// Caps very rare and very large values at their neighbours' level plus kFarOut robust standard deviations.
void cap_rare(std::vector<double>& values, const std::vector<double>& levels) {
  std::vector<double> deviations;
  for (std::size_t i = 0; i < values.size(); ++i) deviations.push_back(std::abs(values[i] - levels[i]));
  auto copy = deviations;
  double spread = 0;
  for (std::size_t i = 0; i < values.size(); ++i) spread += levels[i];
  const double scale =
      std::max(kNormalConsistency * median_of(copy), 0.01 * spread / static_cast<double>(values.size()));
  std::vector<std::size_t> far;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] - levels[i] > kFarOut * scale) far.push_back(i);
  if (static_cast<double>(far.size()) > kRareShare * static_cast<double>(values.size())) return;
  for (const std::size_t i : far) values[i] = levels[i] + kFarOut * scale;
}

// Returns the standard deviation of a normal distribution with the same mean difference between two of its
// values. Two ranks wait for half of that difference, whatever the distribution. The usual standard deviation
// would give far more weight to rare spikes.
double deviation_by_differences(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double sum = 0;  // over all pairs
  for (std::size_t i = 0; i < values.size(); ++i) sum += (2 * static_cast<double>(i) - n + 1) * values[i];
  return n < 2 ? 0 : std::sqrt(std::numbers::pi) / 2 * sum / (n * (n - 1) / 2);
}

// Computes the noise between neighbours. It uses differences from the local level, so a trend does not count.
void describe_noise(const std::vector<double>& values, const std::vector<double>& levels,
                    TimeSummary& summary) {
  double squares = 0, offset = 0;
  const auto n = static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) offset += (values[i] - levels[i]) / n;
  for (std::size_t i = 0; i < values.size(); ++i) squares += std::pow(values[i] - levels[i] - offset, 2);
  const double deviation = std::sqrt(squares / std::max(1.0, n - 1));
  const double mean = mean_of(values);
  std::vector<double> differences;
  for (std::size_t i = 0; i < values.size(); ++i) differences.push_back(values[i] - levels[i]);
  summary.noise = mean > 0 ? deviation_by_differences(std::move(differences)) / mean : 0;
  summary.standard_error = deviation / std::sqrt(n) * 1e-9;
}

std::vector<float> course_of(const std::vector<double>& values) {
  std::vector<float> course;
  const std::size_t stretches = std::min(kMostStretches, values.size());
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t begin = s * values.size() / stretches, end = (s + 1) * values.size() / stretches;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += values[i];
    course.push_back(static_cast<float>(sum / static_cast<double>(end - begin) * 1e-9));
  }
  return course;
}

}  // namespace

TimeSummary summarise(std::span<const Sample> samples) {
  TimeSummary summary;
  summary.count = static_cast<std::int64_t>(samples.size());
  if (samples.empty()) return summary;
  for (const Sample& s : samples) {
    summary.total += static_cast<double>(s.nanoseconds) * 1e-9;
    summary.disturbed += s.disturbed ? 1.0 / static_cast<double>(samples.size()) : 0;
  }
  Level level(samples);
  std::vector<double> values, levels;
  const bool replace = samples.size() >= kFewest && level.known();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto value = static_cast<double>(samples[i].nanoseconds);
    levels.push_back(replace ? level.around(i) : value);
    // A sample far longer than its neighbours did other work; a switch does not explain it, since times are
    // processor times.
    const bool by_switch = samples[i].disturbed && value <= kMostTimes * levels.back() + kMostOfASwitch;
    values.push_back(replace && by_switch ? levels.back() : value);
  }
  if (!replace) {
    std::fill(levels.begin(), levels.end(), mean_of(values));
  } else {
    // The first sample has no earlier neighbours, so its level is that of its successors.
    const double after = levels[1];
    if (values[0] > after * (1 + kFirstStandsOut)) {
      summary.first_extra = (values[0] - after) * 1e-9;
      values[0] = after;
    }
    cap_rare(values, levels);
  }
  summary.mean = mean_of(values) * 1e-9;
  describe_noise(values, levels, summary);
  summary.course = course_of(values);
  return summary;
}

}  // namespace parcast::program
