// SPDX-License-Identifier: Apache-2.0
// Where the time of a recorded run went: regions, and in them computing and each call.
#include <algorithm>

#include "base/text.h"
#include "recording/event_classes.h"
#include "recording/folded.h"
#include "report/html/excerpts.h"
#include "report/html/markup.h"
#include "report/html/run.h"
#include "report/places.h"

namespace parcast::report::html {
namespace {

using recording::EventClass;
using recording::RankRecording;
using recording::Recording;

/// A region, with its classes and the regions in it.
struct RunNode {
  std::string label, path;
  double seconds = 0;  // of all ranks, with the regions in it
  std::vector<EventClass> own;
  std::vector<RunNode> children;
};

RunNode& child_of(RunNode& parent, const std::string& label) {
  const auto found = std::ranges::find(parent.children, label, &RunNode::label);
  if (found != parent.children.end()) return *found;
  parent.children.push_back({label, parent.path.empty() ? label : parent.path + "/" + label, 0, {}, {}});
  return parent.children.back();
}

void add(RunNode& root, const EventClass& each) {
  RunNode* at = &root;
  at->seconds += each.seconds;
  if (!each.region.empty())
    for (const std::string& label : split(each.region, '/')) {
      at = &child_of(*at, label);
      at->seconds += each.seconds;
    }
  at->own.push_back(each);
}

void sort(RunNode& node) {
  std::ranges::stable_sort(node.children, std::greater(), &RunNode::seconds);
  std::ranges::stable_sort(node.own, std::greater(), &EventClass::seconds);
  for (RunNode& child : node.children) sort(child);
}

class RunRows {
 public:
  RunRows(const RunReport& report, double total)
      : report_(report), places_(places_of_calls(report.recording)), total_(total) {}

  void add(const RunNode& node, int depth) {
    row({indent(depth) + "<b>" + text(node.label) + "</b>", node.path.empty() ? node.label : node.path},
        node.seconds, "", "total", {}, depth);
    for (const EventClass& each : node.own) {
      const bool computes = each.call.empty();
      const std::string name = computes ? "computing" : each.call;
      row({indent(depth + 1) + text(name), (node.path.empty() ? "" : node.path + "/") + name}, each.seconds,
          format_integer(static_cast<long long>(each.count)), computes ? "compute" : "transfer", where(each),
          depth + 1);
    }
    for (const RunNode& child : node.children) add(child, depth + 1);
  }

  std::string html() const { return table_.html(); }

 private:
  static std::string indent(int depth) {
    return "<span class=\"indent\" style=\"--depth:" + std::to_string(depth) + "\"></span>";
  }

  Cell where(const EventClass& each) const {
    const auto found = places_.find({each.region, each.call});
    if (found == places_.end() || found->second.empty()) return {};
    Cell out = place_cell(found->second[0], report_.excerpts);
    const auto more = static_cast<std::int64_t>(found->second.size()) - 1;
    if (more > 0) out.html += " <small>and " + text(counted(more, "more place")) + "</small>";
    return out;
  }

  void row(const Cell& name, double seconds, const std::string& count, const std::string& part,
           const Cell& place, int depth) {
    const auto ranks = static_cast<double>(std::max<std::size_t>(1, report_.recording.ranks.size()));
    table_.add({name, seconds_cell(seconds / ranks), share_cell(total_ > 0 ? seconds / total_ : 0, part),
                plain(count), place},
               " data-depth=\"" + std::to_string(depth) + "\"");
  }

  const RunReport& report_;
  CallPlaces places_;
  double total_;
  Table table_{
      "Regions of the run",
      {{"region, call"}, {"time of a rank", true}, {"share", true}, {"count, all ranks", true}, {"where"}}};
};

}  // namespace

CallPlaces places_of_calls(const Recording& recording) {
  std::map<std::pair<std::string, std::string>, std::map<std::string, double>> times;
  for (const RankRecording& rank : recording.ranks) {
    const auto take = [&](std::uint32_t call, std::uint32_t site, std::uint32_t region, double inside) {
      if (call >= recording.calls.size() || site >= rank.sites.size() || region >= rank.regions.size())
        return;
      const std::string place = place_text(rank, rank.sites[site]);
      if (!place.empty()) times[{rank.regions[region], recording.calls[call].name}][place] += inside;
    };
    for (const recording::Chapter& chapter : rank.chapters)
      for (const recording::FoldedKey& key : chapter.keys) take(key.call, key.site, key.region, key.inside);
    for (const recording::Event& event : rank.events)
      take(event.call, event.site, event.region, static_cast<double>(event.exit - event.enter));
  }
  CallPlaces out;
  for (const auto& [call, places] : times) {
    std::vector<std::pair<std::string, double>> sorted(places.begin(), places.end());
    std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, double>::second);
    for (const auto& [place, time] : sorted) out[call].push_back(place);
  }
  return out;
}

std::string run_regions(const RunReport& report) {
  RunNode root{report.recording.program, "", 0, {}, {}};
  for (const EventClass& each : recording::event_classes(report.recording)) add(root, each);
  if (!(root.seconds > 0)) return "";
  sort(root);
  RunRows rows(report, root.seconds);
  rows.add(root, 0);
  return "<p>Computing belongs to the region of the call that follows it.</p>\n" + rows.html();
}

}  // namespace parcast::report::html
