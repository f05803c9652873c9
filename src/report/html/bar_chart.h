// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of bars whose parts follow each other from a common zero: times of ranks by activity, overheads of
// runs.

#include <string>
#include <utility>
#include <vector>

#include "report/html/chart.h"

namespace parcast::report::html {

struct BarRow {
  std::string name;            // at its left
  std::vector<double> values;  // of the parts, >= 0
  std::string title = {};      // read with the values; empty: the name
};

/// `parts`: names and classes ("compute") of the values.
std::string bar_chart(const std::string& name, const std::string& x_title, Unit unit,
                      const std::vector<std::pair<std::string, std::string>>& parts,
                      const std::vector<BarRow>& rows);

/// Returns at most `most` values from 0 to about `high`, at equal steps of 1, 2 or 5 times a power of ten.
std::vector<double> even_ticks(double high, int most);

/// Returns "10 ms", "2.5", "30 %": at most three digits, without zeros at the end.
std::string axis_text(double value, Unit unit);

/// Returns a key of a legend.
std::string legend_key(const std::string& name, const std::string& style);

}  // namespace parcast::report::html
