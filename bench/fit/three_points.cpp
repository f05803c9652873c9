// SPDX-License-Identifier: Apache-2.0
// parcast_fit_three_points FOLDER [set...]: published curves over the number of processes in three-point
// form. Every three consecutive points of a curve predict the points at about twice, four and eight times the
// largest of them.
//
// A line per kind of curve, half and reach: mean and median of |predicted - measured| / measured of the fit,
// the mean of each plain baseline, the share of measurements inside 90 % intervals, below and above them, the
// share of intervals that end at more than ten times the value, and how many of these have no warning. Priors
// rest on the first half of the machines, applications or regions alone; the second half judges.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "baselines.h"
#include "data_sets.h"
#include "fit/fit.h"
#include "statistics/summary.h"

namespace {

using namespace parcast;
using bench::Curve;

struct Published {
  std::string kind;  // applications, parts of them, or pieces: message passing and regions
  std::string set;
  int half = 1;
  Curve curve;
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v / static_cast<double>(values.size());
  return sum;
}

// Groups in alphabetical order belong to the two halves in turn.
std::map<std::string, int> halves_of(const bench::DataSet& set) {
  std::map<std::string, int> halves;
  for (const std::string& group : set.groups) halves[group];
  int next = 0;
  for (auto& [group, half] : halves) half = 1 + next++ % 2;
  return halves;
}

std::string kind_of(const bench::DataSet& set, std::size_t kernel) {
  if (!set.applications[kernel].empty()) return "applications";
  return std::ranges::any_of(set.applications, [](const auto& name) { return !name.empty(); }) ? "parts"
                                                                                               : "pieces";
}

// The kernel's curves over processes: one, or one for each value of a second parameter.
std::vector<Curve> curves_of(const fit::Kernel& kernel) {
  std::map<double, std::map<double, double>> by_other;
  for (std::size_t i = 0; i < kernel.points.size(); ++i) {
    const auto& point = kernel.points[i];
    if (const double value = mean_of(kernel.values[i]); value > 0)
      by_other[point.size() > 1 ? point[1] : 0][point[0]] = value;
  }
  std::vector<Curve> out;
  for (const auto& [other, points] : by_other) {
    out.emplace_back();
    for (const auto& [x, y] : points) out.back().x.push_back(x), out.back().y.push_back(y);
  }
  return out;
}

std::vector<Published> published(const std::vector<bench::DataSet>& sets) {
  const std::set<std::string> unused{"time_min", "time_max", "min", "max",
                                     "mean"};  // nearly the same curves again
  std::vector<Published> out;
  for (const bench::DataSet& set : sets) {
    const std::string& parameter = set.measurements.parameters[0];
    if (parameter != "processes" && parameter != "p") continue;
    const auto halves = halves_of(set);
    for (std::size_t k = 0; k < set.measurements.kernels.size(); ++k) {
      const fit::Kernel& kernel = set.measurements.kernels[k];
      if (std::ranges::find(set.targets, kernel.metric) == set.targets.end() ||
          unused.contains(kernel.metric))
        continue;
      for (Curve& curve : curves_of(kernel))
        out.push_back({kind_of(set, k), set.name, halves.at(set.groups[k]), std::move(curve)});
    }
  }
  return out;
}

struct Scores {
  std::map<std::string, std::vector<double>> errors;  // per method
  double below = 0, above = 0, wide = 0, silent = 0;
  std::vector<double> score;  // interval scores, relative to the measurement
};

void score(const Curve& known, double x, double measured, const fit::KernelFit& fit, std::size_t index,
           Scores& scores) {
  const auto add = [&](const std::string& method, double value) {
    scores.errors[method].push_back(std::isfinite(value) ? std::fabs(value / measured - 1) : 1);
  };
  const fit::Predicted& at = fit.predictions[index];
  add("ours", at.value);
  for (const auto& baseline : bench::baselines()) add(baseline.name, baseline.predict(known, x));
  scores.below += measured < at.low;
  scores.above += measured > at.high;
  const bool is_wide = at.high > 10 * at.value || at.low < at.value / 10;
  scores.wide += is_wide;
  scores.silent += is_wide && fit.warnings.empty();
  scores.score.push_back(
      (at.high - at.low + 20 * (std::max(0.0, at.low - measured) + std::max(0.0, measured - at.high))) /
      measured);
}

std::size_t reach_of(double ratio) {
  return ratio < 1.5 || ratio >= 12 ? 0 : ratio < 3 ? 2 : ratio < 6 ? 4 : 8;
}

using Table = std::map<std::tuple<std::string, int, std::size_t>, Scores>;

void add_windows(const Published& one, Table& table) {
  const auto& [x, y] = one.curve;
  for (std::size_t from = 0; from + 3 < x.size(); ++from) {
    const Curve known{
        {x.begin() + static_cast<std::ptrdiff_t>(from), x.begin() + static_cast<std::ptrdiff_t>(from) + 3},
        {y.begin() + static_cast<std::ptrdiff_t>(from), y.begin() + static_cast<std::ptrdiff_t>(from) + 3}};
    fit::Kernel kernel{"", "time", "s", {}, {}};
    for (std::size_t i = 0; i < 3; ++i)
      kernel.points.push_back({known.x[i]}), kernel.values.push_back({known.y[i]});
    fit::Options options;
    options.threads = 1;
    for (std::size_t i = from + 3; i < x.size(); ++i) options.asked.push_back({x[i]});
    const auto fits = fit::fit_all({{"p"}, {kernel}, {}}, options);
    if (!fits) continue;
    for (std::size_t i = from + 3; i < x.size(); ++i)
      if (const std::size_t reach = reach_of(x[i] / known.x[2]); reach > 0)
        for (const int half : {one.half, 0})
          for (const std::string& name : {one.kind, one.set})
            score(known, x[i], y[i], fits->kernels[0], i - from - 3, table[{name, half, reach}]);
  }
}

void print(const Table& table) {
  std::printf("%-13s %-6s %5s %5s  %6s %6s", "curves", "half", "reach", "n", "mean", "median");
  for (const auto& baseline : bench::baselines()) std::printf(" %8.8s", baseline.name.c_str());
  std::printf("  %5s %5s %5s  %6s  %5s %s\n", "holds", "below", "above", "score", "wide", "silent");
  for (const auto& [key, scores] : table) {
    const auto& [name, half, reach] = key;
    const auto& ours = scores.errors.at("ours");
    const double n = static_cast<double>(ours.size());
    std::printf("%-13s %-6s    x%zu %5.0f  %6.3f %6.3f", name.c_str(),
                half == 0   ? "both"
                : half == 1 ? "first"
                            : "second",
                reach, n, mean_of(ours), statistics::median(ours));
    for (const auto& baseline : bench::baselines())
      std::printf(" %8.3f", mean_of(scores.errors.at(baseline.name)));
    std::printf("  %5.1f %5.1f %5.1f  %6.2f  %5.1f %.0f\n", 100 * (1 - (scores.below + scores.above) / n),
                100 * scores.below / n, 100 * scores.above / n, mean_of(scores.score), 100 * scores.wide / n,
                scores.silent);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 2)
    return std::fprintf(stderr,
                        "parcast_fit_three_points FOLDER [set...]: name the folder of the published data\n"),
           2;
  auto sets = bench::read_data_sets(words[1]);
  if (!sets) return std::fprintf(stderr, "%s\n", to_string(sets.error()).c_str()), 1;
  const std::set<std::string> wanted(words + 2, words + count);
  if (!wanted.empty()) std::erase_if(*sets, [&](const auto& set) { return !wanted.contains(set.name); });
  Table table;
  for (const Published& one : published(*sets)) add_windows(one, table);
  print(table);
  return 0;
}
