// SPDX-License-Identifier: Apache-2.0
// The calls of a recorded run, their messages, its phases, and what its regions used.
#include <algorithm>

#include "base/text.h"
#include "report/html/communication.h"
#include "report/html/markup.h"
#include "report/html/run.h"
#include "report/phases_text.h"
#include "report/recording_sums.h"

namespace parcast::report::html {
namespace {

Cell integer_cell(std::uint64_t value) {
  return {text(format_integer(static_cast<long long>(value))), std::to_string(value)};
}

Cell bytes_cell(std::uint64_t bytes) {
  if (bytes == 0) return {"&ndash;", "0"};
  return {text(format_bytes(static_cast<double>(bytes))), std::to_string(bytes)};
}

/// Messages and bytes within hosts and between them.
struct Reach {
  std::uint64_t messages = 0;
  double bytes = 0;
};

/// Returns a table of messages that stay on a host and that leave it; empty on a single host.
std::string reach_table(const RunReport& report) {
  const auto& ranks = report.recording.ranks;
  const bool several =
      std::ranges::any_of(ranks, [&](const auto& rank) { return rank.host != ranks[0].host; });
  if (!several || !report.traffic || report.traffic->pairs().empty()) return "";
  Reach within, between;
  for (const program::Pair& pair : report.traffic->pairs()) {
    const auto from = static_cast<std::size_t>(pair.from), to = static_cast<std::size_t>(pair.to);
    if (from >= ranks.size() || to >= ranks.size()) continue;
    Reach& reach = ranks[from].host == ranks[to].host ? within : between;
    reach.messages += pair.messages, reach.bytes += pair.bytes;
  }
  const double all = within.bytes + between.bytes;
  Table table("Messages by reach",
              {{"messages"}, {"number", true}, {"bytes", true}, {"share of bytes", true}});
  for (const auto& [name, reach] : {std::pair("within a host", &within), {"between hosts", &between}})
    table.add({plain(name), integer_cell(reach->messages),
               bytes_cell(static_cast<std::uint64_t>(reach->bytes)),
               share_cell(all > 0 ? reach->bytes / all : 0, "transfer")});
  return "<h3>Local and remote messages</h3>\n" + table.html();
}

}  // namespace

std::string run_calls(const RunReport& report) {
  std::vector<CallTotals> calls = totals_of(report.recording);
  if (calls.empty()) return "";
  std::ranges::stable_sort(calls, std::greater(), &CallTotals::seconds);
  double all = 0;
  for (const CallTotals& call : calls) all += call.seconds;
  Table table("Calls", {{"call"},
                        {"time, all ranks", true},
                        {"share", true},
                        {"calls, all ranks", true},
                        {"fewest of a rank", true},
                        {"most of a rank", true},
                        {"bytes", true}});
  for (const CallTotals& call : calls)
    table.add({plain(call.name), seconds_cell(call.seconds),
               share_cell(all > 0 ? call.seconds / all : 0, "transfer"), integer_cell(call.count),
               integer_cell(call.fewest), integer_cell(call.most), bytes_cell(call.bytes)});
  return table.html();
}

std::string run_communication(const RunReport& report) {
  if (!report.traffic) return "";
  return messages_html(*report.traffic, report.segments, report.recording.program) + reach_table(report);
}

std::string run_phases(const RunReport& report) {
  const std::vector<recording::PhaseSum> sums = recording::phase_sums(report.recording);
  if (sums.empty()) return "";
  double all = 0;
  for (const recording::PhaseSum& sum : sums) all += sum.seconds;
  Table table("Phases", {{"phase"},
                         {"kind"},
                         {"time, all ranks", true},
                         {"share", true},
                         {"executions", true},
                         {"operations", true},
                         {"units of data", true}});
  for (const recording::PhaseSum& sum : sums) {
    const std::string part = sum.kind == recording::PhaseKind::computation     ? "compute"
                             : sum.kind == recording::PhaseKind::communication ? "transfer"
                                                                               : "off";
    table.add({plain(sum.name.empty() ? std::string(name_of(sum.kind)) : sum.name), plain(name_of(sum.kind)),
               seconds_cell(sum.seconds), share_cell(all > 0 ? sum.seconds / all : 0, part),
               integer_cell(sum.executions), plain(format_significant(sum.operations, 6)),
               plain(format_significant(sum.quantums, 6))});
  }
  return "<p>As the program marked them with parcast_phase.</p>\n" + table.html();
}

std::string run_usage(const RunReport& report) {
  struct Sum {
    std::uint64_t minor = 0, major = 0, voluntary = 0, involuntary = 0, peak = 0;
  };
  std::map<std::string, Sum> regions;
  for (const recording::RankRecording& rank : report.recording.ranks)
    for (const recording::Usage& usage : rank.usage) {
      if (usage.region >= rank.regions.size()) continue;
      Sum& sum = regions[rank.regions[usage.region]];
      sum.minor += usage.minor_faults, sum.major += usage.major_faults;
      sum.voluntary += usage.voluntary_switches, sum.involuntary += usage.involuntary_switches;
      sum.peak = std::max(sum.peak, usage.peak_memory);
    }
  Table table("Use of memory and processor", {{"region"},
                                              {"page faults", true},
                                              {"with a disk read", true},
                                              {"gave up the processor", true},
                                              {"was taken off it", true},
                                              {"largest process so far", true}});
  for (const auto& [region, sum] : regions)
    table.add({plain(region.empty() ? "outside of regions" : region), integer_cell(sum.minor),
               integer_cell(sum.major), integer_cell(sum.voluntary), integer_cell(sum.involuntary),
               bytes_cell(sum.peak)});
  return table.empty() ? "" : "<p>Sums over ranks and threads.</p>\n" + table.html();
}

}  // namespace parcast::report::html
