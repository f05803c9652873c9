// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fills lanes with spans in bounded memory. When there are more spans than asked for, time is divided into
// cells of equal length. Short neighbours within a cell become one span per activity, laid one after another
// in the order of Activity. So the time of each activity in a cell stays exact, and long spans stay where
// they are. Cells double in length until the spans fit.

#include <cstddef>

#include "timeline/timeline.h"

namespace parcast::timeline {

class LaneWriter {
 public:
  /// `timeline` gets the spans, and must outlive the writer.
  LaneWriter(Timeline& timeline, std::size_t most_spans) : timeline_(timeline), most_(most_spans) {}

  void add_lane(Lane lane);
  /// Adds a span that does not begin before the end of the lane's previous one. Empty ones are dropped.
  void add(std::uint32_t lane, const Span& span);
  /// To be called once, after the last span.
  void finish();

 private:
  void fit();
  void sum();

  Timeline& timeline_;
  std::size_t most_, kept_ = 0;
};

/// Returns the spans with short neighbours within cells of `resolution` summed.
std::vector<Span> summed(const std::vector<Span>& spans, Time resolution);

}  // namespace parcast::timeline
