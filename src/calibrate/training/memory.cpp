// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "base/text.h"
#include "calibrate/training/core.h"
#include "statistics/random.h"

namespace parcast::training {
namespace {

constexpr std::uint64_t kSeed = 20260101;
constexpr double kSmallest = 4096;
constexpr double kLargestArray = 256.0 * 1024 * 1024;

volatile std::size_t load_sink;
volatile double stream_sink;

/// A cycle through all lines of the working set in random order (Sattolo 1986): each load depends on the
/// previous one.
class Chase {
 public:
  Chase(double bytes, double line) : stride_(static_cast<std::size_t>(line) / sizeof(std::size_t)) {
    const std::size_t lines = std::max<std::size_t>(2, static_cast<std::size_t>(bytes / line));
    std::vector<std::uint32_t> order(lines);
    std::iota(order.begin(), order.end(), 0u);
    statistics::Random random(kSeed);
    for (std::size_t i = lines - 1; i > 0; --i) std::swap(order[i], order[random.below(i)]);
    next_.assign(lines * stride_, 0);
    for (std::size_t i = 0; i < lines; ++i) next_[i * stride_] = order[i] * stride_;
  }

  double seconds_per_load(std::int64_t loads) {
    const Nanoseconds start = now();
    std::size_t at = at_;
    for (std::int64_t i = 0; i < loads; ++i) at = next_[at];
    load_sink = at_ = at;
    return static_cast<double>(now() - start) * 1e-9 / static_cast<double>(loads);
  }

 private:
  std::size_t stride_, at_ = 0;
  std::vector<std::size_t> next_;
};

/// a = b + s c over three arrays of a third of the working set each (the triad of STREAM): 24 bytes per
/// element.
class Stream {
 public:
  explicit Stream(double bytes) {
    const std::size_t count = std::max<std::size_t>(16, static_cast<std::size_t>(bytes / 24));
    a_.assign(count, 0.0), b_.assign(count, 1.0), c_.assign(count, 2.0);
  }

  double bytes_per_second(std::int64_t passes) {
    const Nanoseconds start = now();
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      const double factor = 0.5 + static_cast<double>(pass & 1);
      for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = b_[i] + factor * c_[i];
      stream_sink = a_[a_.size() / 2];
    }
    return static_cast<double>(passes) * 24.0 * static_cast<double>(a_.size()) /
           (static_cast<double>(now() - start) * 1e-9);
  }
  double bytes_of_pass() const { return 24.0 * static_cast<double>(a_.size()); }

 private:
  std::vector<double> a_, b_, c_;
};

/// Returns the best of three measurements, each about `seconds` long. `measure(count)` returns the quantity,
/// `cost(quantity)` the seconds per unit of count.
template <class Measure, class Cost>
double best_value(const Team& team, double seconds, Measure measure, Cost cost) {
  MPI_Barrier(team.communicator());
  std::int64_t count = 1;
  double value = measure(count);
  while (cost(value) * static_cast<double>(count) < seconds / 8 && count < (std::int64_t{1} << 40))
    count *= 2, value = measure(count);
  count = std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds / cost(value)));
  MPI_Barrier(team.communicator());
  for (int i = 0; i < 3; ++i)
    if (const double again = measure(count); i == 0 || cost(again) < cost(value)) value = again;
  return value;
}

std::vector<double> working_sets(const Host& host, int processes, double seconds) {
  const double last_cache = host.caches.empty() ? 32e6 : host.caches.back().bytes;
  // the limit of a control group counts, too
  const double most = std::min(kLargestArray, host.memory_allowed / (8.0 * processes));
  double largest = std::min(std::max(4 * last_cache, kSmallest * 16), std::max(most, kSmallest * 16));
  if (seconds < 2) largest = std::min(largest, 2 * last_cache);
  const double factor = seconds < 1 ? 4 : seconds < 3 ? 2 : std::sqrt(2.0);
  std::vector<double> sizes;
  for (double bytes = kSmallest; bytes <= largest * 1.01; bytes *= factor)
    sizes.push_back(std::round(bytes / 64) * 64);
  return sizes;
}

/// Returns texts such as 64 MiB or 181 KiB.
std::string size_text(double bytes) {
  constexpr double kKiB = 1024, kMiB = 1024 * kKiB;
  return bytes >= kMiB ? format_significant(bytes / kMiB, 2) + " MiB"
                       : format_significant(bytes / kKiB, 2) + " KiB";
}

}  // namespace

void measure_memory(Team& team, const Host& host, double seconds, calibrate::Measurements& into) {
  const Nanoseconds end = now() + static_cast<Nanoseconds>(seconds * 1e9);
  const int cores = team.share(team.ranks_on_my_node());
  const std::vector<double> sizes = working_sets(host, cores, team.share(seconds));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double left = team.share(static_cast<double>(end - now()) * 1e-9);
    const std::size_t todo = sizes.size() - i;
    if (left <= 0) {
      if (team.leads())
        into.notes.push_back("the budget ended before working sets from " + size_text(sizes[i]) + " on " +
                             std::to_string(cores) + (cores == 1 ? " core" : " cores"));
      return;
    }
    // Time per measurement, for some seven measurements per size: two quantities with three repeats each, and
    // the search for the count.
    const double piece = std::max(1e-3, team.share(left / static_cast<double>(todo)) / 10);
    calibrate::SweepPoint point{cores, sizes[i], 0, 0};
    {
      Chase chase(sizes[i], host.cache_line);
      chase.seconds_per_load(static_cast<std::int64_t>(sizes[i] / host.cache_line));
      point.seconds_per_load =
          mean_over(team, best_value(
                              team, piece, [&](std::int64_t n) { return chase.seconds_per_load(64 * n); },
                              [](double value) { return 64 * value; }));
    }
    Stream stream(sizes[i]);
    stream.bytes_per_second(1);
    point.bytes_per_second =
        mean_over(team, best_value(
                            team, piece, [&](std::int64_t n) { return stream.bytes_per_second(n); },
                            [&](double value) { return stream.bytes_of_pass() / value; }));
    if (team.leads()) into.sweep.push_back(point);
  }
}

}  // namespace parcast::training
