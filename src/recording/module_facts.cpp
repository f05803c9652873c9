// SPDX-License-Identifier: Apache-2.0
#include "recording/module_facts.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/files.h"
#include "recording/counted.h"
#include "recording/debug_file.h"

namespace parcast::recording {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "parcast-facts 1 ";

/// Takes a number and the character `end` that follows it.
std::optional<std::uint64_t> take_number(std::string_view& text, int base, char end) {
  std::uint64_t number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (problem != std::errc() || stop == text.data() + text.size() || *stop != end) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  return number;
}

std::set<std::uint64_t> counted_modules(const Recording& recording) {
  std::set<std::uint64_t> ids;
  for (const RankRecording& rank : recording.ranks)
    for (const CountedModule& module : rank.counted.modules) ids.insert(module.id);
  return ids;
}

}  // namespace

std::map<std::uint64_t, std::string> facts_in(std::string_view section) {
  std::map<std::uint64_t, std::string> records;
  for (;;) {
    section.remove_prefix(std::min(section.find_first_not_of('\0'), section.size()));
    const std::string_view whole = section;
    if (!section.starts_with(kBegin)) return records;
    section.remove_prefix(kBegin.size());
    const auto id = take_number(section, 16, ' ');
    const auto length = id ? take_number(section, 10, '\n') : std::nullopt;
    if (!length || *length >= section.size() || section[*length] != '\n') return records;
    section.remove_prefix(*length + 1);
    records.try_emplace(*id, whole.substr(0, whole.size() - section.size()));
  }
}

FactsFound find_facts(const Recording& recording) {
  std::set<std::uint64_t> absent = counted_modules(recording);
  std::set<std::pair<std::string, std::string>> seen;
  std::map<std::uint64_t, std::string> records;
  for (const RankRecording& rank : recording.ranks) {
    if (!rank.counted.kept) continue;
    for (const Module& module : rank.modules) {
      if (!seen.insert({module.path, module.build_id}).second) continue;
      const DebugFile file(module.path);
      if (file.good() && file.build_id() == module.build_id)
        records.merge(facts_in(file.section(PARCAST_FACTS_SECTION)));
    }
  }
  FactsFound found;
  for (const auto& [id, text] : records) {
    found.text += text;
    absent.erase(id);
  }
  found.absent.assign(absent.begin(), absent.end());
  return found;
}

Result<std::vector<std::uint64_t>> store_facts(const fs::path& folder, const Recording& recording) {
  std::set<std::uint64_t> absent;
  for (const std::string& name : recording.worlds) {
    const auto world = read_recording(folder / name);
    if (!world) continue;
    PARCAST_ASSIGN(const auto of_world, store_facts(folder / name, *world));
    absent.insert(of_world.begin(), of_world.end());
  }
  if (!counted_modules(recording).empty()) {
    const FactsFound found = find_facts(recording);
    absent.insert(found.absent.begin(), found.absent.end());
    if (!found.text.empty()) PARCAST_TRY(write_file(folder / "facts", found.text));
  }
  return std::vector<std::uint64_t>(absent.begin(), absent.end());
}

}  // namespace parcast::recording
