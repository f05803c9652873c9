// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests up to which point a time is proportional to the work, T = delta x operations (Lemeire and Dirkx 2004,
// equation 6 and figure 4), and finds where the proportionality breaks. The alternatives to the straight
// relation are: another slope beyond some amount of work (a bend), another cost of all work beyond some
// amount (a step), and another cost from some number of processes on. The test compares the largest
// improvement of any alternative with its distribution under permuted errors. So it reports a break by chance
// in at most `level` of all cases, for any distribution of the errors. docs/models/causes.md.
//
//   delta 0.250 us per operation up to 5.4e10 operations (14 of 20 samples), from there 0.71 us; p = 0.001

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"

namespace parcast::causes {

struct Sample {
  double work = 0;     // >= 0
  double seconds = 0;  // > 0
  double processes = 1;
};

/// A further cause in the relation: its amount in every sample, in the samples' order.
using Column = std::vector<double>;

struct BreakOptions {
  double level = 0.05;         // largest probability of a false alarm
  double least_effect = 0.02;  // breaks that change no sample's time by more than this fraction are ignored
  // 0 with level 1: the best break, whatever its probability; with level 0: no break
  std::size_t permutations = 999;
  std::uint64_t seed = 1;
  Column weights;  // by sample, see Linearity; empty: estimated from the samples
};

enum class Shape { straight, bend, step, step_in_processes };

struct Linearity {
  Shape shape = Shape::straight;
  // at least kFewest samples with different amounts of work, or on several numbers of processes
  bool tested = false;
  double p_value = 1;       // probability of so large an improvement by chance
  double last_linear = 0;   // work of the last sample before the break; for a step in processes, their number
  double first_beyond = 0;  // the same of the first sample after the break
  std::size_t linear_samples = 0;        // samples before the break; all of them if there is none
  double delta = 0, standard_error = 0;  // seconds per unit of work before the break
  double delta_beyond = 0;               // cost of further work after the break; delta if there is none
  double effect = 0;  // largest change of a sample's time by the break, as a fraction of the time
  double noise = 0;   // relative standard deviation of the most exact samples from this relation
  // sums of squares of weighted relative deviations without and with the break
  double straight_residual = 0, residual = 0;
  /// The weight of each sample relative to the most exact one, at most 1. Noise has a constant part in
  /// addition to the relative one (statistics/noise.h), so that short times deviate more.
  Column weights;
  std::vector<double> others;  // seconds per unit of the further causes
  std::vector<double> other_errors;
};

inline constexpr std::size_t kFewest = 6;

/// Finds the break. The noise has a relative and a constant part (docs/models/noise.md). Fails if no sample
/// has work, if a time is not positive, and if there are fewer samples than causes plus two.
Result<Linearity> find_break(std::span<const Sample> samples, std::span<const Column> others = {},
                             const BreakOptions& options = {});

/// Returns the column of the break in the relation, per unit of the further cost (delta_beyond - delta);
/// zeros if there is no break.
Column break_column(std::span<const Sample> samples, const Linearity& relation);

/// A relation that breaks twice. Each member is the relation with its own break; the column of the other
/// break is the last of the further causes in `others`.
struct TwoBreaks {
  Linearity earlier, later;  // by the amount of work; a step in processes is the later one
};

/// Tests whether a relation with the break `first` breaks once more, at least three samples away: a bend
/// between two samples looks like two adjacent bends. Both breaks are moved in turn to where they fit best.
std::optional<TwoBreaks> find_second_break(std::span<const Sample> samples, const Linearity& first,
                                           const BreakOptions& options = {});

}  // namespace parcast::causes
