// SPDX-License-Identifier: Apache-2.0
#include "timeline/overview.h"

#include <algorithm>

namespace parcast::timeline {

Overview overview(const Timeline& timeline, Time length, std::size_t columns, std::size_t most_rows) {
  Overview out;
  out.columns = columns;
  const std::size_t lanes = timeline.lanes.size();
  if (lanes == 0 || length <= 0 || columns == 0 || most_rows == 0) return out;
  out.lanes_per_row = (lanes + most_rows - 1) / most_rows;
  out.rows.assign((lanes + out.lanes_per_row - 1) / out.lanes_per_row, std::vector<Sums>(columns));
  const double width = static_cast<double>(length) / static_cast<double>(columns);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    for (const Span& span : timeline.lanes[lane].spans) {
      const auto begin = static_cast<double>(span.begin), end = static_cast<double>(span.end);
      auto column = static_cast<std::size_t>(std::max(0.0, begin / width));
      for (; column < columns && static_cast<double>(column) * width < end; ++column) {
        const double from = std::max(begin, static_cast<double>(column) * width);
        const double to = std::min(end, static_cast<double>(column + 1) * width);
        out.rows[lane / out.lanes_per_row][column][static_cast<std::size_t>(span.activity)] +=
            std::max(0.0, to - from);
      }
    }
  return out;
}

}  // namespace parcast::timeline
