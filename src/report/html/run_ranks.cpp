// SPDX-License-Identifier: Apache-2.0
// How evenly the ranks of a run computed, and what the uneven computing cost.
#include <algorithm>
#include <limits>

#include "base/text.h"
#include "recording/region_sums.h"
#include "report/html/bar_chart.h"
#include "report/html/markup.h"
#include "report/html/run.h"
#include "report/recording_sums.h"

namespace parcast::report::html {
namespace {

using recording::RankRecording;
using recording::Recording;

constexpr std::size_t kMostChartRows = 48;  // of the chart; more ranks share a row
constexpr std::size_t kMostListed = 256;    // ranks of the table
constexpr std::size_t kMostRegions = 12;
constexpr double kLeastLoss = 0.001;  // of the run's time, that a region loses

const std::vector<std::pair<std::string, std::string>> kRunParts{
    {"computing", "compute"},  {"point to point", "transfer"},
    {"collectives", "memory"}, {"one-sided", "startup"},
    {"files", "files"},        {"off the processor", "off"}};

std::vector<double> values_of(const RankTimes& times) {
  return {times.compute,     times.point_to_point,
          times.collectives, times.one_sided,
          times.files,       std::max(0.0, times.wall - times.compute - times.in_calls())};
}

/// Returns a row per rank, or per group of ranks with their means.
std::vector<BarRow> rows_of(const std::vector<RankTimes>& ranks) {
  const std::size_t each = (ranks.size() + kMostChartRows - 1) / kMostChartRows;
  std::vector<BarRow> out;
  for (std::size_t first = 0; first < ranks.size(); first += each) {
    const std::size_t end = std::min(ranks.size(), first + each);
    BarRow row{"rank " + std::to_string(first) + (each > 1 ? " .. " + std::to_string(end - 1) : ""),
               std::vector<double>(kRunParts.size())};
    for (std::size_t rank = first; rank < end; ++rank) {
      const std::vector<double> values = values_of(ranks[rank]);
      for (std::size_t k = 0; k < values.size(); ++k)
        row.values[k] += values[k] / static_cast<double>(end - first);
    }
    out.push_back(std::move(row));
  }
  return out;
}

std::string ranks_table(const Recording& recording, const std::vector<RankTimes>& ranks) {
  const std::vector<recording::RankCounts> counts = recording::count(recording);
  Table table("Ranks", {{"rank", true},
                        {"host"},
                        {"time", true},
                        {"computing", true},
                        {"point to point", true},
                        {"collectives", true},
                        {"messages", true},
                        {"bytes", true},
                        {"memory", true}});
  for (std::size_t i = 0; i < ranks.size() && i < kMostListed; ++i) {
    const RankRecording& rank = recording.ranks[i];
    table.add({plain(std::to_string(rank.rank)),
               plain(rank.host),
               seconds_cell(ranks[i].wall),
               seconds_cell(ranks[i].compute),
               seconds_cell(ranks[i].point_to_point),
               seconds_cell(ranks[i].collectives),
               {text(format_integer(static_cast<long long>(counts[i].messages_sent))),
                std::to_string(counts[i].messages_sent)},
               {text(format_bytes(static_cast<double>(counts[i].bytes_sent))),
                std::to_string(counts[i].bytes_sent)},
               rank.peak_memory > 0 ? Cell{text(format_bytes(static_cast<double>(rank.peak_memory))),
                                           std::to_string(rank.peak_memory)}
                                    : Cell{"&ndash;", ""}});
  }
  const std::string more = ranks.size() > kMostListed
                               ? "<p class=\"quiet\">The first " + std::to_string(kMostListed) + " of " +
                                     std::to_string(ranks.size()) + " ranks.</p>\n"
                               : "";
  return folded("Every rank", table.html() + more);
}

std::string balance_table(const Recording& recording, double wall) {
  Table table("Uneven computing", {{"region"},
                                   {"mean of a rank", true},
                                   {"least", true},
                                   {"most", true},
                                   {"on rank", true},
                                   {"most over mean", true},
                                   {"share of the run", true}});
  for (const RegionBalance& each : balance_of_regions(recording)) {
    if (each.lost() < kLeastLoss * wall) continue;
    table.add({plain(each.region.empty() ? "outside of regions" : each.region), seconds_cell(each.mean),
               seconds_cell(each.least), seconds_cell(each.most), plain(std::to_string(each.slowest)),
               seconds_cell(each.lost()), share_cell(wall > 0 ? each.lost() / wall : 0, "wait")});
  }
  if (table.empty()) return "<p>No region's computing is uneven by a thousandth of the run's time.</p>\n";
  return "<h3>Where computing is uneven</h3>\n<p>The time by which the slowest rank computes longer than the "
         "mean: the "
         "others may wait for it.</p>\n" +
         table.html();
}

}  // namespace

std::vector<RegionBalance> balance_of_regions(const Recording& recording) {
  std::map<std::string, std::vector<double>> seconds;  // by region: of each rank
  for (std::size_t i = 0; i < recording.ranks.size(); ++i) {
    const RankRecording& rank = recording.ranks[i];
    const auto sums = recording::sums_by_region(recording, rank);
    for (std::size_t region = 0; region < sums.size(); ++region) {
      auto& own = seconds[rank.regions[region]];
      own.resize(recording.ranks.size());
      own[i] += 1e-9 * sums[region].compute;
    }
  }
  std::vector<RegionBalance> out;
  for (const auto& [region, own] : seconds) {
    RegionBalance balance{region, 0, 0, std::numeric_limits<double>::infinity(), 0};
    for (std::size_t i = 0; i < own.size(); ++i) {
      balance.mean += own[i] / static_cast<double>(own.size());
      balance.least = std::min(balance.least, own[i]);
      if (own[i] > balance.most) balance.most = own[i], balance.slowest = recording.ranks[i].rank;
    }
    if (balance.most > 0) out.push_back(balance);
  }
  std::ranges::stable_sort(out, std::greater(), &RegionBalance::lost);
  if (out.size() > kMostRegions) out.resize(kMostRegions);
  return out;
}

std::string run_ranks(const RunReport& report) {
  const Recording& recording = report.recording;
  if (recording.ranks.empty() || has_phases_alone(recording)) return "";
  std::vector<RankTimes> ranks;
  double wall = 0;
  for (const RankRecording& rank : recording.ranks) {
    ranks.push_back(times_of(recording, rank));
    wall = std::max(wall, ranks.back().wall);
  }
  return element(
             "div", "charts wide-chart",
             bar_chart("Time of the ranks by activity", "time", Unit::seconds, kRunParts, rows_of(ranks))) +
         (ranks.size() > 1 ? balance_table(recording, wall) : "") + ranks_table(recording, ranks);
}

}  // namespace parcast::report::html
