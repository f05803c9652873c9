// SPDX-License-Identifier: Apache-2.0
#include "interchange/recorded_measurements.h"

#include <algorithm>
#include <array>
#include <map>

#include "interchange/measurement_collector.h"
#include "observations/inputs.h"
#include "recording/region_sums.h"

namespace parcast::interchange {
namespace {

using recording::RankRecording;
using recording::Recording;
using recording::RegionSums;

constexpr double kSecond = 1e-9;  // seconds per nanosecond
constexpr std::string_view kNoRegion = "-";
constexpr std::array<std::string_view, 5> kRecordedMetrics{"seconds", "longest", "calls", "messages",
                                                           "bytes"};

/// Values of one run at one call path, by metric: sums over ranks; for `longest` the maximum.
using PlaceKey = std::array<double, kRecordedMetrics.size()>;
using Places = std::map<std::string, PlaceKey>;  // by call path

void add(const RegionSums& sums, double nanoseconds, PlaceKey& place) {
  const double seconds = nanoseconds * kSecond;
  place[0] += seconds;
  place[1] = std::max(place[1], seconds);
  place[2] += static_cast<double>(sums.calls);
  place[3] += static_cast<double>(sums.messages);
  place[4] += static_cast<double>(sums.message_bytes + sums.collective_bytes);
}

std::string callpath_of(const std::string& region) {
  if (region.empty()) return std::string(kNoRegion);
  std::string out;
  for (const char c : region) c == '/' ? out += "->" : out += c;
  return out;
}

Places places_of(const Recording& recording) {
  Places places;
  for (const RankRecording& rank : recording.ranks) {
    const std::vector<RegionSums> sums = recording::sums_by_region(recording, rank);
    RegionSums all;
    std::map<std::string, RegionSums> by_path;  // two regions of a rank may have the same path
    for (std::size_t i = 0; i < sums.size(); ++i)
      for (RegionSums* into : {&all, &by_path[callpath_of(rank.regions[i])]}) {
        into->calls += sums[i].calls, into->messages += sums[i].messages;
        into->message_bytes += sums[i].message_bytes, into->collective_bytes += sums[i].collective_bytes;
        into->compute += sums[i].compute, into->inside += sums[i].inside;
      }
    add(all, static_cast<double>(rank.wall), places[""]);
    for (const auto& [path, each] : by_path) add(each, each.compute + each.inside, places[path]);
  }
  for (auto& [path, place] : places)
    for (std::size_t m = 0; m < place.size(); ++m)
      if (m != 1) place[m] /= static_cast<double>(recording.ranks.size());
  return places;
}

std::vector<double> point_of(const Recording& recording, const std::vector<std::string>& parameters) {
  std::vector<double> point{static_cast<double>(recording.processes)};
  for (const std::string& name : parameters) point.push_back(recording.parameters.at(name));
  return point;
}

/// Returns the call paths with measurements, in order. Without regions it is only the entire program.
std::vector<std::string> paths_of(const std::vector<Places>& runs) {
  Places all;
  for (const Places& run : runs) all.insert(run.begin(), run.end());
  if (all.size() == 2) all.erase(std::string(kNoRegion));
  std::vector<std::string> paths;
  for (const auto& [path, place] : all) paths.push_back(path);
  return paths;
}

void warn(const std::vector<Recording>& recordings, const program::Inputs& inputs,
          MeasurementCollector& collector) {
  for (const auto& notice : inputs.notices) collector.warn(notice.text);
  const auto crowded =
      std::ranges::count_if(inputs.order, [&](std::size_t i) { return recordings[i].oversubscribed(); });
  if (crowded > 0)
    collector.warn(std::to_string(crowded) + " of " + std::to_string(inputs.order.size()) +
                   " recordings had more processes than cores: their times are those of shared cores");
}

}  // namespace

Result<fit::Measurements> measurements_of(const std::vector<Recording>& recordings) {
  PARCAST_ASSIGN(const program::Inputs inputs, program::check_inputs(recordings));
  MeasurementCollector collector;
  warn(recordings, inputs, collector);
  std::vector<Places> runs;
  for (const std::size_t i : inputs.order) runs.push_back(places_of(recordings[i]));
  for (const std::string& path : paths_of(runs))
    for (std::size_t m = 0; m < kRecordedMetrics.size(); ++m) {
      const auto value = [&](const Places& run) { return run.contains(path) ? run.at(path)[m] : 0; };
      if (std::ranges::all_of(runs, [&](const Places& run) { return value(run) == 0; })) continue;
      const std::size_t kernel = collector.kernel(path, kRecordedMetrics[m]);
      for (std::size_t r = 0; r < runs.size(); ++r)
        collector.add(kernel, collector.point(point_of(recordings[inputs.order[r]], inputs.parameters)),
                      value(runs[r]));
    }
  collector.note_largest("longest", "seconds");
  std::vector<std::string> parameters{"p"};
  parameters.insert(parameters.end(), inputs.parameters.begin(), inputs.parameters.end());
  return collector.finish(std::move(parameters), "", "");
}

}  // namespace parcast::interchange
