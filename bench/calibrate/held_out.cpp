// SPDX-License-Identifier: Apache-2.0
// How well the fitted table of each pattern predicts message sizes that it has not seen, against the formula
// built from LogGPS messages: every second size of a calibrated machine's points is kept out of the fit.
//
//   $ bench_calibrate here.machine.toml
//   pattern          sizes   table median    p95   formula median    p95   all sizes median    p95
//   allreduce           18          3.1 %   9.8 %          61.0 %  140 %             1.7 %   6.2 %
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "calibrate/fit_link.h"
#include "calibrate/fit_pattern.h"
#include "machine/cost.h"
#include "machine/machine_file.h"
#include "statistics/summary.h"

namespace parcast {
namespace {

using machine::Machine;
using machine::PatternCost;

/// The pattern with every second size only, and the points that were taken out.
std::pair<PatternCost, std::vector<machine::CostPoint>> halve(const PatternCost& pattern) {
  std::set<double> sizes;
  for (const auto& point : pattern.points) sizes.insert(point.bytes);
  const std::vector<double> sorted(sizes.begin(), sizes.end());
  PatternCost half = pattern;
  half.points.clear();
  std::vector<machine::CostPoint> out;
  for (const auto& point : pattern.points) {
    const auto index = std::lower_bound(sorted.begin(), sorted.end(), point.bytes) - sorted.begin();
    const bool inner = index > 0 && index + 1 < static_cast<std::ptrdiff_t>(sorted.size());
    (inner && index % 2 == 1 ? out : half.points).push_back(point);
  }
  return {half, out};
}

double formula(const Machine& machine, const PatternCost& pattern, const machine::CostPoint& point) {
  const symbolic::Expression m(static_cast<std::int64_t>(point.bytes));
  const auto cost = pattern.name.starts_with("message-")
                        ? point_to_point(machine, pattern.name.substr(8), machine::Side::end_to_end, 1, m)
                        : collective(machine, pattern.pattern, 1, m, point.processes);
  const auto value = evaluate(cost.startup + cost.transfer, cost_binding(machine));
  return value ? *value : 0;
}

/// The machine as LogGPS alone describes it.
Machine without_tables(Machine machine) {
  machine.patterns.clear();
  for (auto& [name, link] : machine.links) link.corrections.clear();
  return machine;
}

void print_errors(const std::vector<double>& errors, const char* between) {
  if (errors.empty()) {
    std::printf("%14s %6s%s", "-", "-", between);
    return;
  }
  std::printf("%12.1f %% %4.0f %%%s", 100 * statistics::median(errors),
              100 * statistics::quantile(errors, 0.95), between);
}

int run(const char* path) {
  const auto machine = machine::read_machine(path);
  if (!machine) return std::fprintf(stderr, "%s\n", to_string(machine.error()).c_str()), 1;
  const Machine plain = without_tables(*machine);
  std::printf("%-16s %5s   %s\n", "pattern", "kept",
              " table median    p95   formula median    p95   all sizes median    p95");
  for (const PatternCost& pattern : machine->patterns) {
    const bool message = pattern.name.starts_with("message-");
    if (!message && pattern.pattern == recording::Pattern::none) continue;
    auto [half, out] = halve(pattern);
    parcast::calibrate::fit_pattern(half);
    std::vector<double> table, built;
    for (const auto& point : out) {
      if (point.processes < 2 || point.seconds <= 0) continue;
      table.push_back(
          std::fabs(calibrate::fitted_seconds(half, point.bytes, point.processes) / point.seconds - 1));
      built.push_back(std::fabs(formula(plain, pattern, point) / point.seconds - 1));
    }
    std::printf("%-16s %5zu", pattern.name.c_str(), table.size());
    print_errors(table, "  ");
    print_errors(built, "    ");
    print_errors(calibrate::relative_residuals(pattern), "\n");
  }
  return 0;
}

}  // namespace
}  // namespace parcast

int main(int count, char** arguments) {
  if (count == 2) return parcast::run(arguments[1]);
  std::fprintf(stderr, "usage: bench_calibrate X.machine.toml\n");
  return 2;
}
