// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a machine's operations cost, from measured runs of programs whose counts are known: t = chi beta + e (Clement and Quinn 1997,
// section 4), with what a person should look at before believing it, and what it says of runs that were not measured.
// docs/models/regression.md.

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
  bool held_out = true;         // also judge the costs by programs and runs left out
};

struct Cost {
  std::string name;             // of the count
  double value = 0;             // seconds each
  double standard_error = 0;    // NaN: not identified apart from others
  double t = 0;
  bool identified = false;
  std::string why;              // it is not: a few words
  double inflation = 1;         // of its variance by the other counts
  double share = 0;             // of the fitted time of all runs: mean over runs
};

/// A count that equals others on all runs.
struct AliasedCount {
  std::string name, combination;  // "2 messages + bytes"; empty: no run has any
};

/// What is said of one run.
struct Answer {
  Run run;
  double value = 0;                               // mean over programs
  statistics::Interval mean;                      // of that
  std::optional<statistics::Interval> same;       // another run of a program in the fit
  std::optional<statistics::Interval> fresh;      // a run of a program that is not
  std::optional<statistics::Interval> classic;    // ordinary least squares, value +- 2 standard errors of the mean, as the papers draw it
  std::string refused;                            // why there is no answer; empty: there is one
};

/// Runs that a fit without them predicted. Errors are (predicted - measured) / measured.
struct HeldOut {
  std::string program;           // that was left out; empty: all together
  int runs = 0, answered = 0;
  double mean_error = 0, average_error = 0;             // signed; of sizes
  double below_40 = 0, below_60 = 0;                    // share of runs with a smaller error
  double covered = 0, covered_classic = 0;              // share within the interval; within +- 2 standard errors
  double interval_score = 0, interval_score_classic = 0;  // relative to the measured time: width + 2 / (1 - level) x distance outside
  double sigma = 0, mean_seconds = 0;                   // the papers' sqrt(SSE / (n - 3)), 0 where n <= 3; and the mean measured time
  std::vector<Answer> answers;
};

struct Costs {
  Runs runs;
  std::vector<std::string> programs;
  std::vector<Cost> costs;
  std::vector<AliasedCount> aliases;
  statistics::Matrix correlation;       // of costs; 0 off the diagonal where one has no variance
  statistics::GroupedFit fit;
  std::optional<statistics::GroupedFit> classic;  // ordinary least squares, as the papers fit
  std::vector<std::size_t> outliers;    // runs far from a robust fit, by which one does not hide another
  std::vector<double> expected;         // what that says of each run
  std::vector<statistics::QuantilePair> quantiles;  // of standardised residuals
  double normality = 0;                 // their correlation with the normal quantiles: 1 for a straight line
  std::vector<HeldOut> programs_out;    // each program left out in turn
  std::optional<HeldOut> all_programs_out, runs_out;  // all of these together; every run in turn, in tenths, its program known
  Options options;
  std::vector<std::string> warnings;
};

/// Fails where there are too few runs, with the number needed.
Result<Costs> find_costs(Runs runs, const Options& options);

/// A run whose counts are in the order of the fit's.
Answer answer(const Costs& costs, const Run& run);

/// Fits without one program and predicts its runs.
Result<HeldOut> without_program(const Runs& runs, const std::string& program, const Options& options);

}  // namespace parcast::regress
