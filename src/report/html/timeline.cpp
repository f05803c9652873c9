// SPDX-License-Identifier: Apache-2.0
#include "report/html/timeline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "base/text.h"
#include "report/html/bar_chart.h"
#include "report/html/markup.h"
#include "report/svg.h"
#include "timeline/critical_path.h"
#include "timeline/overview.h"

namespace parcast::report::html {
namespace {

using timeline::Activity;
using timeline::Overview;
using timeline::Sums;
using timeline::Time;
using timeline::Timeline;

constexpr double kWidth = 960, kLeft = 84, kRight = 948, kTop = 8;
constexpr std::size_t kColumns = 216, kMostRows = 40, kMostWaits = 15, kMostParts = 15;

double seconds(Time time) {
  return 1e-9 * static_cast<double>(time);
}

std::string lane_name(const timeline::Lane& lane) {
  return "rank " + std::to_string(lane.rank) + (lane.thread > 0 ? "." + std::to_string(lane.thread) : "");
}

std::string row_name(const Timeline& timeline, const Overview& overview, std::size_t row) {
  const std::size_t first = row * overview.lanes_per_row,
                    last = std::min(timeline.lanes.size(), first + overview.lanes_per_row) - 1;
  const std::string from = lane_name(timeline.lanes[first]);
  return first == last ? from : from + " .. " + std::to_string(timeline.lanes[last].rank);
}

/// Returns a number with one decimal, without zeros at its end.
std::string tenths(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string out = text;
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out == "-0" ? "0" : out;
}

/// One row of an overview as pieces of paths, one path for each activity.
class Row {
 public:
  Row(const std::vector<Sums>& columns, double cell, double y, double height)
      : columns_(columns), cell_(cell), y_(y), height_(height) {}

  /// Each column is a stack of shares of its time; equal full columns side by side are one rectangle.
  void add_to(std::array<std::string, timeline::kActivities>& paths) const {
    const double width = (kRight - kLeft) / static_cast<double>(columns_.size());
    for (std::size_t c = 0; c < columns_.size();) {
      const std::size_t whole = filling(c);
      std::size_t next = c + 1;
      while (whole < timeline::kActivities && next < columns_.size() && filling(next) == whole) ++next;
      double from = y_ + height_;
      for (std::size_t i = 0; i < timeline::kActivities; ++i) {
        const double share = whole == i ? 1 : whole < timeline::kActivities ? 0 : columns_[c][i] / cell_;
        const double tall = height_ * std::min(1.0, share);
        if (tall < kLeastTall) continue;
        from -= tall;
        paths[i] += "M" + tenths(kLeft + width * static_cast<double>(c)) + " " + tenths(from) + "h" +
                    tenths(width * static_cast<double>(next - c)) + "v" + tenths(tall) + "h-" +
                    tenths(width * static_cast<double>(next - c)) + "z";
      }
      c = next;
    }
  }

 private:
  static constexpr double kLeastTall = 0.2, kWhole = 0.995;

  /// Returns the activity that fills the column alone; kActivities: none.
  std::size_t filling(std::size_t column) const {
    for (std::size_t i = 0; i < timeline::kActivities; ++i)
      if (columns_[column][i] >= kWhole * cell_) return i;
    return timeline::kActivities;
  }

  const std::vector<Sums>& columns_;
  double cell_, y_, height_;
};

/// Returns the row on which the critical path is longest, by column; -1: on none.
std::vector<int> rows_of_path(const Timeline& timeline, const Overview& overview, double length) {
  std::vector<std::vector<double>> times(kColumns, std::vector<double>(overview.rows.size()));
  const double width = 1e9 * length / static_cast<double>(kColumns);
  for (const timeline::Step& step : timeline.path) {
    if (step.is_message) continue;
    const auto begin = static_cast<double>(step.begin), end = static_cast<double>(step.end);
    for (auto c = static_cast<std::size_t>(begin / width); c < kColumns; ++c) {
      const double from = std::max(begin, static_cast<double>(c) * width);
      const double to = std::min(end, static_cast<double>(c + 1) * width);
      if (to <= from) break;
      times[c][step.lane / overview.lanes_per_row] += to - from;
    }
  }
  std::vector<int> out;
  for (const auto& rows : times) {
    const auto most = std::ranges::max_element(rows);
    out.push_back(most == rows.end() || *most <= 0 ? -1 : static_cast<int>(most - rows.begin()));
  }
  return out;
}

std::string path_line(const Timeline& timeline, const Overview& overview, double length, double height) {
  if (timeline.path.empty()) return "";
  const double width = (kRight - kLeft) / static_cast<double>(kColumns);
  const std::vector<int> rows = rows_of_path(timeline, overview, length);
  std::string d;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    if (rows[c] < 0) continue;
    const bool goes_on = c > 0 && rows[c - 1] == rows[c];
    const double x = kLeft + width * static_cast<double>(c), y = kTop + height * (rows[c] + 0.5);
    if (!goes_on) d += (d.empty() ? "M" : "L") + tenths(x) + " " + tenths(y);
    if (c + 1 == rows.size() || rows[c + 1] != rows[c]) d += "L" + tenths(x + width) + " " + tenths(y);
  }
  return "<path class=\"critical\" d=\"" + d + "\"><title>critical path</title></path>\n";
}

std::string axis(double length, double bottom) {
  std::string out = svg::line(kLeft, bottom, kRight, bottom, "axis");
  for (const double tick : even_ticks(length, 10)) {
    const double x = kLeft + tick / length * (kRight - kLeft);
    out += svg::line(x, bottom, x, bottom + 5, "axis") +
           svg::text_at(x, bottom + 18, tick > 0.97 * length ? "end" : "middle",
                        axis_text(tick, Unit::seconds), " class=\"tick\"");
  }
  return out + svg::text_at((kLeft + kRight) / 2, bottom + 36, "middle", "time since MPI_Init",
                            " class=\"axis-title\"");
}

/// `length`: of the axis, which all views of a page share.
std::string picture(const TimelineView& view, double length) {
  const Timeline& timeline = view.timeline;
  const Overview overview =
      timeline::overview(timeline, static_cast<Time>(std::llround(1e9 * length)), kColumns, kMostRows);
  const double height = std::clamp(280 / static_cast<double>(overview.rows.size()), 8.0, 30.0);
  const double bottom = kTop + height * static_cast<double>(overview.rows.size()) + 2;
  const double cell = 1e9 * length / kColumns * static_cast<double>(overview.lanes_per_row);
  std::array<std::string, timeline::kActivities> paths;
  std::string rows;
  for (std::size_t r = 0; r < overview.rows.size(); ++r) {
    const double y = kTop + height * static_cast<double>(r);
    Row(overview.rows[r], cell, y, height - 2).add_to(paths);
    if (height >= 12 || r % 2 == 0)
      rows += svg::text_at(kLeft - 8, y + height / 2 + 3, "end", row_name(timeline, overview, r),
                           " class=\"tick\"");
  }
  const std::string name = "Timeline, " + view.title;
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"" + text(name) +
                    "\" viewBox=\"0 0 " + svg::number(kWidth) + " " + svg::number(bottom + 44) +
                    "\"><title>" + text(name) + "</title>\n" + rows;
  std::string legend;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].empty()) continue;
    const std::string style = style_of(static_cast<Activity>(i));
    legend += legend_key(std::string(name_of(static_cast<Activity>(i))), "fill-" + style);
    out += "<path class=\"fill-" + style + "\" d=\"" + paths[i] + "\"/>\n";
  }
  if (!timeline.path.empty()) legend += legend_key("critical path", "critical");
  out += path_line(timeline, overview, length, height) + axis(length, bottom) + "</svg>\n";
  return "<figure class=\"overview\" data-chart=\"" + text(name) + "\"><figcaption><b>" + text(view.title) +
         "</b>" + legend + "</figcaption>\n" + out + "</figure>\n";
}

std::string region_name(const Timeline& timeline, std::uint32_t region) {
  return timeline.regions[region].empty() ? "outside of regions" : timeline.regions[region];
}

/// Returns what the critical path consists of, the longest parts first.
std::string path_table(const TimelineView& view) {
  const Timeline& timeline = view.timeline;
  if (timeline.path.empty()) return "";
  Table table("Critical path, " + view.title,
              {{"on the critical path"}, {"region"}, {"time", true}, {"share", true}});
  const std::vector<timeline::PathPart> parts = timeline::path_parts(timeline);
  Time rest = 0, all = 0;
  for (const auto& part : parts) all += part.time;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i >= kMostParts) {
      rest += parts[i].time;
      continue;
    }
    const std::string what = parts[i].is_message  ? "a message under way"
                             : parts[i].name == 0 ? std::string(name_of(parts[i].activity))
                             : parts[i].activity == Activity::waiting
                                 ? timeline.names[parts[i].name] + ", waiting"
                                 : timeline.names[parts[i].name];
    table.add({plain(what), plain(parts[i].is_message ? "" : region_name(timeline, parts[i].region)),
               seconds_cell(seconds(parts[i].time)),
               share_cell(all > 0 ? static_cast<double>(parts[i].time) / static_cast<double>(all) : 0,
                          parts[i].is_message ? "transfer" : style_of(parts[i].activity))});
  }
  if (rest > 0)
    table.add({plain("all others"),
               {},
               seconds_cell(seconds(rest)),
               share_cell(static_cast<double>(rest) / static_cast<double>(all))});
  return "<h3>Critical path of the run, " + text(view.title) +
         "</h3>\n<p>It ends with the last process. Where a call waited for another process, the path goes on "
         "there. "
         "Only what is on it makes the run shorter.</p>\n" +
         table.html();
}

std::string waits_table(const TimelineView& view) {
  const Timeline& timeline = view.timeline;
  struct Found {
    const timeline::Lane* lane;
    const timeline::Span* span;
  };
  std::vector<Found> waits;
  for (const timeline::Lane& lane : timeline.lanes)
    for (const timeline::Span& span : lane.spans)
      if (span.activity == Activity::waiting && span.pieces == 1) waits.push_back({&lane, &span});
  if (waits.empty()) return "";
  const auto length = [](const Found& found) { return found.span->end - found.span->begin; };
  std::ranges::stable_sort(waits, std::greater(), length);
  if (waits.size() > kMostWaits) waits.resize(kMostWaits);
  Table table("Longest waits, " + view.title,
              {{"rank"}, {"call"}, {"region"}, {"began", true}, {"waited", true}});
  for (const Found& found : waits)
    table.add({plain(lane_name(*found.lane)), plain(timeline.names[found.span->name]),
               plain(region_name(timeline, found.span->region)), seconds_cell(seconds(found.span->begin)),
               seconds_cell(seconds(length(found)))});
  return folded("Longest waits for another process", table.html());
}

std::string notes(const std::vector<TimelineView>& views) {
  std::string out;
  for (const TimelineView& view : views)
    for (const std::string& note : view.timeline.notes)
      out += "<p class=\"quiet\">" + text((views.size() > 1 ? view.title + ": " : "") + note) + "</p>\n";
  return out;
}

}  // namespace

std::string style_of(Activity activity) {
  constexpr std::array<const char*, timeline::kActivities> kStyles{"compute", "transfer", "memory", "startup",
                                                                   "files",   "red",      "off"};
  return kStyles[static_cast<std::size_t>(activity)];
}

std::string timelines(const std::vector<TimelineView>& views) {
  double length = 0;
  for (const TimelineView& view : views)
    if (!view.timeline.lanes.empty()) length = std::max(length, seconds(view.timeline.length));
  if (!(length > 0)) return notes(views);
  std::string pictures, tables;
  for (const TimelineView& view : views) {
    if (view.timeline.lanes.empty()) continue;
    pictures += picture(view, length);
    tables += path_table(view) + waits_table(view);
  }
  return "<div id=\"timeline-live\"></div>\n<div class=\"charts wide-chart\" id=\"timeline-overview\">" +
         pictures + "</div>\n" + notes(views) + tables;
}

}  // namespace parcast::report::html
