// SPDX-License-Identifier: Apache-2.0
#include "web/library.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "study/folder.h"

namespace parcast::web {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 2;                // levels below the folder
constexpr std::size_t kMostSeen = 50'000;  // files and folders

struct Ending {
  std::string_view text;
  Kind kind;
};
constexpr std::array kEndings{Ending{".model.json", Kind::model}, Ending{".program", Kind::model},
                              Ending{".machine.toml", Kind::machine},
                              Ending{".study.toml", Kind::description},
                              Ending{".recording", Kind::recording}};

std::int64_t changed_at(const fs::directory_entry& entry) {
  std::error_code problem;
  const auto time = entry.last_write_time(problem);
  if (problem) return 0;
  const auto seconds = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(seconds).count();
}

std::optional<Kind> kind_of(const std::string& name) {
  for (const Ending& each : kEndings)
    if (name.ends_with(each.text) && name.size() > each.text.size()) return each.kind;
  return std::nullopt;
}

/// Returns the first file of a folder with this ending, by name.
std::string first_with(const fs::path& folder, std::string_view ending) {
  std::error_code problem;
  std::string found;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    const std::string name = at->path().filename();
    if (name.ends_with(ending) && (found.empty() || name < found)) found = name;
  }
  return found;
}

class Walk {
 public:
  explicit Walk(const fs::path& root) : root_(root) {}

  void into(const fs::path& folder, int level) {
    std::error_code problem;
    for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
      if (++seen_ > kMostSeen) return;
      const std::string name = at->path().filename();
      if (!name.starts_with('.')) take(*at, name, level);
    }
  }
  std::vector<Entry> entries;

 private:
  void take(const fs::directory_entry& entry, const std::string& name, int level) {
    std::error_code problem;
    const bool is_folder = entry.is_directory(problem) && !entry.is_symlink(problem);
    const auto kind = kind_of(name);
    if (kind && (*kind == Kind::recording || entry.is_regular_file(problem))) return add(entry, *kind);
    if (!is_folder) return;
    if (study::is_study(entry.path())) add(entry, Kind::study);
    if (level < kDeepest) into(entry.path(), level + 1);
  }

  void add(const fs::directory_entry& entry, Kind kind) {
    Entry out{kind, entry.path().lexically_relative(root_), changed_at(entry)};
    if (kind == Kind::study) {
      if (const auto model = first_with(entry.path(), ".model.json"); !model.empty())
        out.model = out.path + "/" + model;
      if (const auto machine = first_with(entry.path(), ".machine.toml"); !machine.empty())
        out.machine = out.path + "/" + machine;
    }
    entries.push_back(std::move(out));
  }

  fs::path root_;
  std::size_t seen_ = 0;
};

}  // namespace

std::string_view to_string(Kind kind) {
  constexpr std::array<std::string_view, 5> kNames{"model", "machine", "recording", "study", "description"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Entry> entries_in(const fs::path& folder) {
  Walk walk(folder);
  walk.into(folder, 0);
  std::ranges::sort(walk.entries, {}, &Entry::path);
  return std::move(walk.entries);
}

}  // namespace parcast::web
