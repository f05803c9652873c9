// SPDX-License-Identifier: Apache-2.0
#include "fit/observations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/number_range.h"
#include "base/text.h"
#include "statistics/noise.h"
#include "statistics/summary.h"

namespace parcast::fit {
namespace {

// Number of a parameter's values that a fit should have: three for its curve, one more to see whether the
// curve continues.
constexpr std::size_t kValuesWanted = 4;

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Returns whether each value of one column corresponds to one value of the other, both ways. Random values do
// so by chance: for more than a few values their order must be the same, or the opposite, too.
bool one_by_one(const Points& points, std::size_t a, std::size_t b) {
  constexpr std::size_t kFewValues = 6;
  std::map<double, double> forth, back;
  for (const auto& point : points) {
    if (forth.try_emplace(point[a], point[b]).first->second != point[b]) return false;
    if (back.try_emplace(point[b], point[a]).first->second != point[a]) return false;
  }
  if (forth.size() <= kFewValues) return true;
  const auto rises = [](const auto& x, const auto& y) { return x.second < y.second; };
  const auto falls = [](const auto& x, const auto& y) { return x.second > y.second; };
  return std::ranges::is_sorted(forth, rises) || std::ranges::is_sorted(forth, falls);
}

// Orthonormal columns of logarithms, the constant first.
class LogSpace {
 public:
  explicit LogSpace(std::size_t rows)
      : basis_{std::vector<double>(rows, 1 / std::sqrt(static_cast<double>(rows)))} {}

  // Returns false if the column depends on those before, within rounding.
  bool add(const Points& points, std::size_t argument) {
    std::vector<double> column;
    for (const auto& point : points) {
      if (point[argument] <= 0) return true;  // no logarithm: counts as independent
      column.push_back(std::log(point[argument]));
    }
    remove(basis_[0], column);
    const double whole = length(column);
    for (int pass = 0; pass < 2; ++pass)
      for (const auto& unit : basis_) remove(unit, column);
    const double left = length(column);
    if (left < 1e-9 * whole) return false;
    for (double& entry : column) entry /= left;
    basis_.push_back(std::move(column));
    return true;
  }

 private:
  static double length(const std::vector<double>& x) {
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
  }
  static void remove(const std::vector<double>& unit, std::vector<double>& x) {
    const double along = std::inner_product(x.begin(), x.end(), unit.begin(), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= along * unit[i];
  }
  std::vector<std::vector<double>> basis_;
};

// Adds the standard error of each point's statistic by a model of the noise; none without repetitions.
void add_errors(Observations& out, const std::vector<const std::vector<double>*>& repetitions,
                Statistic statistic) {
  std::vector<statistics::Spread> spreads;
  for (const auto* each : repetitions) {
    out.repetitions = std::max(out.repetitions, each->size());
    if (each->size() < 2) continue;
    spreads.push_back(statistics::spread_of_repeats(*each));
    out.worst = std::max(out.worst, *std::max_element(each->begin(), each->end()) / spreads.back().value);
  }
  const auto noise = statistics::estimate_noise(spreads);
  if (!noise) return;
  std::vector<double> logs;
  for (std::size_t i = 0; i < repetitions.size(); ++i) {
    const double value = out.observed.values[i];
    const double runs = statistic == Statistic::mean || statistic == Statistic::median
                            ? static_cast<double>(repetitions[i]->size())
                            : 1;
    const double relative = std::sqrt(noise->variance(value)) / value;
    out.observed.relative_errors.push_back(relative / std::sqrt(runs));
    logs.push_back(relative);
  }
  out.run_error = statistics::median(logs);
}

}  // namespace

double of(Statistic statistic, std::span<const double> repetitions) {
  if (statistic == Statistic::minimum) return *std::min_element(repetitions.begin(), repetitions.end());
  if (statistic == Statistic::maximum) return *std::max_element(repetitions.begin(), repetitions.end());
  if (statistic == Statistic::median) return statistics::median(repetitions);
  return std::accumulate(repetitions.begin(), repetitions.end(), 0.0) /
         static_cast<double>(repetitions.size());
}

std::vector<double> Arguments::coordinates(const std::vector<double>& point) const {
  std::vector<double> out;
  out.reserve(used.size());
  for (const std::size_t j : used) out.push_back(point[j]);
  return out;
}

Arguments usable_arguments(const Points& points, const std::vector<std::string>& parameters) {
  Arguments out;
  out.fixed.resize(parameters.size());
  LogSpace logs(std::max<std::size_t>(points.size(), 1));
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const std::size_t distinct = distinct_values(points, j);
    if (distinct < 2) {
      if (!points.empty()) out.fixed[j] = points[0][j];
      out.notes.push_back(parameters[j] + " was never varied, so its effect is unknown; measure at " +
                          std::to_string(kValuesWanted - 1) + " more values of it");
      continue;
    }
    std::string together;
    for (const std::size_t k : out.used)
      if (together.empty() && one_by_one(points, j, k)) together = parameters[k];
    if (together.empty() && !logs.add(points, j)) together = join(out.names, ", ");
    if (!together.empty()) {
      out.notes.push_back(parameters[j] + " moves together with " + together +
                          ", so their effects cannot be separated: " + parameters[j] +
                          " is left out; measure at points where it changes alone");
      continue;
    }
    out.used.push_back(j);
    out.names.push_back(parameters[j]);
    if (distinct < kValuesWanted)
      out.notes.push_back(parameters[j] + " has " + counted(distinct, "value") +
                          ": the formula rests on assumptions about its growth; measure at " +
                          counted(kValuesWanted - distinct, "more value") + " of it");
  }
  return out;
}

Observations observe(const Kernel& kernel, const Arguments& arguments, Statistic statistic) {
  Observations out;
  std::size_t zeros = 0, negative = 0, extreme = 0, outside = 0;
  std::vector<const std::vector<double>*> repetitions;
  for (std::size_t i = 0; i < kernel.points.size(); ++i) {
    if (kernel.values[i].empty()) continue;
    const double value = of(statistic, kernel.values[i]);
    std::vector<double> point = arguments.coordinates(kernel.points[i]);
    if (value == 0) {
      ++zeros;
    } else if (!(value > 0) || !std::isfinite(value)) {
      ++negative;
    } else if (!is_in_range(value) || !std::ranges::all_of(point, is_in_range)) {
      ++extreme;
    } else if (!std::ranges::all_of(point, [](double x) { return x >= 0; })) {
      ++outside;
    } else {
      out.observed.points.push_back(std::move(point));
      out.observed.values.push_back(value);
      repetitions.push_back(&kernel.values[i]);
    }
  }
  const std::string of_all = " of " + counted(kernel.points.size(), "point");
  out.zero = zeros > 0 && out.observed.values.empty() && negative == 0;
  if (zeros > 0 && !out.zero)
    out.notes.push_back(std::to_string(zeros) + of_all + (zeros == 1 ? " is" : " are") +
                        " 0 and left out: the formula holds where there is something to measure");
  if (negative > 0)
    out.notes.push_back(std::to_string(negative) + of_all + (negative == 1 ? " is" : " are") +
                        " negative or not finite and left out: a formula is fitted to positive values");
  if (extreme > 0)
    out.notes.push_back(std::to_string(extreme) + of_all + (extreme == 1 ? " has" : " have") +
                        " a number smaller than 1e-30 or larger than 1e30 and " +
                        (extreme == 1 ? "is" : "are") + " left out");
  if (outside > 0)
    out.notes.push_back(std::to_string(outside) + of_all + (outside == 1 ? " has" : " have") +
                        " a negative parameter and " + (outside == 1 ? "is" : "are") + " left out");
  if (!out.observed.values.empty()) add_errors(out, repetitions, statistic);
  return out;
}

}  // namespace parcast::fit
