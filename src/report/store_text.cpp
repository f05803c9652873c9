// SPDX-License-Identifier: Apache-2.0
#include "report/store_text.h"

#include <algorithm>
#include <set>

#include "base/plain_number.h"
#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using store::Entry;

bool has_seconds(const Entry& entry) {
  return entry.kind == store::Kind::recording || entry.kind == store::Kind::prediction ||
         entry.kind == store::Kind::measurement;
}

std::string what_of(const Entry& entry) {
  std::vector<std::string> parts{
      visible(entry.kind == store::Kind::machine || entry.kind == store::Kind::calibration ? entry.machine
                                                                                           : entry.program)};
  if (entry.processes > 0) parts.push_back("p = " + std::to_string(entry.processes));
  parts.push_back(parameters_text(entry.parameters));
  if (entry.kind == store::Kind::prediction ||
      (entry.kind == store::Kind::measurement && !entry.machine.empty()))
    parts.push_back("on " + visible(entry.machine));
  std::erase(parts, "");  // the program of a measurement is optional
  return join(parts, ", ");
}

/// Returns e.g. 2026-11-21 08:35:47.
std::string short_time(const std::string& stamp) {
  std::string out = stamp.substr(0, 19);
  if (out.size() > 10) out[10] = ' ';
  return out;
}

}  // namespace

std::string store_list_text(const std::vector<Entry>& entries, const Style& style) {
  if (entries.empty()) return "nothing is stored\n";
  const bool tagged =
      std::any_of(entries.begin(), entries.end(), [](const Entry& entry) { return !entry.tags.empty(); });
  std::vector<Column> columns{{"id"},
                              {"kind"},
                              {"stored (UTC)"},
                              {"time", Column::Align::right},
                              {"what", Column::Align::left, Column::Shrink::cut_end}};
  if (tagged) columns.push_back({"tags", Column::Align::left, Column::Shrink::cut_end});
  columns.push_back({"file", Column::Align::left, Column::Shrink::cut_front});
  Table table(columns, 0);
  for (const Entry& entry : entries) {
    std::vector<std::string> cells{store::id_of(entry), std::string(to_string(entry.kind)),
                                   short_time(entry.stored_at),
                                   has_seconds(entry) ? duration(entry.seconds) : "", what_of(entry)};
    if (tagged) cells.push_back(join(entry.tags, " "));
    cells.push_back(entry.path);
    table.add(std::move(cells));
  }
  return table.text(style);
}

std::string store_runs_text(const std::vector<Entry>& entries, const Style& style) {
  if (entries.empty()) return "no run is stored that answers this\n";
  std::set<std::string> parameters;
  for (const Entry& entry : entries)
    for (const auto& [name, value] : entry.parameters) parameters.insert(name);
  std::vector<Column> columns{{"id"}, {"program"}, {"p", Column::Align::right}};
  for (const std::string& name : parameters) columns.push_back({name, Column::Align::right});
  for (const Column& column : {Column{"seconds", Column::Align::right}, Column{"begun (UTC)"},
                               Column{"machine", Column::Align::left, Column::Shrink::cut_end},
                               Column{"tags", Column::Align::left, Column::Shrink::cut_end}})
    columns.push_back(column);
  Table table(columns, 0);
  for (const Entry& entry : entries) {
    std::vector<std::string> cells{store::id_of(entry), entry.program, std::to_string(entry.processes)};
    for (const std::string& name : parameters) {
      const auto at = entry.parameters.find(name);
      cells.push_back(at == entry.parameters.end() ? "" : format_plain(at->second));
    }
    for (const std::string& cell : {format_significant(entry.seconds, 4), short_time(entry.began_at),
                                    entry.machine, join(entry.tags, " ")})
      cells.push_back(cell);
    table.add(std::move(cells));
  }
  return table.text(style);
}

std::string store_entry_text(const Entry& entry, const Style& style) {
  std::string out = bold(style, std::string(to_string(entry.kind)) + " " + store::id_of(entry)) + "  " +
                    what_of(entry) + "\n\n";
  const auto line = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) out += "  " + padded(name, 10) + visible(value) + "\n";
  };
  line("digest", entry.digest);
  line("stored", entry.stored_at + " by version " + entry.tool_version);
  line(entry.kind == store::Kind::measurement ? "measured" : "started", entry.began);
  line("file", entry.path);
  if (entry.kind == store::Kind::recording) line("machine", entry.machine);
  if (has_seconds(entry)) line("seconds", format_exact(entry.seconds));
  if (entry.kind == store::Kind::prediction) {
    line("interval", format_exact(entry.low) + " .. " + format_exact(entry.high) + " (" +
                         format_significant(100 * entry.level, 3) + " %)");
    line("engine", entry.engine);
    line("placed", counted(entry.nodes, "node") + " of " + counted(entry.ranks_per_node, "process") + ", " +
                       counted(entry.threads, "thread"));
    line("model", entry.model_digest);
    line("machine", entry.machine_digest);
  }
  if (entry.kind == store::Kind::calibration) line("machine", entry.machine_digest);
  for (const std::string& source : entry.sources) line("from", source);
  line("tags", join(entry.tags, " "));
  if (entry.content.empty()) return out;
  return out + "\n" + entry.content + (entry.content.ends_with("\n") ? "" : "\n");
}

std::string entries_counted(std::size_t count) {
  return format_integer(static_cast<long long>(count)) + (count == 1 ? " entry" : " entries");
}

std::string tags_text(const std::map<std::string, std::int64_t>& tags, const Style& style) {
  if (tags.empty()) return "no tags\n";
  Table table({{"tag"}, {"entries", Column::Align::right}}, 0);
  for (const auto& [tag, count] : tags) table.add({tag, format_integer(count)});
  return table.text(style);
}

std::string taken_text(const store::Taken& taken, const std::string& from, const std::string& into) {
  return entries_counted(taken.entries) + " of " + from + ", " +
         format_integer(static_cast<long long>(taken.fresh)) + " of them new to " + into + "\n";
}

std::string added_text(const AddedRecording& added) {
  return added.digest.substr(0, 12) + "  " + (added.fresh ? "kept   " : "known  ") + visible(added.path) +
         "\n";
}

std::string added_summary(const AddedRecordings& added) {
  std::int64_t known = 0;
  for (const AddedRecording& each : added.kept) known += each.fresh ? 0 : 1;
  std::string out = counted(static_cast<std::int64_t>(added.kept.size()), "recording") + " kept";
  if (known > 0) out += ", " + format_integer(known) + " of them known before";
  if (!added.refused.empty())
    out += ", " + format_integer(static_cast<long long>(added.refused.size())) + " not";
  return out;
}

std::string checked_text(const StoreChecked& checked, const std::string& store, const Style& style) {
  std::vector<std::string> parts;
  for (const auto& [kind, count] : checked.entries) parts.push_back(counted(count, kind));
  std::string out =
      wrapped(style,
              visible(store) + " is intact: " + (parts.empty() ? "nothing is stored" : join(parts, ", ")),
              2) +
      "\n";
  for (const std::string& path : checked.missing_files)
    out += "  ! " + visible(path) + " is no longer there\n";
  return out;
}

}  // namespace parcast::report
