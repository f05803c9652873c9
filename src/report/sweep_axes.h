// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameters that a sweep varies: "p" is the number of processes, along with parameters of the problem
// and of the machine. Also the text of their values and of points in plots.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "machine/fields.h"
#include "predict/prediction.h"
#include "report/svg.h"
#include "report/table.h"

namespace parcast::report {

using SweepValues = std::map<std::string, double>;

inline SweepValues values_of(const predict::Prediction& point) {
  SweepValues values = point.question.point.parameters;
  for (const auto& [name, varied] : point.question.machine) values[name] = varied.value;
  values["p"] = point.question.point.processes;
  return values;
}

/// Returns e.g. "0.1ns/B", without rounding errors in the last digits.
inline std::string measure_text(double value, Dimension dimension) {
  const double readable = machine::readable(value, dimension);
  return machine::format_measure(std::fabs(readable - value) <= 1e-12 * std::fabs(value) ? readable : value,
                                 dimension);
}

/// Returns e.g. "512", or "2us" for a parameter with a unit.
inline std::string value_text(const predict::Prediction& point, const std::string& name, double value) {
  const auto varied = point.question.machine.find(name);
  return varied == point.question.machine.end() ? format_exact(value)
                                                : measure_text(value, varied->second.dimension);
}

/// Returns e.g. "N = 256, L = 2us".
inline std::string values_text(const predict::Prediction& point, const SweepValues& values) {
  std::string out;
  for (const auto& [name, value] : values)
    out += (out.empty() ? "" : ", ") + visible(name) + " = " + value_text(point, name, value);
  return out;
}

/// Returns whether the points' times have intervals.
inline bool with_intervals(const std::vector<predict::Prediction>& points) {
  return !points.empty() && points.front().seconds.level > 0;
}

/// Returns the distinct values by name.
inline std::map<std::string, std::set<double>> distinct_values(
    const std::vector<predict::Prediction>& points) {
  std::map<std::string, std::set<double>> out;
  for (const auto& point : points)
    for (const auto& [name, value] : values_of(point)) out[name].insert(value);
  return out;
}

/// Returns the parameters with more than one value, p first.
inline std::vector<std::string> varied_names(const std::vector<predict::Prediction>& points) {
  std::vector<std::string> out;
  for (const auto& [name, values] : distinct_values(points))
    if (values.size() > 1) out.insert(name == "p" ? out.begin() : out.end(), name);
  return out;
}

/// Returns each machine once, in order of appearance.
inline std::vector<std::string> machines_of(const std::vector<predict::Prediction>& points) {
  std::vector<std::string> out;
  for (const auto& point : points)
    if (std::find(out.begin(), out.end(), point.machine) == out.end()) out.push_back(point.machine);
  return out;
}

inline std::string axis_title(const std::string& name) {
  return name == "p" ? "processes" : name;
}

/// Returns six digits, without trailing zeros: 1, 128, 0.333333.
inline std::string tick_text(const predict::Prediction& point, const std::string& name, double value) {
  return value_text(point, name, parse_double(format_significant(value, 6)).value_or(value));
}

/// Returns the data's own values if there are at most twelve, omitting those closer than `apart` to the
/// previous one; else round values.
inline std::vector<double> ticks_of(const std::set<double>& values, const svg::Axis& axis, double apart) {
  std::vector<double> out;
  for (const double value : values)
    if (out.empty() || std::fabs(axis.place(value) - axis.place(out.back())) > apart) out.push_back(value);
  return values.size() <= 12 ? out : axis.ticks();
}

/// Returns e.g. "N = 256, p = 4: 1.20 s (1.10 s .. 1.40 s)".
inline std::string answer_text(const predict::Prediction& point) {
  const auto& s = point.seconds;
  return values_text(point, values_of(point)) + ": " + format_seconds(s.value) +
         (s.level > 0 ? " (" + format_seconds(s.low) + " .. " + format_seconds(s.high) + ")" : "");
}

}  // namespace parcast::report
