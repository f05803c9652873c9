// SPDX-License-Identifier: Apache-2.0
#include "cli/interchange_answer.h"

#include "base/text.h"
#include "cli/opening_command.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

std::string number(std::uint64_t value) {
  return format_integer(static_cast<long long>(value));
}

/// Returns e.g. "12 MetricRecord, 3 ThreadFork", the most frequent first.
std::string listed(const std::map<std::string, std::uint64_t>& kinds) {
  std::string text;
  std::multimap<std::uint64_t, std::string, std::greater<>> by_number;
  for (const auto& [kind, times] : kinds) by_number.emplace(times, kind);
  for (const auto& [times, kind] : by_number) text += (text.empty() ? "" : ", ") + number(times) + " " + kind;
  return text;
}

}  // namespace

std::string export_text(const interchange::Exported& done, const std::string& path) {
  std::uint64_t records = 0;
  for (const auto& [kind, times] : done.records) records += times;
  return path + ": " + report::counted(done.processes, "process") + ", " +
         report::counted(static_cast<std::int64_t>(done.locations), "thread") + ", " + number(done.events) +
         " events as " + number(records) + " records\n" + opening_line("otf2", path);
}

std::string trace_export_text(const TraceExported& done, const std::string& path) {
  return path + ": " + report::counted(done.processes, "rank") + ", " + number(done.operations) +
         " operations\n" + opening_line(done.format, path, done.processes);
}

std::string import_text(const interchange::Imported& done, const std::string& path) {
  std::string text = path + ": " + report::counted(done.processes, "process") + ", " +
                     report::counted(static_cast<std::int64_t>(done.locations), "thread") + ", " +
                     number(done.records) + " records as " + number(done.events) + " events\n";
  if (!done.left_out.empty()) text += "  left out: " + listed(done.left_out) + "\n";
  return text;
}

}  // namespace parcast::cli
