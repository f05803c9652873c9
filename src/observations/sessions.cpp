// SPDX-License-Identifier: Apache-2.0
#include "observations/sessions.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <utility>

#include "base/text.h"

namespace parcast::program {
namespace {

/// Returns seconds since 1970 for "2026-01-31T12:00:00Z".
std::optional<double> seconds_of(const std::string& started) {
  std::tm parts{};
  const char* const end = ::strptime(started.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (!end) return std::nullopt;
  return static_cast<double>(::timegm(&parts));
}

std::string span_of(double seconds) {
  const double minutes = std::max(1.0, std::round(seconds / 60));
  return minutes < 120 ? std::to_string(std::lround(minutes)) + " min"
                       : format_significant(minutes / 60, 2) + " h";
}

}  // namespace

Sessions sessions(const std::vector<recording::Recording>& recordings, std::span<const Run> runs) {
  Sessions out;
  std::map<std::pair<std::int32_t, std::vector<double>>, std::vector<double>> starts;  // by point
  std::vector<double> all;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    out.on_virtual = out.on_virtual || recordings[i].virtual_machine;
    const auto at = seconds_of(recordings[i].started);
    if (!at) continue;
    starts[{runs[i].processes, runs[i].parameters}].push_back(*at);
    all.push_back(*at);
  }
  if (all.empty()) return out;
  const auto [first, last] = std::ranges::minmax(all);
  out.seconds = last - first;
  for (auto& [point, of_point] : starts) {
    std::ranges::sort(of_point);
    std::size_t count = 1;
    for (std::size_t i = 1; i < of_point.size(); ++i) count += of_point[i] - of_point[i - 1] > kSessionGap;
    out.most = std::max(out.most, count);
  }
  return out;
}

double unseen_deviation(const Sessions& sessions) {
  if (!sessions.on_virtual) return 0;
  const std::size_t seen = std::clamp<std::size_t>(sessions.most, 1, kEnoughSessions);
  return kVirtualDeviation * static_cast<double>(kEnoughSessions - seen) /
         static_cast<double>(kEnoughSessions - 1);
}

std::optional<Notice> unseen_notice(const Sessions& sessions, std::size_t recordings) {
  const double deviation = unseen_deviation(sessions);
  if (!(deviation > 0)) return std::nullopt;
  const std::string made =
      recordings == 1 ? "one recording"
                      : std::to_string(recordings) + " recordings within " + span_of(sessions.seconds);
  const std::string seen =
      sessions.most > 1 ? ", the same run at " + std::to_string(sessions.most) + " sessions at most" : "";
  return Notice{"one-sitting",
                made + seen +
                    ", on a virtual machine: how much slower or faster its host is at other times " +
                    (sessions.most > 1 ? "is hardly known" : "is not known") +
                    ", and intervals assume a standard deviation of " +
                    format_significant(100 * deviation, 2) + " % for it",
                "record one of these runs again after some hours"};
}

}  // namespace parcast::program
