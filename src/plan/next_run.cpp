// SPDX-License-Identifier: Apache-2.0
#include "plan/next_run.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "plan/expected.h"

namespace parcast::plan {
namespace {

// fraction of the best narrowing: a cheaper run with at least this is preferred
constexpr double kAsGood = 0.9;

Interval cost_at(const Cost& cost, const Interval& seconds, const Point& point) {
  const double factor = cost.seconds ? cost.repetitions * (cost.cores ? point[*cost.cores] : 1) : 1;
  return {factor * seconds.value, factor * seconds.low, factor * seconds.high};
}

Interval seconds_at(const Cost& cost, const Point& point, double level) {
  if (!cost.seconds) return {1, 1, 1};
  const Interval one = cost.seconds->at(point, level);
  return {cost.unit * one.value, cost.unit * one.low, cost.unit * one.high};
}

Result<std::vector<Point>> allowed_points(const Question& question) {
  double count = 1;
  for (const Allowed& allowed : question.allowed) count *= static_cast<double>(allowed.values.size());
  if (count == 0) return Error{"a parameter has no allowed value", "", "allow at least one value of each"};
  if (count > static_cast<double>(kMostRuns))
    return Error{"the allowed values make more than " + std::to_string(kMostRuns) + " runs", "",
                 "allow fewer values of each parameter"};
  return crossed(question.allowed);
}

}  // namespace

void rank(std::vector<Run>& runs) {
  const auto cheaper = [](const Run& a, const Run& b) {
    if (a.cost.value != b.cost.value) return a.cost.value < b.cost.value;
    return a.narrower != b.narrower ? a.narrower > b.narrower : a.point < b.point;
  };
  std::ranges::sort(runs, cheaper);
  // The rest stays sorted by cost: the first one that is as good as the best comes next.
  for (auto from = runs.begin(); from != runs.end(); ++from) {
    double most = -INFINITY;
    for (auto each = from; each != runs.end(); ++each) most = std::max(most, each->narrower);
    const auto next = std::find_if(from, runs.end(), [&](const Run& each) {
      return each.narrower >= (most > 0 ? kAsGood * most : most);
    });
    std::rotate(from, next, next + 1);
  }
}

Result<Plan> next_run(const Belief& belief, const Cost& cost, const Question& question) {
  PARCAST_ASSIGN(const std::vector<Point> points, allowed_points(question));
  Plan plan;
  plan.now = belief.at(question.asked, question.level);
  plan.width = width(plan.now);
  plan.budget = question.budget.value_or(
      cost_at(cost, seconds_at(cost, question.asked, question.level), question.asked).value);
  plan.considered = points.size();
  std::vector<Run> all(points.size());
  const auto narrow = [&](std::size_t i) {
    Run& run = all[i];
    run.point = points[i];
    run.seconds = seconds_at(cost, run.point, question.level);
    run.cost = cost_at(cost, run.seconds, run.point);
    run.width = plan.width > 0 ? expected_width(belief, run.point, question.asked, question.level) : 0;
    run.narrower = plan.width > 0 ? 1 - run.width / plan.width : 0;
  };
  for_each_index(points.size(), question.threads, narrow, [&](std::size_t complete) {
    if (question.progress)
      question.progress(static_cast<double>(complete) / static_cast<double>(points.size()));
  });
  for (Run& run : all) {
    const bool dear = run.cost.value > plan.budget * (1 + 1e-9);
    plan.too_dear += dear;
    if (!dear) plan.best = std::max(plan.best, run.narrower);
    if (run.narrower >= question.least && run.narrower > 0)
      (dear ? plan.beyond : plan.runs).push_back(std::move(run));
  }
  rank(plan.runs);
  rank(plan.beyond);
  return plan;
}

}  // namespace parcast::plan
