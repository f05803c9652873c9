// SPDX-License-Identifier: Apache-2.0
#include "observations/run_deviations.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace parcast::program {
namespace {

constexpr double kUsualRelation = 0.5;  // middle of 0 .. 1: no evidence for either end

struct RunSums {
  double seconds = 0;
  double coefficients = 0;                 // weighted by seconds
  double sum = 0, squares = 0;             // of shares times deviations, and of their squares
  double spreads = 0, spread_squares = 0;  // the same of shares times each segment's usual deviation
};

}  // namespace

BetweenRuns between_runs(std::span<const FittedSegment> segments) {
  std::map<std::size_t, RunSums> runs;
  for (const FittedSegment& segment : segments)
    for (const SegmentDeviation& each : segment.deviations)
      runs[each.run].seconds += each.seconds,
          runs[each.run].coefficients += each.seconds * segment.coefficients;
  std::erase_if(runs, [](const auto& run) { return !(run.second.seconds > 0); });
  if (runs.empty()) return {};
  for (const FittedSegment& segment : segments) {
    double squares = 0;
    for (const SegmentDeviation& each : segment.deviations) squares += each.relative * each.relative;
    const double usual = std::sqrt(squares / std::max(1.0, static_cast<double>(segment.deviations.size())));
    for (const SegmentDeviation& each : segment.deviations) {
      const auto at = runs.find(each.run);
      if (at == runs.end()) continue;
      RunSums& run = at->second;
      const double share = each.seconds / run.seconds;
      run.sum += share * each.relative, run.squares += std::pow(share * each.relative, 2);
      run.spreads += share * usual, run.spread_squares += std::pow(share * usual, 2);
    }
  }
  const auto count = static_cast<double>(runs.size());
  double coefficients = 0, squares = 0, together = 0, most = 0;
  for (const auto& [number, run] : runs) {
    coefficients += run.coefficients / run.seconds / count;
    squares += run.sum * run.sum;
    together += run.sum * run.sum - run.squares;
    most += run.spreads * run.spreads - run.spread_squares;
  }
  const double freedom = std::max(0.0, count - coefficients);
  const double seen = most > 0 ? std::clamp(together / most, 0.0, 1.0) : kUsualRelation;
  return {
      .deviation = std::sqrt((kOpinion * kUsualDeviation * kUsualDeviation + squares) / (kOpinion + freedom)),
      .related = (kOpinion * kUsualRelation + freedom * seen) / (kOpinion + freedom),
      .degrees = freedom};
}

}  // namespace parcast::program
