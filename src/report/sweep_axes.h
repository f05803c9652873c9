// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which parameters a sweep varies: "p" stands for the process count beside the problem's parameters.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "predict/prediction.h"

namespace parcast::report {

using SweepValues = std::map<std::string, double>;

inline SweepValues values_of(const predict::Prediction& point) {
  SweepValues values = point.question.point.parameters;
  values["p"] = point.question.point.processes;
  return values;
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
