// SPDX-License-Identifier: Apache-2.0
#include "cli/record_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/umask.h"
#include "cli/default_name.h"
#include "recording/containers.h"
#include "recording/format.h"
#include "recording/recording_file.h"
#include "recording/records.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

bool is_taken(const fs::path& name) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(name, ignored));
}

Error unnamed(const fs::path& folder, const fs::path& target, const std::error_code& problem) {
  return {"the recording cannot be given its name: " + problem.message(), target.string(),
          "it lies in " + folder.string()};
}

Result<fs::path> take_given_name(const fs::path& folder, const fs::path& target) {
  std::error_code problem;
  fs::rename(folder, target, problem);
  if (problem) return unnamed(folder, target, problem);
  return target;
}

/// Returns the start time of the first rank in a folder, in nanoseconds; the largest value if there is no
/// rank.
std::uint64_t start_of(const fs::path& folder) {
  std::uint64_t first = UINT64_MAX;
  std::vector<recording::Loss> ignored;
  const auto places = recording::rank_places(folder, ignored);
  if (!places) return first;
  for (const auto& [rank, each] : places->ranks) {
    const auto bytes = recording::read_place(each.front(), ignored);
    const auto header = bytes ? recording::read_header(*bytes, "") : Result<parcast_header>(bytes.error());
    if (header) first = std::min(first, header->started);
  }
  return first;
}

/// Moves everything in a folder that is not a folder itself.
void move_files(const fs::path& from, const fs::path& into) {
  std::error_code ignored;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(from, ignored), end; !ignored && entry != end; entry.increment(ignored))
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  for (const fs::path& file : files) fs::rename(file, into / file.filename(), ignored);
}

/// Ranks of another world may be gathered first and then occupy the folder itself. Moves the world with the
/// earliest start there.
void put_first_world_first(const fs::path& folder) {
  std::string first;
  std::uint64_t start = start_of(folder);
  if (start == UINT64_MAX) return;
  for (const std::string& world : recording::worlds_in(folder))
    if (const std::uint64_t other = start_of(folder / world); other < start) first = world, start = other;
  if (first.empty()) return;
  std::error_code problem;
  const fs::path aside = folder / (recording::kWorldPrefix + std::string("aside"));
  if (!fs::create_directory(aside, problem) || problem) return;
  move_files(folder, aside);
  move_files(folder / first, folder);
  fs::remove(folder / first, problem);
}

constexpr std::size_t kRandomLetters = 6;  // mkdtemp replaces XXXXXX by these

/// Returns whether the name is like ".heat.recording.a1B2c3", or like `own` except for the last letters.
bool is_working_name(const std::string& name, const std::string& own) {
  if (name.size() <= kRandomLetters || name.front() != '.') return false;
  const std::string_view stem = std::string_view(name).substr(0, name.size() - kRandomLetters);
  return stem.ends_with(".recording.") ||
         (own.size() > kRandomLetters &&
          stem == std::string_view(own).substr(0, own.size() - kRandomLetters));
}

int open_folder(const fs::path& folder) {
  return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// The descriptor stays open, and so the lock is held, until this process ends for any reason.
void lock_until_exit(const fs::path& folder) {
  if (const int descriptor = open_folder(folder); descriptor >= 0) ::flock(descriptor, LOCK_SH | LOCK_NB);
}

bool is_abandoned(const fs::path& folder) {
  const int descriptor = open_folder(folder);
  if (descriptor < 0) return false;
  const bool free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return free;
}

}  // namespace

Result<fs::path> working_folder(const RecordRequest& request) {
  if (is_taken(request.output))
    return Error{"it exists already", request.output.string(), "choose another name with -o, or remove it"};
  const std::string later = request.output.empty() ? default_name(request.program, ".recording")
                                                   : request.output.filename().string();
  const fs::path parent =
      fs::absolute(request.output.empty() ? fs::path(later) : request.output).parent_path();
  std::string name = (parent / ("." + later + ".XXXXXX")).string();
  if (!::mkdtemp(name.data()))
    return Error{std::string("no folder can be made here: ") + std::strerror(errno), parent.string(),
                 "write elsewhere with -o"};
  fs::permissions(name, folder_permissions());
  lock_until_exit(name);
  return fs::path(name);
}

std::vector<fs::path> abandoned_folders(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code problem;
  for (fs::directory_iterator at(folder.parent_path(), problem), end; !problem && at != end;
       at.increment(problem)) {
    const std::string name = at->path().filename().string();
    if (is_working_name(name, folder.filename().string()) && at->path() != folder && is_abandoned(at->path()))
      out.push_back(at->path());
  }
  std::ranges::sort(out);
  return out;
}

Result<fs::path> take_free_name(const fs::path& folder, const fs::path& parent, const std::string& program) {
  for (int i = 1;; ++i) {
    const fs::path name = parent / default_name(program, "-" + std::to_string(i) + ".recording");
    if (is_taken(name)) continue;
    std::error_code problem;
    fs::rename(folder, name, problem);
    if (!problem) return name;
    const bool another_took_it =
        problem == std::errc::directory_not_empty || problem == std::errc::file_exists || is_taken(name);
    if (!another_took_it) return unnamed(folder, name, problem);
  }
}

Result<fs::path> take_name(const fs::path& folder, const RecordRequest& request) {
  return request.output.empty() ? take_free_name(folder, "", request.program)
                                : take_given_name(folder, request.output);
}

void number_worlds(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / PARCAST_WORLD_LINK, ignored);
  put_first_world_first(folder);
  std::vector<std::pair<std::string, std::string>> by_start;
  for (const std::string& world : recording::worlds_in(folder)) {
    const auto read = recording::read_recording(folder / world);
    by_start.emplace_back(read ? read->started : "", world);
  }
  std::stable_sort(by_start.begin(), by_start.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  // first to names that no world has, to avoid clashes
  for (const bool final : {false, true})
    for (std::size_t i = 0; i < by_start.size(); ++i) {
      const std::string name =
          recording::kWorldPrefix + std::string(final ? "" : "of-") + std::to_string(i + 1);
      fs::rename(folder / by_start[i].second, folder / name, ignored);
      if (!ignored) by_start[i].second = name;
    }
}

std::error_code room_for_a_rank(const fs::path& folder) {
  std::string name = (folder / "room.XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return {errno, std::generic_category()};
  // else the kernel would end this process at the file size limit
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  const int failure = ::posix_fallocate(descriptor, 0, PARCAST_HEADER_SIZE + PARCAST_BLOCK_SIZE);
  std::signal(SIGXFSZ, before);
  ::close(descriptor);
  ::unlink(name.c_str());
  return {failure, std::generic_category()};
}

}  // namespace parcast::cli
