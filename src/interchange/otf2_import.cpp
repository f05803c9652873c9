// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/child.h"
#include "base/text.h"
#include "interchange/otf2.h"
#include "interchange/otf2_read_archive.h"
#include "interchange/unfinished_folder.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;

/// Returns the anchor file of an archive.
Result<fs::path> anchor_of(const fs::path& archive) {
  std::error_code problem;
  if (fs::is_regular_file(archive, problem)) return archive;
  if (!fs::is_directory(archive, problem))
    return Error{"there is no archive " + archive.string(), "",
                 "give traces.otf2, or the folder that holds it"};
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(archive, problem), end; !problem && entry != end;
       entry.increment(problem))
    if (entry->path().extension() == ".otf2" && entry->is_regular_file(problem))
      found.push_back(entry->path());
  if (found.size() == 1) return found.front();
  if (found.empty())
    return Error{"there is no .otf2 file in this folder", archive.string(),
                 "give the folder of an OTF2 archive"};
  return Error{"there are " + std::to_string(found.size()) + " .otf2 files in this folder", archive.string(),
               "name one of them"};
}

std::uint64_t size_of(const fs::path& anchor) {
  std::uint64_t size = 0;
  std::error_code problem;
  const fs::path folder = anchor.parent_path().empty() ? fs::path(".") : anchor.parent_path();
  for (fs::recursive_directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem))
    if (std::error_code ignored; entry->is_regular_file(ignored)) size += entry->file_size(ignored);
  return size;
}

/// Receives the messages of the child.
struct HeardImport {
  Imported result;
  std::optional<Error> error;
  bool done = false;
  const Progress& progress;

  void operator()(const std::vector<std::string>& words) {
    const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : std::string(); };
    const auto number = [&](std::size_t i) {
      return static_cast<std::uint64_t>(parse_integer(word(i)).value_or(0));
    };
    if (word(0) == "progress" && progress) progress(parse_double(word(1)).value_or(0), word(2));
    if (word(0) == "error") error = Error{word(1), word(2), word(3)};
    if (word(0) == "warning") result.warnings.push_back(word(1));
    if (word(0) == "damage") result.damage.push_back(word(1));
    if (word(0) == "left out") result.left_out[word(1)] = number(2);
    if (word(0) != "done") return;
    done = true;
    result.processes = static_cast<std::int32_t>(number(1));
    result.locations = number(2);
    result.records = number(3);
    result.events = number(4);
  }
};

}  // namespace

Result<Imported> import_otf2(const fs::path& archive, const fs::path& to, const Progress& progress,
                             const ImportLimits& limits) {
  PARCAST_ASSIGN(const fs::path anchor, anchor_of(archive));
  PARCAST_ASSIGN(UnfinishedFolder folder, UnfinishedFolder::beside(to));
  constexpr std::uint64_t kAlways = 512u << 20, kPerByte = 16;
  const std::uint64_t size = size_of(anchor);
  ChildLimits child;
  child.memory = limits.memory ? limits.memory : kAlways + kPerByte * size;
  child.patience = limits.patience;
  HeardImport heard{{}, std::nullopt, false, progress};
  const auto ended = run_in_child(
      "reading the archive", child,
      [&](const ChildVoice& voice) { read_archive(anchor, folder.path(), size, voice); },
      [&](const std::vector<std::string>& words) { heard(words); });
  if (heard.error) return *heard.error;
  if (!ended)
    return Error{ended.error().what, anchor.string(),
                 "the archive is damaged, or the library that reads it has a fault; nothing was kept"};
  if (!heard.done)
    return Error{"reading the archive ended before its time", anchor.string(), "nothing was kept"};
  PARCAST_TRY(folder.finish());
  return heard.result;
}

}  // namespace parcast::interchange
