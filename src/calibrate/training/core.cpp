// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/core.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

namespace parcast::training {
namespace {

constexpr std::size_t kPoints = 1024;      // 8 KiB: fits into the first cache
constexpr double kOperationsPerPoint = 5;  // three products, two sums

/// Keeps a result from being optimised away.
volatile double sink;

/// One sweep of a three-point stencil from a to b.
void sweep(const double* a, double* b) {
  for (std::size_t i = 1; i <= kPoints; ++i) b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
}

/// Both arrays start at a cache line and have a fixed distance. Their relative position changes the speed by
/// a factor of 1.7 (loads that straddle lines, addresses with equal low bits), and heap addresses vary.
class Kernel {
 public:
  Kernel() { std::fill(std::begin(lines_->values), std::end(lines_->values), 1.0); }
  /// Returns the seconds that `sweeps` sweeps take.
  double run(std::int64_t sweeps) {
    const Nanoseconds start = now();
    for (std::int64_t i = 0; i < sweeps; ++i) sweep(a_, b_), std::swap(a_, b_);
    sink = a_[kPoints / 2];
    return static_cast<double>(now() - start) * 1e-9;
  }
  static double operations(std::int64_t sweeps) {
    return static_cast<double>(sweeps) * kPoints * kOperationsPerPoint;
  }

  /// Returns the number of sweeps that take about `seconds`.
  std::int64_t sweeps_in(double seconds) {
    std::int64_t sweeps = 64;
    double taken = run(sweeps);
    while (taken < seconds / 8) sweeps *= 2, taken = run(sweeps);
    return std::max<std::int64_t>(1,
                                  static_cast<std::int64_t>(static_cast<double>(sweeps) * seconds / taken));
  }

 private:
  static constexpr std::size_t kApart = 1024 + 64;  // values: 8 KiB and 512 bytes, full cache lines
  struct alignas(64) Lines {
    double values[2 * kApart];
  };
  std::unique_ptr<Lines> lines_ = std::make_unique<Lines>();
  double *a_ = lines_->values, *b_ = lines_->values + kApart;
};

/// Returns the speeds of pieces that are long enough to average over a share of a core.
std::vector<double> speeds(Team& team, Kernel& kernel, double seconds) {
  const double piece = std::clamp(seconds / 12, 0.005, 0.1);
  const std::int64_t sweeps = team.share(kernel.sweeps_in(piece));
  std::vector<double> out;
  const Nanoseconds end = team.share(now()) + static_cast<Nanoseconds>(seconds * 1e9);
  bool going = true;
  while (going) {
    MPI_Barrier(team.communicator());
    out.push_back(mean_over(team, Kernel::operations(sweeps) / kernel.run(sweeps)));
    going = team.share(out.size() < 5 || (now() < end && out.size() < 200));
  }
  return out;
}

void measure_noise(Kernel& kernel, double seconds, calibrate::Measurements& into) {
  const std::int64_t sweeps = kernel.sweeps_in(1e-3);
  const Nanoseconds end = now() + static_cast<Nanoseconds>(seconds * 1e9);
  std::vector<double> pieces;
  while (pieces.size() < 30 || (now() < end && pieces.size() < 3000)) pieces.push_back(kernel.run(sweeps));
  if (const auto summary = statistics::summarize(pieces)) {
    const double relative = summary->standard_deviation / summary->mean;
    const auto count = static_cast<double>(pieces.size());
    into.values.push_back(
        {"noise", relative, relative / std::sqrt(2 * (count - 1)), static_cast<std::int64_t>(pieces.size())});
  }
}

}  // namespace

void measure_core(Team& team, double seconds, calibrate::Measurements& into) {
  Kernel kernel;
  const bool alone = team.size() == 1;
  const auto samples = speeds(team, kernel, alone ? seconds / 2 : seconds);
  if (!team.leads()) return;
  into.values.push_back(value_of(alone ? "core_speed" : "shared_core_speed", samples));
  if (alone) measure_noise(kernel, seconds / 2, into);
}

}  // namespace parcast::training
