// SPDX-License-Identifier: Apache-2.0
// What ran, how long, and on what its time was spent.
#include <set>

#include "base/shell.h"
#include "base/text.h"
#include "recording/process_time.h"
#include "report/html/bar_chart.h"
#include "report/html/markup.h"
#include "report/html/run.h"
#include "report/recording_sums.h"

namespace parcast::report::html {
namespace {

using recording::RankRecording;
using recording::Recording;

/// Returns the class of the colour of a part of the time.
std::string style_of_part(const std::string& name) {
  if (name == "point to point" || name == "communication") return "transfer";
  if (name == "collectives") return "memory";
  if (name == "one-sided") return "startup";
  if (name == "files") return "files";
  if (name == "off the processor" || name == "idle") return "off";
  return name == "accelerator calls" ? "total" : "compute";
}

/// Returns e.g. "Of the mean rank's 12.4 s, computing is 88 %, collectives 7 %."
std::string sentence(const std::vector<TimePart>& parts, const RunTimes& times) {
  std::string out;
  for (const TimePart& part : parts)
    out += (out.empty() ? "" : ", ") + part.name + " " +
           in_percent(times.mean.wall > 0 ? part.seconds / times.mean.wall : 0);
  return "Of the time of a rank, in the mean: " + out + ".";
}

/// Returns mean computing over that of the rank which computes most; 1 if none computes.
double load_balance(const Recording& recording) {
  double sum = 0, most = 0;
  for (const RankRecording& rank : recording.ranks) {
    const double compute = times_of(recording, rank).compute;
    sum += compute, most = std::max(most, compute);
  }
  return most > 0 ? sum / static_cast<double>(recording.ranks.size()) / most : 1;
}

std::string hosts_note(const Recording& recording) {
  std::set<std::string> hosts;
  for (const RankRecording& rank : recording.ranks)
    if (!rank.host.empty()) hosts.insert(rank.host);
  return hosts.empty() ? "" : "on " + counted(static_cast<std::int64_t>(hosts.size()), "host");
}

std::string tiles(const Recording& recording, const RunTimes& times) {
  std::string out = tile("Processes", std::to_string(recording.processes), hosts_note(recording));
  if (!has_phases_alone(recording)) {
    out +=
        tile("Load balance", in_percent(load_balance(recording)), "mean computing of a rank over the most");
    out += tile("Events", format_integer(static_cast<long long>(times.events)),
                "calls of MPI and marks of regions, all ranks");
    out += tile("Recording took", format_significant(100 * times.overhead, 1) + " %",
                "of the time, on the rank where it took most");
  }
  double memory = 0;
  for (const RankRecording& rank : recording.ranks)
    memory = std::max(memory, static_cast<double>(rank.peak_memory));
  if (memory > 0) out += tile("Memory", format_bytes(memory), "of the largest process");
  return element("div", "tiles", out);
}

std::string facts(const Recording& recording) {
  Table table("Facts of the run", {{"fact"}, {"value"}});
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) table.add({plain(name), plain(value)});
  };
  add("command", shell_line(recording.command));
  add("MPI library", recording.mpi_library);
  add("processor", recording.machine_summary);
  add("cores of a host", recording.cores_per_host > 0 ? std::to_string(recording.cores_per_host) : "");
  add("launch to end", recording.launch_seconds > 0 ? duration(recording.launch_seconds) : "");
  add("exit code", std::to_string(recording.exit_code));
  add("threads", recording::said_of_threads(recording));
  for (const std::string& sentence : recording.outside) add("outside", sentence);
  return folded("Command, library, host", table.html());
}

}  // namespace

std::string run_summary(const RunReport& report) {
  const Recording& recording = report.recording;
  const RunTimes times = times_of(recording);
  const std::vector<TimePart> parts = time_parts(recording, times);
  BarRow row{"mean rank", {}};
  std::vector<std::pair<std::string, std::string>> names;
  for (const TimePart& part : parts) {
    names.emplace_back(part.name, style_of_part(part.name));
    row.values.push_back(part.seconds);
  }
  return "<p class=\"time\"><strong>" + text(duration(times.slowest_wall)) +
         "</strong> <span>from MPI_Init to MPI_Finalize, on the slowest rank</span></p>\n<p>" +
         text(sentence(parts, times)) + "</p>\n" + tiles(recording, times) +
         element("div", "charts wide-chart",
                 bar_chart("Time of a rank by activity", "seconds in the mean of all ranks", Unit::seconds,
                           names, {row})) +
         facts(recording);
}

}  // namespace parcast::report::html
