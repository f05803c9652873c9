// SPDX-License-Identifier: Apache-2.0
// Who sends to whom, and the patterns that these messages make.
#include "report/html/communication.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/sections.h"

namespace parcast::report::html {
namespace {

constexpr std::int32_t kMostCells = 64;  // along a side; more ranks share a cell

/// Bytes between groups of consecutive ranks, row by row of senders.
struct Grid {
  std::int32_t side = 0, each = 1;  // cells along a side, ranks of a cell
  std::vector<double> bytes;
};

Grid grid_of(const program::Traffic& traffic) {
  Grid grid;
  grid.each = (traffic.ranks() + kMostCells - 1) / kMostCells;
  grid.side = (traffic.ranks() + grid.each - 1) / grid.each;
  grid.bytes.assign(static_cast<std::size_t>(grid.side) * static_cast<std::size_t>(grid.side), 0);
  for (const program::Pair& pair : traffic.pairs())
    grid.bytes[static_cast<std::size_t>(pair.from / grid.each) * static_cast<std::size_t>(grid.side) +
               static_cast<std::size_t>(pair.to / grid.each)] += pair.bytes;
  return grid;
}

std::string ranks_text(const Grid& grid, std::int32_t cell, std::int32_t ranks) {
  const std::int32_t first = cell * grid.each, last = std::min(ranks, first + grid.each) - 1;
  return first == last ? std::to_string(first) : std::to_string(first) + " .. " + std::to_string(last);
}

std::string matrix(const program::Traffic& traffic) {
  if (traffic.pairs().empty()) return "";
  const Grid grid = grid_of(traffic);
  std::vector<Heat> cells;
  for (std::int32_t from = 0; from < grid.side; ++from)
    for (std::int32_t to = 0; to < grid.side; ++to) {
      const double bytes = grid.bytes[static_cast<std::size_t>(from) * static_cast<std::size_t>(grid.side) +
                                      static_cast<std::size_t>(to)];
      if (bytes > 0)
        cells.push_back({to, from, bytes,
                         "rank " + ranks_text(grid, from, traffic.ranks()) + " to " +
                             ranks_text(grid, to, traffic.ranks()) + ": " + format_bytes(bytes)});
    }
  return heat_chart("Bytes from rank to rank", grid.side, grid.each, cells);
}

std::string totals(const program::Traffic& traffic) {
  std::vector<double> sent(static_cast<std::size_t>(traffic.ranks()), 0.0);
  std::uint64_t messages = 0;
  double bytes = 0;
  for (const program::Pair& pair : traffic.pairs())
    messages += pair.messages, bytes += pair.bytes, sent[static_cast<std::size_t>(pair.from)] += pair.bytes;
  const auto [least, most] = std::ranges::minmax_element(sent);
  return element(
      "div", "tiles",
      tile("Messages", format_integer(static_cast<long long>(messages)),
           "from rank to rank, without collectives") +
          tile("Bytes", format_bytes(bytes), "of these messages together") +
          tile("Sent by a rank", format_bytes(*most), "at most; at least " + format_bytes(*least)) +
          tile("Pairs", format_integer(static_cast<long long>(traffic.pairs().size())),
               "of ranks that send"));
}

}  // namespace

std::string messages_html(const program::Traffic& traffic,
                          const std::vector<program::MessageSegment>& segments, const std::string& program) {
  Table table("Messages by region",
              {{"region"}, {"calls"}, {"pattern"}, {"ranks", true}, {"messages", true}, {"bytes", true}});
  for (const program::MessageSegment& segment : segments) {
    const std::string pattern = std::string(name_of(segment.found.pattern)) +
                                (segment.found.form.empty() ? "" : ", " + segment.found.form);
    table.add(
        {plain(segment.region.empty() ? program : segment.region),
         plain(segment.calls),
         plain(pattern),
         plain(std::to_string(segment.ranks)),
         {text(format_integer(static_cast<long long>(segment.messages))), std::to_string(segment.messages)},
         {text(format_bytes(segment.bytes)), format_exact(segment.bytes)}});
  }
  const std::string chart = matrix(traffic);
  if (chart.empty() && table.empty()) return "";
  return (chart.empty() ? "" : totals(traffic) + element("div", "charts one", chart)) +
         (table.empty() ? "" : table.html());
}

std::string communication(const Report& report) {
  return report.traffic ? messages_html(*report.traffic, report.segments, report.prediction.program) : "";
}

}  // namespace parcast::report::html
