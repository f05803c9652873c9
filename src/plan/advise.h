// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers a question about measured values with the runs worth making; a layer between the data and a report.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fit/fit.h"
#include "plan/allowed.h"
#include "plan/next_run.h"
#include "plan/reasons.h"

namespace parcast::plan {

inline constexpr std::size_t kProposals = 10;  // maximum number reported

struct Request {
  std::size_t kernel = 0;  // the kernel of the question
  Point asked;             // a value per parameter
  // the kernel whose time is the cost of a run; nothing: all runs cost the same
  std::optional<std::size_t> timed;
  double unit = 1;                   // seconds per unit of its values
  std::optional<std::size_t> cores;  // the parameter that is the number of cores; nothing: one
  std::size_t repetitions = 0;       // of each run; 0: the median over the points
  std::vector<std::optional<std::vector<double>>> allowed;  // per parameter; nothing: derived from the data
  std::optional<double> budget;  // in core seconds; nothing: the cost of the run in question
  double least = 0.05;           // fraction of the width
  double level = 0.9;
  fit::Statistic statistic = fit::Statistic::mean;
  unsigned threads = 0;
  std::function<void(double)> progress;
};

struct Proposal {
  Run run;
  Interval answer;  // as expected after the run: the present one, narrower
  Reasons reasons;
};

struct Advice {
  std::vector<std::string> parameters;
  std::string callpath, metric, unit;
  fit::Predicted now;
  double level = 0.9;
  std::vector<Allowed> allowed;  // per parameter
  std::string cores;             // the parameter's name, or empty
  bool costs_known = false;      // else every run costs 1
  std::size_t repetitions = 1;
  double budget = 0;
  bool budget_given = false;
  double least = 0;
  std::vector<Proposal> proposals;  // the best first, at most kProposals
  std::size_t worth = 0;            // number of runs within the budget that narrow enough
  std::optional<Proposal> dearer;   // the best beyond the budget
  std::size_t considered = 0, too_dear = 0;
  double best = 0;  // narrowing of the best within the budget
  std::vector<std::string> notes;
};

/// Returns the advice. Fails if the data do not determine the outcome of a run: at new values of a parameter
/// that never varied, or that varies together with another one.
Result<Advice> advise(const fit::Measurements& measurements, const Request& request);

}  // namespace parcast::plan
