// SPDX-License-Identifier: Apache-2.0
#pragma once
// Estimates the costs of a machine's operations from measured runs of programs with known counts: t = chi
// beta + e (Clement and Quinn 1997, section 4). Adds diagnostics to read before using them, and predictions
// of other runs. docs/models/regression.md.

#include <optional>
#include <string>
#include <vector>

#include "regress/runs.h"
#include "statistics/diagnostics.h"
#include "statistics/grouped.h"

namespace parcast::regress {

struct Options {
  statistics::GroupedOptions fit;
  double level = 0.9;
  bool held_out = true;  // also validates the costs with held-out programs and runs
};

struct Cost {
  std::string name;           // of the count
  double value = 0;           // seconds each
  double standard_error = 0;  // NaN: not identified separately
  double t = 0;
  bool identified = false;
  std::string why;       // why it is not identified: a few words
  double inflation = 1;  // of its variance by the other counts
  double share = 0;      // mean over runs of its fraction of the fitted time
};

/// A count that equals a combination of others in all runs.
struct AliasedCount {
  std::string name, combination;  // e.g. "2 messages + bytes"; empty: 0 in all runs
};

/// The prediction of one run.
struct Answer {
  Run run;
  double value = 0;                           // mean over programs
  statistics::Interval mean;                  // of that mean
  std::optional<statistics::Interval> same;   // of another run of a program in the fit
  std::optional<statistics::Interval> fresh;  // of a run of another program
  // ordinary least squares, value +- 2 standard errors of the mean, as in the papers
  std::optional<statistics::Interval> classic;
  std::string refused;  // why there is no answer; empty: there is one
};

/// Predictions of runs by a fit without them. Errors are (predicted - measured) / measured.
struct HeldOut {
  std::string program;  // the held-out program; empty: all together
  int runs = 0, answered = 0;
  double mean_error = 0, average_error = 0;  // mean of signed errors; of absolute errors
  double below_40 = 0, below_60 = 0;         // fraction of runs with a smaller error
  double covered = 0, covered_classic = 0;   // fraction within the interval; within +- 2 standard errors
  // relative to the measured time: width + 2 / (1 - level) x distance outside
  double interval_score = 0, interval_score_classic = 0;
  // the papers' sqrt(SSE / (n - 3)), 0 if n <= 3; and the mean measured time
  double sigma = 0, mean_seconds = 0;
  std::vector<Answer> answers;
};

struct Costs {
  Runs runs;
  std::vector<std::string> programs;
  std::vector<Cost> costs;
  std::vector<AliasedCount> aliases;
  statistics::Matrix correlation;  // of costs; 0 off the diagonal if one has no variance
  statistics::GroupedFit fit;
  std::optional<statistics::GroupedFit> classic;  // ordinary least squares, as in the papers
  std::vector<std::size_t> outliers;  // runs far from a robust fit, in which no outlier masks another
  std::vector<double> expected;       // predictions of the robust fit for each run
  std::vector<statistics::QuantilePair> quantiles;  // of standardised residuals
  double normality = 0;  // correlation of the residuals with the normal quantiles: 1 for a straight line
  std::vector<HeldOut> programs_out;  // each program held out in turn
  // all of these together; every run held out in turn, in tenths, with its program known
  std::optional<HeldOut> all_programs_out, runs_out;
  Options options;
  std::vector<std::string> warnings;
};

/// Estimates the costs. Fails if there are too few runs, and reports the number needed.
Result<Costs> find_costs(Runs runs, const Options& options);

/// Predicts a run. Its counts must be in the order of the fit's.
Answer answer(const Costs& costs, const Run& run);

/// Fits without one program and predicts its runs.
Result<HeldOut> without_program(const Runs& runs, const std::string& program, const Options& options);

}  // namespace parcast::regress
