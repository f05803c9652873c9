// SPDX-License-Identifier: Apache-2.0
#pragma once
// The page of a recorded run alone: where its time went, who sent to whom, how evenly, and its timeline. The
// numbers come from the same functions as those of `parcast show`.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "patterns/segments.h"
#include "patterns/traffic.h"
#include "recording/recording.h"
#include "report/html/call_graph.h"
#include "report/html/document.h"
#include "report/html/report.h"
#include "report/html/timeline.h"

namespace parcast::report::html {

struct RunReport {
  recording::Recording recording;   // its sites are resolved
  std::vector<TimelineView> views;  // predicted ones first, so that they are above the recorded one
  std::optional<program::Traffic> traffic;
  std::vector<program::MessageSegment> segments;
  std::optional<ProgramFile> program;       // nothing: not found, or without debug data
  std::map<std::string, Excerpt> excerpts;  // by place, "swe.c:120"
  std::vector<std::string> warnings;
  std::vector<InputFile> files;
  std::string command, version;
};

Document document_of(const RunReport& report);

// The sections, one file each; empty without anything to show.
std::string run_summary(const RunReport& report);
std::string run_regions(const RunReport& report);
std::string run_ranks(const RunReport& report);
std::string run_calls(const RunReport& report);
std::string run_communication(const RunReport& report);
std::string run_phases(const RunReport& report);
std::string run_usage(const RunReport& report);

/// A region's computing on the ranks.
struct RegionBalance {
  std::string region;
  double mean = 0, most = 0, least = 0;  // seconds of a rank
  std::int32_t slowest = 0;              // the rank that computes most
  double lost() const { return most - mean; }
};
/// Returns the regions in which some rank computes, by lost time, largest first.
std::vector<RegionBalance> balance_of_regions(const recording::Recording& recording);

/// Returns the places at which a call of a region was made, the one with the most time first: "swe.c:120".
using CallPlaces = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;
CallPlaces places_of_calls(const recording::Recording& recording);

}  // namespace parcast::report::html
