// SPDX-License-Identifier: Apache-2.0
#include "interchange/time_line.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "recording/records.h"

namespace parcast::interchange {
namespace {

/// Both clocks of a host when MPI_Init returned on one of its ranks.
struct Moment {
  std::int64_t monotonic = 0;  // when MPI_Init returned
  std::int64_t day = 0;        // time of day at 0 of the monotonic clock; 0 if unknown
};

constexpr std::uint64_t kFar = std::uint64_t{1} << 62;

std::optional<Moment> moment_of(const recording::RankRecording& rank, const std::filesystem::path& folder) {
  const auto path = folder / ("rank-" + std::to_string(rank.rank) + ".rec");
  std::string bytes(PARCAST_HEADER_SIZE, '\0');
  if (!std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    return std::nullopt;
  const auto header = recording::read_header(bytes, path.string());
  if (!header || rank.clock_frequency <= 0 || header->first_nanoseconds == 0 ||
      header->first_nanoseconds > kFar)
    return std::nullopt;
  const double ticks = header->init_exit >= header->first_ticks
                           ? static_cast<double>(header->init_exit - header->first_ticks)
                           : -static_cast<double>(header->first_ticks - header->init_exit);
  const double since = ticks / rank.clock_frequency * 1e9;
  if (!(std::abs(since) < 1e15)) return std::nullopt;  // MPI_Init does not take days
  Moment moment;
  moment.monotonic = static_cast<std::int64_t>(header->first_nanoseconds) + std::llround(since);
  if (moment.monotonic < 0) return std::nullopt;
  if (header->started > header->first_nanoseconds && header->started < kFar)
    moment.day = static_cast<std::int64_t>(header->started - header->first_nanoseconds);
  return moment;
}

}  // namespace

TimeLine time_line(const recording::Recording& recording, const std::filesystem::path& folder) {
  std::vector<std::optional<Moment>> moments;
  std::map<std::string, std::int64_t> days;  // per host, by its first rank
  std::set<std::string> dayless;
  std::size_t unknown = 0;
  for (const auto& rank : recording.ranks) {
    moments.push_back(moment_of(rank, folder));
    const bool empty = rank.host.empty() && recording::event_count(rank) == 0;
    unknown += !moments.back() && !empty;
    if (!moments.back()) continue;
    if (moments.back()->day == 0) dayless.insert(rank.host);
    days.emplace(rank.host, moments.back()->day);
  }
  TimeLine line;
  const std::int64_t day = days.empty() ? 0 : days.begin()->second;
  line.day = static_cast<std::uint64_t>(day);
  std::int64_t shift = 0;  // so that nothing is before 0
  std::vector<std::int64_t> zero;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    std::int64_t at = moments[i] ? moments[i]->monotonic : 0;
    if (moments[i] && day != 0 && dayless.empty()) at += days[recording.ranks[i].host] - day;
    zero.push_back(at);
    std::int64_t first = 0;
    for (const auto& chapter : recording.ranks[i].chapters) first = std::min(first, chapter.begin);
    for (const auto& event : recording.ranks[i].events) first = std::min(first, event.enter);
    if (first > -(std::int64_t{1} << 61) && at + first < 0) shift = std::max(shift, -(at + first));
  }
  line.day -= std::min(line.day, static_cast<std::uint64_t>(shift));
  for (const std::int64_t at : zero) line.zero.push_back(static_cast<std::uint64_t>(at + shift));
  line.is_comparable = unknown == 0 && (days.size() <= 1 || dayless.empty());
  if (unknown)
    line.warnings.push_back(
        "the clocks of " + std::to_string(unknown) +
        " ranks are not known: each of them begins at 0, and their times cannot be compared with others'");
  if (days.size() > 1 && !dayless.empty())
    line.warnings.push_back(
        "the clocks of different hosts could not be aligned: times can be compared within a host only");
  else if (days.size() > 1)
    line.warnings.push_back(
        "the ranks of " + std::to_string(days.size()) +
        " hosts are aligned by their clocks of the day, which may differ by milliseconds");
  return line;
}

}  // namespace parcast::interchange
