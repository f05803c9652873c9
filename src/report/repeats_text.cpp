// SPDX-License-Identifier: Apache-2.0
#include "report/repeats_text.h"

#include <algorithm>

#include "report/table.h"
#include "report/words.h"
#include "statistics/summary.h"

namespace parcast::report {

const std::vector<RepeatsQuantile>& repeats_quantiles() {
  static const std::vector<RepeatsQuantile> all{{"least", 0},    {"5 %", 0.05},  {"25 %", 0.25},
                                                {"median", 0.5}, {"75 %", 0.75}, {"95 %", 0.95},
                                                {"most", 1}};
  return all;
}
std::string repeats_text(const Repeats& repeats, const Style& style) {
  const std::uint64_t last = repeats.first_seed + repeats.seconds.size() - 1;
  const auto summary = statistics::summarize(repeats.seconds);
  const double mean = summary ? summary->mean : 0, deviation = summary ? summary->standard_deviation : 0;
  std::string text = bold(style, visible(repeats.program) + ", " + counted(repeats.ranks, "rank") + ", on " +
                                     visible(repeats.machine)) +
                     ": " + counted(static_cast<std::int64_t>(repeats.seconds.size()), "repeat") +
                     ", seeds " + std::to_string(repeats.first_seed) + " to " + std::to_string(last) + "\n\n";
  text += "  mean " + duration(mean) + ", standard deviation " +
          size_percent(mean > 0 ? deviation / mean : 0) + "\n\n";
  const TimeScale scale(*std::max_element(repeats.seconds.begin(), repeats.seconds.end()));
  std::vector<Column> columns;
  std::vector<std::string> cells;
  for (const RepeatsQuantile& quantile : repeats_quantiles()) {
    columns.push_back({quantile.title, Column::Align::right});
    cells.push_back(scale.text(statistics::quantile(repeats.seconds, quantile.at)));
  }
  columns.push_back({""});
  cells.push_back(scale.unit());
  Table table(columns);
  table.add(cells);
  return text + table.text(style);
}

}  // namespace parcast::report
