// SPDX-License-Identifier: Apache-2.0
#pragma once
// A question about measured values answered with the runs worth making: what stands between the data and a report.

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

inline constexpr std::size_t kProposals = 10;  // that are told

struct Request {
  std::size_t kernel = 0;                  // what is asked about
  Point asked;                             // a value per parameter
  std::optional<std::size_t> timed;        // the kernel whose time a run costs; nothing: all runs cost the same
  double unit = 1;                         // seconds per unit of its values
  std::optional<std::size_t> cores;        // the parameter that counts them; nothing: one
  std::size_t repetitions = 0;             // of each run; 0: as many as the points have in the median
  std::vector<std::optional<std::vector<double>>> allowed;  // per parameter; nothing: derived from the data
  std::optional<double> budget;            // in core seconds; nothing: the cost of the run asked about
  double least = 0.05;                     // share of the width
  double level = 0.9;
  fit::Statistic statistic = fit::Statistic::mean;
  unsigned threads = 0;
  std::function<void(double)> progress;
};

struct Proposal {
  Run run;
  Interval answer;   // as it is expected to be after the run: the present one, narrower
  Reasons reasons;
};

struct Advice {
  std::vector<std::string> parameters;
  std::string callpath, metric, unit;
  fit::Predicted now;
  double level = 0.9;
  std::vector<Allowed> allowed;          // per parameter
  std::string cores;                     // the parameter's name, or empty
  bool costs_known = false;              // else every run costs 1
  std::size_t repetitions = 1;
  double budget = 0;
  bool budget_given = false;
  double least = 0;
  std::vector<Proposal> proposals;       // the best first, at most kProposals
  std::size_t worth = 0;                 // runs within the budget that narrow enough
  std::optional<Proposal> dearer;        // the best beyond the budget
  std::size_t considered = 0, too_dear = 0;
  double best = 0;                       // narrowing of the best within the budget
  std::vector<std::string> notes;
};

/// Fails where the data cannot say what a run would measure: at new values of a parameter that was never varied, or that moves
/// together with another one.
Result<Advice> advise(const fit::Measurements& measurements, const Request& request);

}  // namespace parcast::plan
