// SPDX-License-Identifier: Apache-2.0
#include "timeline/lane.h"

#include <algorithm>
#include <utility>

namespace parcast::timeline {
namespace {

constexpr Time kFirstResolution = 1000, kLongestResolution = Time{1} << 60;  // nanoseconds

Time cell_of(Time at, Time resolution) {
  return at / resolution;
}

/// Returns whether a span lies in one cell and is shorter than it.
bool is_short(const Span& span, Time resolution) {
  return span.end - span.begin < resolution &&
         cell_of(span.begin, resolution) == cell_of(span.end - 1, resolution);
}

/// The spans of a cell that are being summed, by activity.
class Cell {
 public:
  void take(const Span& span) {
    if (count_++ == 0) begin_ = span.begin;
    Span& sum = sums_[static_cast<std::size_t>(span.activity)];
    const Time time = span.end - span.begin;
    if (sum.pieces == 0) {
      sum = span;
      lengths_[static_cast<std::size_t>(span.activity)] = time;
      return;
    }
    if (sum.name != span.name) sum.name = 0;
    if (sum.region != span.region) sum.region = 0;
    sum.pieces += span.pieces;
    lengths_[static_cast<std::size_t>(span.activity)] += time;
  }

  /// Appends the sums and forgets them.
  void give(std::vector<Span>& out) {
    Time at = begin_;
    for (std::size_t i = 0; i < kActivities && count_ > 0; ++i) {
      if (sums_[i].pieces == 0) continue;
      Span span = sums_[i];
      span.begin = at, span.end = at + lengths_[i];
      at = span.end;
      out.push_back(span);
    }
    *this = Cell();
  }

 private:
  static constexpr Span kNone{0, 0, Activity::computing, 0, 0, 0};
  std::array<Span, kActivities> sums_{kNone, kNone, kNone, kNone, kNone, kNone, kNone};
  std::array<Time, kActivities> lengths_{};
  Time begin_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::string_view name_of(Activity activity) {
  constexpr std::array<std::string_view, kActivities> kNames{
      "computing", "point to point", "collectives", "one-sided", "files", "waiting", "off the processor"};
  return kNames[static_cast<std::size_t>(activity)];
}

std::array<Time, kActivities> sums_of(const Timeline& timeline) {
  std::array<Time, kActivities> out{};
  for (const Lane& lane : timeline.lanes)
    for (const Span& span : lane.spans) out[static_cast<std::size_t>(span.activity)] += span.end - span.begin;
  return out;
}

std::vector<Span> summed(const std::vector<Span>& spans, Time resolution) {
  std::vector<Span> out;
  Cell cell;
  Time current = -1;
  for (const Span& span : spans) {
    const bool fits = is_short(span, resolution);
    if (!fits || cell_of(span.begin, resolution) != current) cell.give(out);
    if (!fits) {
      out.push_back(span);
      continue;
    }
    current = cell_of(span.begin, resolution);
    cell.take(span);
  }
  cell.give(out);
  return out;
}

void LaneWriter::add_lane(Lane lane) {
  lane.spans.clear();
  timeline_.lanes.push_back(std::move(lane));
}

void LaneWriter::add(std::uint32_t lane, const Span& span) {
  if (span.end <= span.begin) return;
  timeline_.lanes[lane].spans.push_back(span);
  timeline_.spans += span.pieces;
  if (++kept_ > 2 * most_) fit();
}

void LaneWriter::finish() {
  fit();
}

/// Sums what came since the last time; then doubles the cells until the spans fit.
void LaneWriter::fit() {
  if (timeline_.resolution > 0) sum();
  while (kept_ > most_ && timeline_.resolution < kLongestResolution) {
    timeline_.resolution = timeline_.resolution == 0 ? kFirstResolution : 2 * timeline_.resolution;
    sum();
  }
}

void LaneWriter::sum() {
  kept_ = 0;
  for (Lane& lane : timeline_.lanes) {
    lane.spans = summed(lane.spans, timeline_.resolution);
    kept_ += lane.spans.size();
  }
}

}  // namespace parcast::timeline
