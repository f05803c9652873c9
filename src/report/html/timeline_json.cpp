// SPDX-License-Identifier: Apache-2.0
// Spans are numbers of seven bits per byte, so that a million of them take some megabytes of the page.
#include <nlohmann/json.hpp>

#include "report/html/base64.h"
#include "report/html/timeline.h"

namespace parcast::report::html {
namespace {

using timeline::Timeline;

/// Numbers of seven bits per byte, the lowest first (LEB128).
class Numbers {
 public:
  void add(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_ += static_cast<char>((value & 127) | 128);
    bytes_ += static_cast<char>(value);
  }
  /// Negative numbers become odd ones.
  void add_signed(std::int64_t value) {
    add(value < 0 ? 2 * (static_cast<std::uint64_t>(-(value + 1))) + 1
                  : 2 * static_cast<std::uint64_t>(value));
  }
  std::string text() const { return base64(bytes_); }

 private:
  std::string bytes_;
};

std::string spans_of(const Timeline& timeline) {
  Numbers out;
  for (const timeline::Lane& lane : timeline.lanes) {
    timeline::Time at = 0;
    for (const timeline::Span& span : lane.spans) {
      out.add(static_cast<std::uint64_t>(span.activity) | static_cast<std::uint64_t>(span.name) << 3);
      out.add(static_cast<std::uint64_t>(span.begin - at));
      out.add(static_cast<std::uint64_t>(span.end - span.begin));
      out.add(span.region);
      if (timeline.resolution > 0) out.add(span.pieces);
      at = span.end;
    }
  }
  return out.text();
}

std::string messages_of(const Timeline& timeline) {
  Numbers out;
  timeline::Time at = 0;
  for (const timeline::Message& message : timeline.messages) {
    out.add(message.from), out.add(message.to);
    out.add_signed(message.sent - at), out.add_signed(message.received - message.sent);
    out.add(message.bytes), out.add_signed(message.tag);
    at = message.sent;
  }
  return out.text();
}

std::string path_of(const Timeline& timeline) {
  Numbers out;
  timeline::Time at = 0;
  for (const timeline::Step& step : timeline.path) {
    out.add(std::uint64_t{step.lane} << 1 | std::uint64_t{step.is_message});
    out.add_signed(step.begin - at), out.add(static_cast<std::uint64_t>(step.end - step.begin));
    at = step.end;
  }
  return out.text();
}

nlohmann::ordered_json json_of(const TimelineView& view) {
  const Timeline& timeline = view.timeline;
  nlohmann::ordered_json out;
  out["title"] = view.title;
  out["simulated"] = timeline.simulated;
  out["length"] = timeline.length;
  out["resolution"] = timeline.resolution;
  out["names"] = timeline.names;
  out["regions"] = timeline.regions;
  out["lanes"] = nlohmann::ordered_json::array();
  for (const timeline::Lane& lane : timeline.lanes)
    out["lanes"].push_back({lane.rank, lane.thread, lane.host, lane.spans.size()});
  out["spans"] = spans_of(timeline);
  out["message_count"] = timeline.messages.size();
  out["messages"] = messages_of(timeline);
  out["step_count"] = timeline.path.size();
  out["path"] = path_of(timeline);
  return out;
}

}  // namespace

std::string timelines_json(const std::vector<TimelineView>& views) {
  nlohmann::ordered_json out;
  out["schema"] = "parcast.timeline/1";
  out["activities"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < timeline::kActivities; ++i) {
    const auto activity = static_cast<timeline::Activity>(i);
    out["activities"].push_back({name_of(activity), style_of(activity)});
  }
  out["timelines"] = nlohmann::ordered_json::array();
  for (const TimelineView& view : views)
    if (!view.timeline.lanes.empty()) out["timelines"].push_back(json_of(view));
  if (out["timelines"].empty()) return "";
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace parcast::report::html
