// SPDX-License-Identifier: Apache-2.0
// parcast_fit_against --data FOLDER [set...]: how far fits miss beyond the data they have seen, against plain
// baselines and the published normal form.
//
// Table 1: of every published set, the points at the largest one and two values of each parameter are left
// out and predicted from the others: median of |predicted - measured| / measured per method, coverage and
// interval score (relative to the measurement) of 90 % intervals, and those of a power law's scatter. Table
// 2: whole applications' curves over p, the three smallest points -> twice, four and eight times as many
// processes: median per application, and the mean of these. Between them: the best baseline of all other
// sets, and whether copying the last point is better on a split by more than two standard errors.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "baselines.h"
#include "data_sets.h"
#include "fit/fit.h"
#include "normal_form.h"
#include "statistics/distribution.h"
#include "statistics/summary.h"

namespace {

using namespace parcast;
using bench::Curve;

constexpr double kLevel = 0.9;

struct Scores {
  std::map<std::string, std::vector<double>> errors;  // per method
  std::size_t asked = 0, covered = 0, naive_covered = 0, negative = 0;
  std::vector<double> interval, naive_interval;
  // per group of kernels: |ln(ours / measured)| - |ln(last point / measured)|
  std::map<std::string, std::vector<double>> beside_last;

  void add(const Scores& other) {
    for (const auto& [name, list] : other.errors)
      errors[name].insert(errors[name].end(), list.begin(), list.end());
    asked += other.asked, covered += other.covered, naive_covered += other.naive_covered,
        negative += other.negative;
    interval.insert(interval.end(), other.interval.begin(), other.interval.end());
    naive_interval.insert(naive_interval.end(), other.naive_interval.begin(), other.naive_interval.end());
  }
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v / static_cast<double>(values.size());
  return sum;
}

double median_of(const std::vector<double>& values) {
  return values.empty() ? NAN : statistics::median(values);
}

double interval_score(double low, double high, double measured) {
  constexpr double kMiss = 2 / (1 - kLevel);
  return (high - low + kMiss * (std::max(0.0, low - measured) + std::max(0.0, measured - high))) / measured;
}

// A task: a kernel without some points, and these points.
struct Task {
  std::string group;
  fit::Kernel known;
  std::vector<std::vector<double>> asked;
  std::vector<double> measured;
};

std::vector<double> values_of(const fit::Kernel& kernel, std::size_t parameter) {
  std::set<double> values;
  for (const auto& point : kernel.points) values.insert(point[parameter]);
  return {values.begin(), values.end()};
}

std::optional<Task> leave_out(const fit::Kernel& kernel, std::size_t parameter, std::size_t count) {
  const auto values = values_of(kernel, parameter);
  if (values.size() < 3 + count) return std::nullopt;
  const double limit = values[values.size() - count];
  Task task{"", kernel, {}, {}};
  task.known.points.clear();
  task.known.values.clear();
  for (std::size_t i = 0; i < kernel.points.size(); ++i) {
    if (kernel.points[i][parameter] < limit) {
      task.known.points.push_back(kernel.points[i]);
      task.known.values.push_back(kernel.values[i]);
      continue;
    }
    const double measured = mean_of(kernel.values[i]);
    if (measured <= 0) continue;
    task.asked.push_back(kernel.points[i]);
    task.measured.push_back(measured);
  }
  const bool something =
      std::ranges::any_of(task.known.values, [](const auto& runs) { return mean_of(runs) > 0; });
  return task.asked.empty() || !something ? std::nullopt : std::optional(task);
}

// Returns the known points that share all other coordinates with `point`.
Curve curve_through(const fit::Kernel& known, const std::vector<double>& point, std::size_t parameter) {
  std::map<double, double> at;
  for (std::size_t i = 0; i < known.points.size(); ++i) {
    std::vector<double> moved = known.points[i];
    moved[parameter] = point[parameter];
    if (moved == point) at[known.points[i][parameter]] = mean_of(known.values[i]);
  }
  Curve curve;
  for (const auto& [x, y] : at) curve.x.push_back(x), curve.y.push_back(y);
  return curve;
}

void score_naive(const Curve& curve, double x, double measured, Scores& scores) {
  const double value = bench::baselines()[2].predict(curve, x);
  if (!std::isfinite(value) || curve.x.size() < 3) return;
  double squares = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    if (curve.y[i] > 0 && curve.x[i] > 0)
      squares += std::pow(std::log(curve.y[i] / bench::baselines()[2].predict(curve, curve.x[i])), 2), ++n;
  if (n < 3) return;
  const double freedom = static_cast<double>(n) - 2;
  const double half =
      statistics::student_t_quantile(0.5 + kLevel / 2, freedom) * std::sqrt(squares / freedom);
  const double low = value * std::exp(-half), high = value * std::exp(std::min(half, 50.0));
  scores.naive_covered += low <= measured && measured <= high;
  scores.naive_interval.push_back(interval_score(low, high, measured));
}

void score(const Task& task, const fit::KernelFit& ours, const std::vector<std::size_t>& predictions,
           std::size_t parameter, Scores& scores) {
  std::vector<double> known;
  for (const auto& runs : task.known.values) known.push_back(mean_of(runs));
  const auto form = bench::fit_normal_form(task.known.points, known);
  for (std::size_t i = 0; i < task.asked.size(); ++i) {
    const double measured = task.measured[i];
    const auto add = [&](const std::string& method, double value) {
      scores.errors[method].push_back(std::isfinite(value) ? std::fabs(value / measured - 1) : 1);
    };
    const fit::Predicted& predicted = ours.predictions[predictions[i]];
    add("ours", predicted.value);
    const double normal = form ? form->evaluate(task.asked[i]) : NAN;
    add("normal form", normal);
    scores.negative += normal <= 0;
    const Curve curve = curve_through(task.known, task.asked[i], parameter);
    for (const auto& baseline : bench::baselines())
      add(baseline.name, curve.x.empty() ? NAN : baseline.predict(curve, task.asked[i][parameter]));
    if (!curve.x.empty())
      scores.beside_last[task.group].push_back(std::fabs(std::log(predicted.value / measured)) -
                                               std::fabs(std::log(curve.y.back() / measured)));
    ++scores.asked;
    scores.covered += predicted.low <= measured && measured <= predicted.high;
    scores.interval.push_back(interval_score(predicted.low, predicted.high, measured));
    if (!curve.x.empty()) score_naive(curve, task.asked[i][parameter], measured, scores);
  }
}

// Adds all kernels of a set with `count` values of one parameter left out.
Scores score_set(const bench::DataSet& set, std::size_t parameter, std::size_t count) {
  fit::Measurements known{set.measurements.parameters, {}, {}};
  std::vector<std::optional<Task>> tasks;
  std::map<std::vector<double>, std::size_t> asked;
  for (const fit::Kernel& kernel : set.measurements.kernels) {
    auto task = leave_out(kernel, parameter, count);
    if (!task) continue;
    known.kernels.push_back(task->known);
    const bool target = std::ranges::find(set.targets, kernel.metric) != set.targets.end();
    if (target)
      for (const auto& point : task->asked) asked.try_emplace(point, 0);
    task->group = set.groups[static_cast<std::size_t>(&kernel - set.measurements.kernels.data())];
    tasks.push_back(target ? std::move(task) : std::nullopt);
  }
  fit::Options options;
  options.level = kLevel;
  for (auto& [point, index] : asked) index = options.asked.size(), options.asked.push_back(point);
  const auto fits = fit::fit_all(known, options);
  Scores scores;
  for (std::size_t k = 0; fits && k < tasks.size(); ++k) {
    if (!tasks[k]) continue;
    std::vector<std::size_t> predictions;
    for (const auto& point : tasks[k]->asked) predictions.push_back(asked.at(point));
    score(*tasks[k], fits->kernels[k], predictions, parameter, scores);
  }
  return scores;
}

const std::vector<std::string>& methods() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out{"ours", "normal form"};
    for (const auto& baseline : bench::baselines()) out.push_back(baseline.name);
    return out;
  }();
  return names;
}

void print_row(const std::string& name, const std::string& left_out, Scores scores) {
  std::printf("%-12s %-14s %6zu ", name.c_str(), left_out.c_str(), scores.asked);
  for (const auto& method : methods()) std::printf(" %8.3f", median_of(scores.errors[method]));
  const double n = static_cast<double>(scores.asked),
               naive = static_cast<double>(scores.naive_interval.size());
  std::printf("  %5.1f %5.1f  %7.2f %7.2f  %zu\n", 100 * static_cast<double>(scores.covered) / n,
              100 * static_cast<double>(scores.naive_covered) / naive, median_of(scores.interval),
              median_of(scores.naive_interval), scores.negative);
}

void print_header() {
  std::printf("%-12s %-14s %6s ", "set", "left out", "points");
  for (const auto& method : methods()) std::printf(" %8.8s", method.c_str());
  std::printf("  %5s %5s  %7s %7s  %s\n", "holds", "naive", "score", "naive", "normal form below 0");
}

// Compares our fit with the baseline that is best on all other sets together.
void print_against_best_elsewhere(std::map<std::string, Scores>& sets) {
  std::printf("\n%-12s  %-20s %8s %8s %8s\n", "set", "best elsewhere", "its", "ours", "ratio");
  for (auto& [name, scores] : sets) {
    std::string best;
    double least = INFINITY;
    for (const auto& baseline : bench::baselines()) {
      std::vector<double> medians;
      for (auto& [other, theirs] : sets)
        if (other != name) medians.push_back(median_of(theirs.errors[baseline.name]));
      if (const double each = mean_of(medians); each < least) least = each, best = baseline.name;
    }
    const double its = median_of(scores.errors[best]), ours = median_of(scores.errors["ours"]);
    std::printf("%-12s  %-20s %8.3f %8.3f %8.2f\n", name.c_str(), best.c_str(), its, ours, ours / its);
  }
}

// Whether copying the last point is better than ours on a split, by more than the noise: mean difference of
// the logarithmic errors over groups, and its standard error.
void print_beside_last(const std::string& name, const std::string& left_out, const Scores& scores) {
  std::vector<double> means;
  for (const auto& [group, differences] : scores.beside_last) means.push_back(mean_of(differences));
  if (means.size() < 2) return;
  const auto moments = statistics::moments(means);
  const double error = moments.standard_deviation / std::sqrt(static_cast<double>(means.size()));
  std::printf("%-12s %-16s %4zu  %8.3f +- %.3f  %s\n", name.c_str(), left_out.c_str(), means.size(),
              moments.mean, error, moments.mean > 2 * error ? "the last point is better" : "");
}

void table_of_sets(const std::vector<bench::DataSet>& sets) {
  print_header();
  std::map<std::string, Scores> by_set;
  std::vector<std::tuple<std::string, std::string, Scores>> splits;
  Scores pooled;
  for (const bench::DataSet& set : sets)
    for (std::size_t parameter = 0; parameter < set.measurements.parameters.size(); ++parameter)
      for (const std::size_t count : {1u, 2u}) {
        const Scores scores = score_set(set, parameter, count);
        if (scores.asked == 0) continue;
        print_row(set.name, std::to_string(count) + " of " + set.measurements.parameters[parameter], scores);
        by_set[set.name].add(scores);
        splits.emplace_back(set.name, std::to_string(count) + " of " + set.measurements.parameters[parameter],
                            scores);
        pooled.add(scores);
      }
  std::printf("\n");
  for (auto& [name, scores] : by_set) print_row(name, "all", scores);
  print_row("pooled", "", pooled);
  print_against_best_elsewhere(by_set);
  std::printf("\n%-12s %-16s %4s  logarithmic error less that of the last point\n", "set", "left out",
              "groups");
  for (const auto& [name, left_out, scores] : splits) print_beside_last(name, left_out, scores);
}

std::size_t reach_of(double ratio) {
  return ratio < 1.5 ? 0 : ratio < 3 ? 2 : ratio < 6 ? 4 : 8;
}

// Median error per application, reach and method.
using ByApplication =
    std::map<std::string, std::map<std::size_t, std::map<std::string, std::vector<double>>>>;

void add_curve(const bench::DataSet& set, const fit::Kernel& kernel, const std::string& application,
               ByApplication& out) {
  const auto values = values_of(kernel, 0);
  if (values.size() < 4) return;
  const auto task = leave_out(kernel, 0, values.size() - 3);
  if (!task) return;
  fit::Options options;
  options.asked = task->asked;
  const auto fits = fit::fit_all({set.measurements.parameters, {task->known}, {}}, options);
  const auto form = bench::fit_normal_form(task->known.points, [&] {
    std::vector<double> known;
    for (const auto& runs : task->known.values) known.push_back(mean_of(runs));
    return known;
  }());
  for (std::size_t i = 0; fits && i < task->asked.size(); ++i) {
    const std::size_t reach = reach_of(task->asked[i][0] / values[2]);
    if (reach == 0) continue;
    const auto add = [&](const std::string& method, double value) {
      out[application][reach][method].push_back(
          std::isfinite(value) ? std::fabs(value / task->measured[i] - 1) : 1);
    };
    const Curve curve = curve_through(task->known, task->asked[i], 0);
    add("ours", fits->kernels[0].predictions[i].value);
    add("normal form", form ? form->evaluate(task->asked[i]) : NAN);
    for (const auto& baseline : bench::baselines())
      add(baseline.name, baseline.predict(curve, task->asked[i][0]));
    out[application][reach]["covered"].push_back(fits->kernels[0].predictions[i].low <= task->measured[i] &&
                                                 task->measured[i] <= fits->kernels[0].predictions[i].high);
  }
}

void table_of_applications(const std::vector<bench::DataSet>& sets) {
  ByApplication medians;
  for (const bench::DataSet& set : sets)
    for (std::size_t k = 0; k < set.measurements.kernels.size(); ++k)
      if (!set.applications[k].empty())
        add_curve(set, set.measurements.kernels[k], set.applications[k], medians);
  std::printf("\nthree smallest points -> x2 / x4 / x8 processes: median per application\n%-14s %5s %5s ",
              "application", "reach", "n");
  for (const auto& method : methods()) std::printf(" %8.8s", method.c_str());
  std::printf("  holds\n");
  std::map<std::size_t, std::map<std::string, std::vector<double>>> over;
  for (auto& [application, reaches] : medians)
    for (auto& [reach, errors] : reaches) {
      std::printf("%-14s    x%zu %5zu ", application.c_str(), reach, errors["ours"].size());
      for (const auto& method : methods()) {
        over[reach][method].push_back(median_of(errors[method]));
        std::printf(" %8.3f", over[reach][method].back());
      }
      std::printf("  %5.1f\n", 100 * mean_of(errors["covered"]));
    }
  for (auto& [reach, errors] : over) {
    std::printf("%-14s    x%zu %5zu ", "mean of all", reach, errors["ours"].size());
    for (const auto& method : methods()) std::printf(" %8.3f", mean_of(errors[method]));
    std::printf("\n");
  }
}

}  // namespace

int main(int count, char** words) {
  std::string folder;
  std::vector<std::string> wanted;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--data") == 0 && i + 1 < count) {
      folder = words[++i];
    } else {
      wanted.push_back(words[i]);
    }
  }
  auto sets = bench::read_data_sets(folder);
  if (!sets) {
    std::fprintf(stderr, "%s\n", to_string(sets.error()).c_str());
    return 1;
  }
  if (!wanted.empty())
    std::erase_if(*sets,
                  [&](const auto& set) { return std::ranges::find(wanted, set.name) == wanted.end(); });
  table_of_sets(*sets);
  table_of_applications(*sets);
  return 0;
}
