// SPDX-License-Identifier: Apache-2.0
#pragma once
// Charts as SVG inside a page: lines over a number of processes with bands and points, and bars. Colours are
// classes of the page's style sheet, so that a chart follows the light or dark look of the page.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace parcast::report::html {

enum class Unit { seconds, ratio, percent };

struct ChartPoint {
  double x = 0, y = 0;
  double low = 0, high = 0;  // of the band; equal: none
};

struct Line {
  std::string name;   // in the legend
  std::string style;  // class: "line-time", "line-ideal"; points only: "mark-measured"
  std::vector<ChartPoint> points;
  bool marks = false;  // points without a line between them
};

struct LineChart {
  std::string name, x_title;
  Unit unit = Unit::seconds;
  bool logarithmic = true;  // the y axis; x always is
  std::vector<Line> lines;
  double data_end = 0;  // largest x with recordings; 0: no mark
  double asked = 0;     // x of the question; 0: no mark
};

/// Returns a figure with a legend; the SVG has a title for readers that hear it.
std::string line_chart(const LineChart& chart);

struct Stack {
  std::string name;  // under the bar
  std::vector<double> shares;
  bool marked = false;  // the question's bar
};

/// Returns bars of shares that sum to 1. `parts`: names and classes ("compute") of the shares.
std::string stacked_chart(const std::string& name, const std::string& x_title,
                          const std::vector<std::pair<std::string, std::string>>& parts,
                          const std::vector<Stack>& bars);

struct Bar {
  std::string name;
  double value = 0;
  std::string shown;  // at the bar
};

/// Returns horizontal bars from a common zero, to the right for positive values and to the left for others.
std::string tornado_chart(const std::string& name, const std::vector<Bar>& bars);

struct Pair {
  double x = 0, y = 0;
  std::string name;
};

/// Returns points over a diagonal on which both values are equal; both axes are logarithmic seconds.
std::string diagonal_chart(const std::string& name, const std::string& x_title, const std::string& y_title,
                           const std::vector<Pair>& pairs);

struct Heat {
  std::int32_t column = 0, row = 0;
  double value = 0;  // > 0
  std::string name;
};

/// Returns a matrix of `side` x `side` cells, each of `each` ranks; the darker, the larger the logarithm.
std::string heat_chart(const std::string& name, std::int32_t side, std::int32_t each,
                       const std::vector<Heat>& cells);

/// Returns an interval on a logarithmic axis with its value marked; empty unless 0 < low < high.
std::string interval_strip(double low, double value, double high);

}  // namespace parcast::report::html
