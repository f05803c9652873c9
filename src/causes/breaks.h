// SPDX-License-Identifier: Apache-2.0
#pragma once
// Up to where a time is proportional to the work: T = delta x operations (Lemeire and Dirkx 2004, equation 6 and figure 4),
// and where it breaks. Against the straight relation stand: another slope from some amount of work on (a bend), another cost
// of all work beyond some amount (a step), and another cost from some number of processes on. The largest improvement of any
// is compared with what it is when the same errors are dealt out anew, so chance alone is called a break in at most `level` of
// all cases whatever the errors' distribution is. docs/models/causes.md.
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
  double work = 0;       // >= 0
  double seconds = 0;    // > 0
  double processes = 1;
};

/// A further cause that the relation already has: its amount in every sample, in the samples' order.
using Column = std::vector<double>;

struct BreakOptions {
  double level = 0.05;             // largest share of false alarms
  double least_effect = 0.02;      // a break that changes no sample's time by more than this share is none worth telling
  std::size_t permutations = 999;  // 0 and a level of 1: the best break whatever its probability; and a level of 0: none
  std::uint64_t seed = 1;
  Column weights;                  // by sample, see Linearity; empty: found from the samples
};

enum class Shape { straight, bend, step, step_in_processes };

struct Linearity {
  Shape shape = Shape::straight;
  bool tested = false;             // at least kFewest samples of as many amounts of work, or on several numbers of processes
  double p_value = 1;              // probability of so large an improvement by chance
  double last_linear = 0;          // work of the last sample before the break; of a step in processes, their number
  double first_beyond = 0;         // of the first one behind it
  std::size_t linear_samples = 0;  // samples before the break; all of them where there is none
  double delta = 0, standard_error = 0;           // seconds per unit of work before the break
  double delta_beyond = 0;         // what more work costs behind it; delta where there is none
  double effect = 0;               // largest change of a sample's time by the break, as a share of it
  double noise = 0;                // relative standard deviation of the most exact samples from what is said here
  double straight_residual = 0, residual = 0;     // sum of squares of weighted relative deviations without and with the break
  /// How exact each sample is against the most exact one, at most 1: noise has a constant part beside the relative one
  /// (statistics/noise.h), so that short times deviate more.
  Column weights;
  std::vector<double> others;      // seconds per unit of the further causes
  std::vector<double> other_errors;
};

inline constexpr std::size_t kFewest = 6;

/// Noise is taken to have a relative and a constant part (docs/models/noise.md). Fails where no sample has work, where a
/// time is not positive, and where there are fewer samples than causes plus two.
Result<Linearity> find_break(std::span<const Sample> samples, std::span<const Column> others = {}, const BreakOptions& options = {});

/// What the break adds to the relation, per unit of the further cost (delta_beyond - delta); zeros where there is none.
Column break_column(std::span<const Sample> samples, const Linearity& relation);

/// A relation that breaks twice. Either is the relation with its own break, and the other one's column among the further causes, the last of `others`.
struct TwoBreaks {
  Linearity earlier, later;        // by the amount of work; a step in processes is the later one
};

/// Whether a relation that breaks as `first` says breaks once more, at least three samples away: a bend between two samples looks like two bends
/// side by side. Both places are moved in turn to where they fit best.
std::optional<TwoBreaks> find_second_break(std::span<const Sample> samples, const Linearity& first, const BreakOptions& options = {});

}  // namespace parcast::causes
