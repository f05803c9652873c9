// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which parameters a sweep varies: "p" stands for the process count beside the problem's parameters and the machine's.

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "machine/fields.h"
#include "predict/prediction.h"
#include "report/table.h"

namespace parcast::report {

using SweepValues = std::map<std::string, double>;

inline SweepValues values_of(const predict::Prediction& point) {
  SweepValues values = point.question.point.parameters;
  for (const auto& [name, varied] : point.question.machine) values[name] = varied.value;
  values["p"] = point.question.point.processes;
  return values;
}

/// "0.1ns/B", without what arithmetic left in the last digits.
inline std::string measure_text(double value, Dimension dimension) {
  const double readable = machine::readable(value, dimension);
  return machine::format_measure(std::fabs(readable - value) <= 1e-12 * std::fabs(value) ? readable : value, dimension);
}

/// "512", and "2us" of what has a unit.
inline std::string value_text(const predict::Prediction& point, const std::string& name, double value) {
  const auto varied = point.question.machine.find(name);
  return varied == point.question.machine.end() ? format_exact(value) : measure_text(value, varied->second.dimension);
}

/// "N = 256, L = 2us"
inline std::string values_text(const predict::Prediction& point, const SweepValues& values) {
  std::string out;
  for (const auto& [name, value] : values) out += (out.empty() ? "" : ", ") + visible(name) + " = " + value_text(point, name, value);
  return out;
}

/// Whether the points' times have intervals.
inline bool with_intervals(const std::vector<predict::Prediction>& points) {
  return !points.empty() && points.front().seconds.level > 0;
}

/// Distinct values by name.
inline std::map<std::string, std::set<double>> distinct_values(
    const std::vector<predict::Prediction>& points) {
  std::map<std::string, std::set<double>> out;
  for (const auto& point : points)
    for (const auto& [name, value] : values_of(point)) out[name].insert(value);
  return out;
}

/// Those with more than one value, p first.
inline std::vector<std::string> varied_names(const std::vector<predict::Prediction>& points) {
  std::vector<std::string> out;
  for (const auto& [name, values] : distinct_values(points))
    if (values.size() > 1) out.insert(name == "p" ? out.begin() : out.end(), name);
  return out;
}

}  // namespace parcast::report
