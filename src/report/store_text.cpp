// SPDX-License-Identifier: Apache-2.0
#include "report/store_text.h"

#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using store::Entry;
using store::Kind;

bool has_seconds(const Entry& entry) {
  return entry.kind == Kind::recording || entry.kind == Kind::prediction || entry.kind == Kind::measurement;
}

std::string what_of(const Entry& entry) {
  std::vector<std::string> parts{visible(entry.kind == Kind::machine ? entry.machine : entry.program)};
  if (entry.processes > 0) parts.push_back("p = " + std::to_string(entry.processes));
  parts.push_back(parameters_text(entry.parameters));
  if (entry.kind == Kind::prediction || (entry.kind == Kind::measurement && !entry.machine.empty()))
    parts.push_back("on " + visible(entry.machine));
  std::erase(parts, "");  // a measurement need not name its program
  return join(parts, ", ");
}

/// 2026-11-21 08:35:47
std::string short_time(const std::string& stamp) {
  std::string out = stamp.substr(0, 19);
  if (out.size() > 10) out[10] = ' ';
  return out;
}

}  // namespace

std::string store_list_text(const std::vector<Entry>& entries, const Style& style) {
  if (entries.empty()) return "nothing is stored\n";
  Table table({{"id"},
               {"kind"},
               {"stored (UTC)"},
               {"time", Column::Align::right},
               {"what", Column::Align::left, Column::Shrink::cut_end},
               {"file", Column::Align::left, Column::Shrink::cut_front}},
              0);
  for (const Entry& entry : entries)
    table.add({store::id_of(entry), std::string(to_string(entry.kind)), short_time(entry.stored_at),
               has_seconds(entry) ? duration(entry.seconds) : "", what_of(entry), entry.path});
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
  line(entry.kind == Kind::measurement ? "measured" : "started", entry.began);
  line("file", entry.path);
  if (entry.kind == Kind::recording) line("machine", entry.machine);
  if (has_seconds(entry)) line("seconds", format_exact(entry.seconds));
  if (entry.kind == Kind::prediction) {
    line("interval", format_exact(entry.low) + " .. " + format_exact(entry.high) + " (" +
                         format_significant(100 * entry.level, 3) + " %)");
    line("engine", entry.engine);
    line("placed", counted(entry.nodes, "node") + " of " + counted(entry.ranks_per_node, "process") + ", " +
                       counted(entry.threads, "thread"));
    line("model", entry.model_digest);
    line("machine", entry.machine_digest);
  }
  for (const std::string& source : entry.sources) line("from", source);
  if (entry.content.empty()) return out;
  return out + "\n" + entry.content + (entry.content.ends_with("\n") ? "" : "\n");
}

}  // namespace parcast::report
