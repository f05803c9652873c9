// SPDX-License-Identifier: Apache-2.0
#include "regress/held_out.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace parcast::regress {
namespace {

using statistics::GroupedFit;
using statistics::Interval;

constexpr std::size_t kParts = 10;

Runs only(const Runs& runs, const auto& chosen) {
  Runs out = runs;
  out.runs.clear();
  for (std::size_t i = 0; i < runs.runs.size(); ++i)
    if (chosen(i)) out.runs.push_back(runs.runs[i]);
  return out;
}

double score(const Interval& interval, double measured, double level) {
  const double outside = std::max({interval.low - measured, measured - interval.high, 0.0});
  return (interval.high - interval.low + 2 / (1 - level) * outside) / measured;
}

bool within(const Interval& interval, double measured) {
  return interval.low <= measured && measured <= interval.high;
}

/// Returns the interval that judges an answer: that for a held-out program, or for a known one.
const std::optional<Interval>& judged(const Answer& answer, bool known) {
  return known ? answer.same : answer.fresh;
}

HeldOut summary_of(const std::string& program, std::vector<Answer> answers, bool known, double level) {
  HeldOut out;
  out.program = program;
  out.runs = static_cast<int>(answers.size());
  double squares = 0, n = 0, intervals = 0;
  for (const Answer& each : answers) {
    const auto& interval = judged(each, known);
    if (!each.refused.empty()) continue;
    const double measured = each.run.seconds, predicted = known && interval ? interval->value : each.value,
                 error = (predicted - measured) / measured;
    ++out.answered, n += 1;
    out.mean_error += error, out.average_error += std::abs(error);
    out.below_40 += std::abs(error) < 0.4 ? 1 : 0, out.below_60 += std::abs(error) < 0.6 ? 1 : 0;
    squares += (predicted - measured) * (predicted - measured), out.mean_seconds += measured;
    if (!interval || !each.classic) continue;
    intervals += 1;
    out.covered += within(*interval, measured) ? 1 : 0,
        out.covered_classic += within(*each.classic, measured) ? 1 : 0;
    out.interval_score += score(*interval, measured, level),
        out.interval_score_classic += score(*each.classic, measured, level);
  }
  for (double* sum : {&out.mean_error, &out.average_error, &out.below_40, &out.below_60, &out.mean_seconds})
    *sum /= std::max(n, 1.0);
  for (double* sum : {&out.covered, &out.covered_classic, &out.interval_score, &out.interval_score_classic})
    *sum = intervals > 0 ? *sum / intervals : kAsked;
  out.sigma = n > 3 ? std::sqrt(squares / (n - 3)) : 0;
  out.answers = std::move(answers);
  return out;
}

std::vector<Answer> answers_of(const Runs& fitted, const Runs& asked, const Options& options) {
  std::vector<Answer> out;
  const auto fit = fit_of(fitted, options.fit);
  const auto classic = fit_of(fitted, {.plain = true});
  const std::vector<std::string> programs = programs_of(fitted);
  for (const Run& run : asked.runs) {
    if (fit) {
      out.push_back(answer_by(*fit, programs, classic ? &*classic : nullptr, run, options));
    } else {
      out.push_back({.run = run, .refused = fit.error().what});
    }
  }
  return out;
}

/// Returns the tenth of each run. The points of each program are distributed in turn; runs at one point stay
/// together.
std::vector<std::size_t> tenths(const Runs& runs) {
  std::map<std::string, std::map<std::vector<double>, std::size_t>> points;
  std::vector<std::size_t> out;
  for (const Run& run : runs.runs) {
    auto& own = points[run.program];
    out.push_back(own.try_emplace(run.counts, own.size()).first->second % kParts);
  }
  return out;
}

std::vector<Answer> each_run_out(const Costs& costs) {
  const std::vector<std::size_t> part = tenths(costs.runs);
  std::vector<Answer> out;
  for (std::size_t k = 0; k < kParts; ++k) {
    const Runs asked = only(costs.runs, [&](std::size_t i) { return part[i] == k; });
    if (asked.runs.empty()) continue;
    const Runs fitted = only(costs.runs, [&](std::size_t i) { return part[i] != k; });
    for (Answer& each : answers_of(fitted, asked, costs.options)) {
      if (each.refused.empty() && !each.same)
        each.refused = "no other point of " + each.run.program + " was measured";
      out.push_back(std::move(each));
    }
  }
  return out;
}

}  // namespace

Answer answer_by(const GroupedFit& fit, const std::vector<std::string>& programs, const GroupedFit* classic,
                 const Run& run, const Options& options) {
  Answer out;
  out.run = run;
  const auto mean = fit.mean(run.counts, options.level);
  if (!mean) {
    out.refused = mean.error().what;
    return out;
  }
  out.mean = *mean, out.value = mean->value;
  const auto own = std::ranges::find(programs, run.program);
  if (own != programs.end())
    if (const auto interval =
            fit.same_group(run.counts, static_cast<std::size_t>(own - programs.begin()), options.level))
      out.same = *interval;
  if (programs.size() > 1 || options.fit.plain)
    if (const auto interval = fit.new_group(run.counts, options.level)) out.fresh = *interval;
  if (classic == nullptr) return out;
  if (const auto value = classic->value(run.counts)) {
    double variance = 0;
    for (std::size_t i = 0; i < run.counts.size(); ++i)
      for (std::size_t j = 0; j < run.counts.size(); ++j)
        variance += run.counts[i] * run.counts[j] * classic->covariance(i, j);
    const double half = 2 * std::sqrt(std::max(variance, 0.0));
    out.classic = Interval{*value, *value - half, *value + half};
  }
  return out;
}

Result<HeldOut> without_program(const Runs& runs, const std::string& program, const Options& options) {
  const Runs fitted = only(runs, [&](std::size_t i) { return runs.runs[i].program != program; });
  const Runs asked = only(runs, [&](std::size_t i) { return runs.runs[i].program == program; });
  PARCAST_TRY(fit_of(fitted, options.fit));
  return summary_of(program, answers_of(fitted, asked, options), false, options.level);
}

void hold_out(Costs& costs) {
  if (costs.programs.size() > 1) {
    std::vector<Answer> all;
    for (const std::string& program : costs.programs) {
      const Runs fitted =
          only(costs.runs, [&](std::size_t i) { return costs.runs.runs[i].program != program; });
      const Runs asked =
          only(costs.runs, [&](std::size_t i) { return costs.runs.runs[i].program == program; });
      const std::vector<Answer> answers = answers_of(fitted, asked, costs.options);
      all.insert(all.end(), answers.begin(), answers.end());
      costs.programs_out.push_back(summary_of(program, answers, false, costs.options.level));
    }
    costs.all_programs_out = summary_of("", std::move(all), false, costs.options.level);
  }
  costs.runs_out = summary_of("", each_run_out(costs), true, costs.options.level);
}

}  // namespace parcast::regress
