// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/overlap.h"

#include "calibrate/overlap.h"
#include "calibrate/training/work.h"

namespace parcast::training {
namespace {

constexpr int kNumbers = 8192;  // 64 KiB
constexpr int kRepeats = 5;     // repeats per sample
constexpr std::size_t kMostSamples = 200, kFewest = 3;

/// Returns, on rank 0, the median of some repeats; 0 if none started in time.
double seconds_of(Team& team, const std::function<void()>& operation, Nanoseconds window) {
  const auto batch = team.run(operation, kRepeats, window);
  return batch.seconds.empty() ? 0 : statistics::median(batch.seconds);
}

}  // namespace

void measure_allreduce_overlap(Team& team, double seconds, calibrate::Measurements& into) {
  if (team.size() == 1) return;
  const Nanoseconds end = now() + static_cast<Nanoseconds>(seconds * 1e9);
  std::vector<double> given(kNumbers, 1.0), got(kNumbers);
  const auto reduce_around = [&](std::int64_t steps) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(given.data(), got.data(), kNumbers, MPI_DOUBLE, MPI_SUM, team.communicator(), &request);
    work(steps);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  const auto transfer = [&] { reduce_around(0); };
  const double alone = team.share(std::max(seconds_of(team, transfer, 2'000'000), 1e-5));
  const std::int64_t steps = team.share(steps_in(alone));
  const auto window = static_cast<Nanoseconds>(4e9 * alone) + 100'000;
  std::vector<double> samples;
  while (team.share(now() < end && samples.size() < kMostSamples)) {
    const double moving = seconds_of(team, transfer, window);
    const double computing = seconds_of(
        team, [&] { work(steps); }, window);
    const double both = seconds_of(
        team, [&] { reduce_around(steps); }, window);
    if (moving > 0 && computing > 0 && both > 0)
      samples.push_back(calibrate::overlap_of(moving, computing, both));
  }
  if (team.leads() && samples.size() >= kFewest)
    into.values.push_back(value_of("allreduce_overlap", samples));
}

}  // namespace parcast::training
