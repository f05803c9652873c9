// SPDX-License-Identifier: Apache-2.0
#include "study/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

namespace parcast::study {
namespace {

namespace fs = std::filesystem;

constexpr const char *kLock = "lock", *kDescription = "study.toml";
constexpr std::array kSubfolders{"runs", "failed", "logs", "inputs"};
constexpr const char *kTasks = "tasks", *kJobs = "jobs.txt";
// further results of a study
constexpr std::array<std::string_view, 8> kEndings{"journal.json", ".machine.toml",   ".machine.toml.partial",
                                                   ".model.json",  "prediction.json", "answer.json",
                                                   "graph.csv",    "graph.svg"};

Error not_made(const fs::path& path, const std::error_code& problem) {
  return {"the folder of the study cannot be made: " + problem.message(), path.string(),
          problem == std::errc::no_space_on_device ? "free some space, or take another folder with -o"
                                                   : "take another folder with -o"};
}

bool holds_nothing(const fs::path& path) {
  std::error_code problem;
  return fs::is_empty(path, problem) && !problem;
}

/// Returns whether the name ends like "journal.json.a1B2c3", which write_file leaves when it is killed.
bool ends_at_random(const std::string& name) {
  constexpr std::size_t kRandom = 6;
  if (name.size() <= kRandom + 1 || name[name.size() - kRandom - 1] != '.') return false;
  return std::ranges::all_of(std::string_view(name).substr(name.size() - kRandom), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

/// Returns whether it is such a file among the results of a study.
bool is_half_written(const std::string& name) {
  const std::string_view stem = std::string_view(name).substr(0, name.rfind('.'));
  return ends_at_random(name) &&
         std::ranges::any_of(std::array<std::string_view, 4>{".json", ".toml", ".csv", ".svg"},
                             [&](std::string_view ending) { return stem.ends_with(ending); });
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code problem;
  std::vector<fs::path> out;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    out.push_back(at->path());
  return out;
}

}  // namespace

bool is_study(const fs::path& path) {
  std::error_code problem;
  return fs::is_directory(path, problem) && fs::is_regular_file(path / kDescription, problem);
}

Result<Folder> Folder::open(const fs::path& path) {
  std::error_code problem;
  if (fs::exists(path, problem) && !fs::exists(path / kLock, problem) && !is_study(path) &&
      !(fs::is_directory(path, problem) && holds_nothing(path)))
    return Error{"it exists and is no study", path.string(),
                 "take another name with -o, for example -o app.study"};
  fs::create_directories(path, problem);
  if (problem) return not_made(path, problem);
  Folder out(path);
  PARCAST_TRY(out.lock());
  PARCAST_TRY(out.make_subfolders());
  out.clean();
  return out;
}

Folder::~Folder() {
  if (lock_ >= 0) ::close(lock_);
}

/// Takes the lock. Runs inherit the open file: one that outlives a killed study for a moment holds the lock
/// until it ends.
Result<void> Folder::lock() {
  const fs::path path = path_ / kLock;
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT, 0666);
  if (lock_ < 0)
    return Error{std::string("this file cannot be written: ") + std::strerror(errno), path.string(),
                 "take another folder with -o"};
  constexpr int kTries = 200;  // twentieths of a second
  for (int i = 0; i < kTries; ++i) {
    if (::flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
      return {};  // where files cannot be locked there is no lock
    ::usleep(50'000);
  }
  return Error{"another parcast study, or a run that one left, still works here", path_.string(),
               "wait until it has ended, or take another folder with -o"};
}

Result<void> Folder::make_subfolders() const {
  std::error_code problem;
  for (const char* each : kSubfolders) {
    fs::create_directories(path_ / each, problem);
    if (problem) return not_made(path_ / each, problem);
  }
  return {};
}

/// Removes files that are half written, and the folders of runs that were killed: their names begin with a
/// dot.
void Folder::clean() const {
  std::error_code ignored;
  for (const fs::path& each : entries_of(path_))
    if (is_half_written(each.filename().string())) fs::remove(each, ignored);
  const bool is_recorded_elsewhere = has_jobs();
  for (const fs::path& each : entries_of(path_ / "runs"))
    if (!is_recorded_elsewhere && each.filename().string().starts_with('.')) fs::remove_all(each, ignored);
  for (const fs::path& each : entries_of(path_ / "inputs"))
    if (ends_at_random(each.filename().string())) fs::remove(each, ignored);
}

bool Folder::has_jobs() const {
  std::error_code problem;
  return fs::file_size(path_ / kTasks / kJobs, problem) > 0 && !problem;
}

Result<void> Folder::reset() const {
  if (has_jobs())
    return Error{"jobs of this study may still run", (path_ / kTasks / kJobs).string(),
                 "end them with scancel and remove that file, or wait for them without --fresh"};
  std::error_code problem;
  for (const fs::path& each : entries_of(path_)) {
    const std::string name = each.filename().string();
    const bool is_ours =
        name == kTasks || std::ranges::find(kSubfolders, std::string_view(name)) != kSubfolders.end() ||
        std::ranges::any_of(kEndings, [&](std::string_view ending) { return name.ends_with(ending); });
    if (!is_ours) continue;
    fs::remove_all(each, problem);
    if (problem) return Error{"it cannot be removed: " + problem.message(), each.string(), ""};
  }
  return make_subfolders();
}

}  // namespace parcast::study
