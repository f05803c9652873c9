// SPDX-License-Identifier: Apache-2.0
#pragma once
// A chart of a value over two logarithmic axes: bands between levels, the darker the larger, and lines along
// the levels.

#include <optional>
#include <string>
#include <vector>

#include "report/html/chart.h"

namespace parcast::report::html {

struct FieldChart {
  std::string name, x_title, y_title;
  Unit unit = Unit::seconds;
  std::vector<double> x, y;                   // ascending, > 0
  std::vector<std::optional<double>> values;  // by y, then x; nothing: a hole
  std::vector<double> levels;                 // ascending
  bool is_logarithmic = false;                // values are interpolated by their logarithms
  double asked_x = 0, asked_y = 0;            // the question
  double recorded_x = 0, recorded_y = 0;      // the largest recorded values; 0: no mark
};

/// Returns a figure; empty without two values on each axis, or when no cell is complete.
std::string field_chart(const FieldChart& chart);

}  // namespace parcast::report::html
