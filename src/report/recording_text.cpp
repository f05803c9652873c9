// SPDX-License-Identifier: Apache-2.0
#include "report/recording_text.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/shell.h"
#include "base/text.h"
#include "recording/event_classes.h"
#include "recording/process_time.h"
#include "recording/unfold.h"
#include "report/event_kinds.h"
#include "report/phases_text.h"
#include "report/places.h"
#include "report/problems.h"
#include "report/recording_sums.h"
#include "report/table.h"
#include "report/usage_text.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using recording::CallClass;
using recording::RankCounts;
using recording::RankRecording;
using recording::Recording;

constexpr std::size_t kMostRecordedRanks = 16;

const recording::Call* call_of(const Recording& recording, const recording::Event& event) {
  return event.call < recording.calls.size() ? &recording.calls[event.call] : nullptr;
}

std::uintmax_t size_of(const std::string& folder) {
  std::uintmax_t bytes = 0;
  std::error_code problem;
  for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    std::error_code ignored;
    const auto size = at->file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

/// Returns e.g. "compute 10.9 s 88 % · collectives 0.78 s 6 %": means over ranks. With phases alone:
/// "computation 9.1 s 74 % · idle ...".
std::string division(const Recording& recording, const RunTimes& times) {
  std::vector<std::string> parts;
  for (const TimePart& part : time_parts(recording, times))
    parts.push_back(part.name + " " + format_seconds(part.seconds) + " " +
                    in_percent(times.mean.wall > 0 ? part.seconds / times.mean.wall : 0));
  return join(parts, " · ") + (has_phases_alone(recording) ? ", as the program reported" : "");
}

std::string bytes_text(std::uint64_t bytes) {
  return format_integer(static_cast<long long>(bytes));
}

std::string hosts_text(const Recording& recording) {
  std::set<std::string> hosts;
  for (const auto& rank : recording.ranks)
    if (!rank.host.empty()) hosts.insert(visible(rank.host));  // a rank without a file has none
  if (hosts.size() <= 3) return join(std::vector<std::string>(hosts.begin(), hosts.end()), ", ");
  return *hosts.begin() + " and " + std::to_string(hosts.size() - 1) + " more";
}

/// Returns the share of a core that the kernel reserves for a thread; empty without reservations.
std::string shares_text(const Recording& recording) {
  const auto shares = [](const RankRecording& a, const RankRecording& b) {
    return a.processor_share < b.processor_share;
  };
  const auto [least, most] = std::minmax_element(recording.ranks.begin(), recording.ranks.end(), shares);
  if (least == recording.ranks.end() || least->processor_share >= 1) return "";
  const auto percent = [](double share) { return format_significant(100 * share, 2); };
  std::string range = percent(least->processor_share);
  if (most->processor_share > least->processor_share) range += " to " + percent(most->processor_share);
  return range + " % of a core reserved for a process: a model takes time on the processor divided by it";
}

std::string head(const Recording& recording, const Style& style) {
  std::string out = bold(style, visible(recording.program) + ", " + counted(recording.processes, "process"));
  if (!recording.parameters.empty()) out += ", " + parameters_text(recording.parameters);
  out += "\n\n";
  const auto line = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) out += wrapped(style, "  " + padded(name, 10) + value, 12) + "\n";
  };
  std::vector<std::string> command;
  for (const auto& word : recording.command) command.push_back(visible(shell_quoted(word)));
  line("command", join(command, " "));
  line("started", visible(recording.started) +
                      (recording.exit_code != 0 ? ", exit code " + std::to_string(recording.exit_code) : ""));
  line("hosts", hosts_text(recording));
  line("machine", visible(recording.machine_summary));
  line("share", shares_text(recording));
  line("MPI", visible(recording.mpi_library));
  line("time", division(recording, times_of(recording)));
  for (const std::string& sentence : recording.outside) line("outside", visible(sentence));
  line("threads", recording::said_of_threads(recording));
  line("worlds",
       recording.worlds.empty()
           ? ""
           : join(recording.worlds, ", ") + ": recordings of their own, of processes started later or apart");
  if (std::any_of(recording.ranks.begin(), recording.ranks.end(),
                  [](const RankRecording& rank) { return rank.summarised; }))
    line("",
         "the order of events and who their partners were did not fit: counts, sums and times are complete");
  line("", without_path_text(recording));
  if (recording.oversubscribed())
    line("", "more processes than cores (" + std::to_string(recording.cores_per_host) +
                 "): counts are right, times are not those of a free core");
  return out;
}

void add_rank(Table& table, const Recording& recording, const RankRecording& rank, const RankCounts& counts,
              const TimeScale& scale) {
  const RankTimes times = times_of(recording, rank, counts.compute_seconds);
  const bool given = has_phases_alone(rank);
  table.add({std::to_string(rank.rank), rank.host, format_integer(static_cast<long long>(counts.events)),
             bytes_text(counts.messages_sent), bytes_text(counts.bytes_sent),
             given ? "-" : scale.text(times.compute), given ? "-" : scale.text(times.in_calls()),
             scale.text(times.wall),
             rank.peak_memory > 0 ? format_bytes(static_cast<double>(rank.peak_memory)) : "unknown",
             rank.finalised ? "" : "not finalised"});
}

std::string ranks_table(const Recording& recording, const std::vector<RankCounts>& counts,
                        const Style& style) {
  const TimeScale scale(recording::longest_wall(recording));
  const auto right = Column::Align::right;
  Table table({{"rank", right},
               {"host", Column::Align::left, Column::Shrink::cut_end},
               {"events", right},
               {"messages", right},
               {"bytes", right},
               {"compute", right},
               {"in calls", right},
               {scale.unit(), right},
               {"memory", right},
               {""}});
  const std::size_t shown =
      recording.ranks.size() <= kMostRecordedRanks ? recording.ranks.size() : kMostRecordedRanks - 1;
  for (std::size_t i = 0; i < shown; ++i) add_rank(table, recording, recording.ranks[i], counts[i], scale);
  std::string out = table.text(style);
  if (shown < recording.ranks.size())
    out += dim(style, "  ... " + std::to_string(recording.ranks.size() - shown) + " more ranks, --counts") +
           "\n";
  return out;
}

std::string calls_table(const Recording& recording, const Style& style) {
  const auto totals = totals_of(recording);
  double largest = 0;
  for (const CallTotals& total : totals) largest = std::max(largest, total.seconds);
  const TimeScale scale(largest);
  const auto right = Column::Align::right;
  Table table({{"call"},
               {"all ranks", right},
               {"fewest", right},
               {"most", right},
               {"bytes", right},
               {scale.unit(), right}});
  for (const CallTotals& total : totals)
    table.add({total.name, bytes_text(total.count), bytes_text(total.fewest), bytes_text(total.most),
               bytes_text(total.bytes), scale.text(total.seconds)});
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string unfollowed_text(const Recording& recording, const Style& style) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& rank : recording.ranks)
    for (const auto& call : rank.unfollowed) counts[call.name] += call.count;
  if (counts.empty()) return "";
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(visible(name) + " " + bytes_text(count));
  return "\n" + wrapped(style, "  seen but not followed in detail: " + join(parts, ", "), 4) + "\n";
}

std::string damage_text(const Recording& recording, const Style& style) {
  std::string out;
  for (const Problem& problem : problems_of(recording))
    out += alert(style, wrapped(style, "  ! " + visible(problem.text), 4)) + "\n";
  std::uint64_t dropped = 0;
  for (const auto& rank : recording.ranks) dropped += rank.dropped_events;
  if (dropped > 0)
    out += alert(style, "  ! " + bytes_text(dropped) + " events were not kept because a limit was reached") +
           "\n";
  return out.empty() ? out : "\n" + out;
}

/// Suggests to record another size; if the run has parameters, with other values of them.
std::string another_size(const Recording& recording) {
  std::vector<std::string> flags;
  for (const auto& [name, value] : recording.parameters)
    flags.push_back("--param " + visible(shell_quoted(name)) + "=...");
  return "another size first" + (flags.empty() ? "" : ": " + join(flags, " "));
}

std::string peer_text(std::int32_t peer) {
  if (peer == recording::kAnySource) return "any";
  return peer == recording::kNoPeer ? "-" : std::to_string(peer);
}

std::string message_text(const std::string& name, const recording::Message& message) {
  return " " + name + " peer=" + peer_text(message.peer) + " tag=" + std::to_string(message.tag) +
         " bytes=" + std::to_string(message.bytes);
}

std::string site_text(const RankRecording& rank, const recording::Event& event) {
  if (event.site >= rank.sites.size()) return "?";
  const auto& site = rank.sites[event.site];
  const std::string place = place_text(rank, site);
  std::string text = place.empty() ? "?" : visible(place);
  for (const recording::Frame& frame : site.inlined_into) {
    text += " inlined into " + (frame.function.empty() ? "?" : visible(frame.function));
    if (!frame.file.empty()) text += " at " + visible(place_text(frame));
  }
  return text;
}

std::string access_text(const std::string& what, const recording::Message& message) {
  if (message.peer == recording::kNoPeer) return "";
  return " " + what + " peer=" + peer_text(message.peer) + " bytes=" + std::to_string(message.bytes);
}

/// Returns e.g. "0..3", "0..2..6".
std::string ranks_text(const recording::Share& share) {
  std::string text = peer_text(share.first);
  if (share.count < 2) return text;
  const auto last =
      static_cast<std::int32_t>(share.first + static_cast<std::int64_t>(share.count - 1) * share.stride);
  return text + (share.stride == 1 ? ".." : ".." + std::to_string(share.stride) + "..") + peer_text(last);
}

/// Returns e.g. "sent=0..3:800,4:16": partners and the bytes of each.
std::string partners_text(const std::string& what, const RankRecording& rank, std::uint32_t list) {
  if (list == 0 || list >= rank.shares.size()) return "";
  std::vector<std::string> parts;
  for (const recording::Share& share : rank.shares[list])
    parts.push_back(ranks_text(share) + ":" + std::to_string(share.bytes));
  return " " + what + "=" + join(parts, ",");
}

std::string ranks_text(const RankRecording& rank, std::uint32_t list) {
  std::vector<std::string> parts;
  for (const recording::Share& share : rank.shares[list]) parts.push_back(ranks_text(share));
  return join(parts, ",");
}

/// Returns e.g. " window=1 owner=2 exclusive", " window=0 group=0..3,5".
std::string epoch_text(const RankRecording& rank, const recording::Call& call,
                       const recording::Event& event) {
  if (event.received.tag == 0) return "";  // unknown
  std::string text = " window=" + std::to_string(event.received.tag - 1);
  if (event.message.peer != recording::kNoPeer) text += " owner=" + peer_text(event.message.peer);
  if (event.message.tag == static_cast<std::int32_t>(recording::Lock::shared)) text += " shared";
  if (event.message.tag == static_cast<std::int32_t>(recording::Lock::exclusive)) text += " exclusive";
  if (recording::lists_sent(call))
    text += " group=" + (event.sent_shares > 0 ? ranks_text(rank, event.sent_shares) : "-");
  return text + (event.received.bytes > 0 ? " unchecked" : "");
}

std::string event_line(const Recording& recording, const RankRecording& rank, const recording::Event& event,
                       std::span<const recording::Completion> completions) {
  const recording::Call* call = call_of(recording, event);
  const CallClass kind = call ? call->kind : CallClass::none;
  std::string line = "rank=" + std::to_string(rank.rank) + " thread=" + std::to_string(event.thread) +
                     " enter=" + std::to_string(event.enter) + " exit=" + std::to_string(event.exit) +
                     " compute=" + std::to_string(event.compute) + (event.switched ? " switched" : "") +
                     (event.estimated ? " estimated" : "") + " " + (call ? visible(call->name) : "?");
  if (event.region < rank.regions.size() && !rank.regions[event.region].empty())
    line += " region=" + visible(rank.regions[event.region]);
  if (sends(kind)) line += message_text("send", event.message);
  if (joins(kind))
    line += " root=" + peer_text(event.message.peer) + " bytes=" + std::to_string(event.message.bytes) +
            " communicator=" + std::to_string(event.communicator);
  if (kind == CallClass::one_sided)
    line += access_text("put", event.message) + access_text("get", event.received);
  if (kind == CallClass::input_output)
    line +=
        " written=" + std::to_string(event.message.bytes) + " read=" + std::to_string(event.received.bytes);
  if (is_epoch(kind)) line += epoch_text(rank, *call, event);
  if (joins(kind))
    line += partners_text("sent", rank, event.sent_shares) +
            partners_text("received", rank, event.received_shares);
  if (receives(kind)) line += message_text("receive", event.received);
  if (call && recording::asks_any_source(*call, event)) line += " any-source";
  if (call && recording::asks_any_tag(*call, event)) line += " any-tag";
  if (event.request != 0) line += " request=" + std::to_string(event.request);
  for (const recording::Completion& done : completions) {
    line += " done=" + std::to_string(done.request) +
            (done.source == recording::kNoPeer
                 ? ""
                 : "(source=" + peer_text(done.source) + " tag=" + std::to_string(done.tag) +
                       " bytes=" + std::to_string(done.bytes) + ")");
  }
  return line + " at=" + site_text(rank, event) + "\n";
}

}  // namespace

std::string without_path_text(const Recording& recording) {
  std::uint64_t events = 0;
  for (const RankRecording& rank : recording.ranks) events += rank.without_path;
  if (events == 0) return "";
  return counted(static_cast<long long>(events), "event") +
         " without a path on the stack: it could not be followed there, or changed too often to follow it "
         "each time";
}

std::string record_summary(const Recording& recording, const std::string& path,
                           const std::vector<std::string>& objections) {
  const RunTimes times = times_of(recording);
  const std::string name = visible(path), quoted = visible(shell_quoted(path));
  std::string out = "parcast: " + counted(recording.processes, "process") + ", " +
                    format_seconds(times.slowest_wall) + ", recorded in " + name + " (";
  if (const auto size = size_of(path); size > 0) out += format_bytes(static_cast<double>(size)) + ", ";
  out += format_integer(static_cast<long long>(times.events)) + " events, " +
         format_significant(100 * times.overhead, 1) + " % overhead)\n";
  out += "parcast:   " + division(recording, times);
  if (recording.ranks.size() > 1 && !has_phases_alone(recording))
    out += " (rank " + std::to_string(times.waits_most) + " waits most)";
  out += "\n";
  if (recording.oversubscribed())
    out += "parcast:   more processes than cores: the counts serve a model, the times little; record p <= " +
           std::to_string(recording.cores_per_host) + " too\n";
  if (const std::string pathless = without_path_text(recording); !pathless.empty())
    out += "parcast:   " + pathless + "\n";
  for (const Problem& problem : problems_of(recording)) out += "parcast:   ! " + visible(problem.text) + "\n";
  for (const std::string& objection : objections) out += "parcast:   ! " + visible(objection) + "\n";
  if (!objections.empty()) return out;
  if (has_phases_alone(recording))
    return out + "parcast:   next: parcast show " + quoted +
           ", or parcast explain --why with recordings of several sizes\n";
  return out + "parcast:   next: parcast model " + quoted + ", or record " + another_size(recording) + "\n";
}

std::string recording_text(const Recording& recording, const Style& style) {
  return head(recording, style) + "\n" + ranks_table(recording, recording::count(recording), style) +
         phases_table(recording, style) + phase_usage_table(recording, style) +
         calls_table(recording, style) + usage_table(recording, style) + unfollowed_text(recording, style) +
         damage_text(recording, style);
}

std::string counts_text(const Recording& recording, const Style& style) {
  const auto counts = recording::count(recording);
  double largest = 0;
  for (const RankCounts& rank : counts)
    largest = std::max({largest, rank.compute_seconds, rank.communication_seconds});
  const TimeScale scale(largest);
  const auto right = Column::Align::right;
  Table table({{"rank", right},
               {"events", right},
               {"messages", right},
               {"bytes", right},
               {"collective bytes", right},
               {"compute", right},
               {"in calls, " + scale.unit(), right}});
  for (const RankCounts& rank : counts)
    table.add({std::to_string(rank.rank), bytes_text(rank.events), bytes_text(rank.messages_sent),
               bytes_text(rank.bytes_sent), bytes_text(rank.collective_bytes),
               scale.text(rank.compute_seconds), scale.text(rank.communication_seconds)});
  return table.text(style) + calls_table(recording, style);
}

std::uint64_t write_events(const Recording& recording, const Sink& out) {
  std::string lines;
  std::uint64_t missing = 0;
  for (const RankRecording& rank : recording.ranks)
    missing +=
        recording::for_each_event(rank, recording.calls, [&](const auto& event, const auto completions) {
          lines += event_line(recording, rank, event, completions);
          if (lines.size() > kAtOnce) out(std::exchange(lines, {}));
        });
  out(lines);
  return missing;
}

}  // namespace parcast::report
