// SPDX-License-Identifier: Apache-2.0
#include "calibrate/partial.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/files.h"
#include "base/text.h"

namespace parcast::calibrate {
namespace {

namespace fs = std::filesystem;

constexpr const char *kBasis = "basis", *kLock = "lock", *kLaunch = "launch-";

std::string to_text(const Basis& basis) {
  std::string out;
  for (const auto& [key, text] : basis) out += key + " " + text + "\n";
  return out;
}

Basis basis_from(const std::string& text) {
  Basis out;
  for (const std::string& line : split(text, '\n'))
    if (const auto blank = line.find(' '); blank != std::string::npos)
      out[line.substr(0, blank)] = line.substr(blank + 1);
  return out;
}

/// Returns the differences in words.
std::vector<std::string> differences(const Basis& then, const Basis& now) {
  const auto of = [](const Basis& basis, const std::string& key) {
    const auto at = basis.find(key);
    return at == basis.end() ? std::string("unknown") : at->second;
  };
  Basis all = then;
  all.insert(now.begin(), now.end());
  std::vector<std::string> out;
  for (const auto& [key, text] : all)
    if (of(then, key) != of(now, key)) {
      std::string name = key;
      std::replace(name.begin(), name.end(), '_', ' ');
      out.push_back("the " + name + " (" + of(then, key) + ", and now " + of(now, key) + ")");
    }
  return out;
}

/// Returns whether the open file is still the one at this path.
bool is_in_place(int open, const fs::path& path) {
  struct stat of_open, of_name;
  if (::fstat(open, &of_open) != 0) return true;
  return ::stat(path.c_str(), &of_name) == 0 && of_open.st_dev == of_name.st_dev &&
         of_open.st_ino == of_name.st_ino;
}

}  // namespace

Result<Partial> Partial::open(const fs::path& folder, const Basis& basis, bool fresh) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    return Error{"the folder for what is measured cannot be made: " + problem.message(), folder.string(),
                 "write the machine where you may: -o PATH.machine.toml"};
  Partial out(folder);
  PARCAST_TRY(out.lock());
  const auto before = read_file(folder / kBasis);
  if (before && !fresh && out.any()) out.misfits_ = differences(basis_from(*before), basis);
  if (!before || fresh || basis_from(*before) != basis) {
    out.clear();
    PARCAST_TRY(write_file(folder / kBasis, to_text(basis)));
  }
  return out;
}

Result<Partial> Partial::temporary(const fs::path& base) {
  for (const fs::path& each : {base.empty() ? fs::current_path() : base, fs::temp_directory_path()}) {
    std::string path = (each / ".parcast-calibrate-XXXXXX").string();
    if (!::mkdtemp(path.data())) continue;
    Partial out(path);
    out.temporary_ = true;
    return out;
  }
  return Error{"no folder for the results can be made", base.string(), "run it where you may write"};
}

Partial::Partial(Partial&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      misfits_(std::move(other.misfits_)),
      lock_(std::exchange(other.lock_, -1)),
      temporary_(std::exchange(other.temporary_, false)) {}

Partial::~Partial() {
  if (temporary_) remove();
  if (lock_ >= 0) ::close(lock_);
}

/// Takes the lock. Started launches inherit the open file, so that a launch that outlives a killed
/// calibration holds the lock until it ends.
Result<void> Partial::lock() {
  const fs::path path = folder_ / kLock;
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  if (lock_ < 0)
    return Error{"this file cannot be written: " + std::string(std::strerror(errno)), path.string(),
                 "write the machine where you may: -o PATH.machine.toml"};
  constexpr int kTries = 50;  // tenths of a second: launches of a killed calibration may still be ending
  for (int i = 0; i < kTries; ++i) {
    // Where files cannot be locked, the calibration runs without a lock.
    if (::flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
      return is_in_place(lock_, path) ? Result<void>{} : lock_again();
    ::usleep(100'000);
  }
  return Error{"another calibration, or a launch that one left running, still works here", folder_.string(),
               "wait until it has ended, or write to another file with -o"};
}

/// Takes the lock again after its previous owner removed it with the folder.
Result<void> Partial::lock_again() {
  ::close(std::exchange(lock_, -1));
  std::error_code problem;
  fs::create_directories(folder_, problem);
  return lock();
}

fs::path Partial::result(int processes, int pass) const {
  return folder_ / (kLaunch + std::to_string(processes) + "-" + std::to_string(pass));
}

std::optional<Measurements> Partial::finished(int processes, int pass) const {
  const fs::path path = result(processes, pass);
  const auto content = read_file(path);
  if (!content) return std::nullopt;
  auto measured = measurements_from(*content, path.string());
  return measured && measured->processes == processes && is_final(*measured)
             ? std::optional(std::move(*measured))
             : std::nullopt;
}

bool Partial::any() const {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder_, problem))
    if (entry.path().filename().string().starts_with(kLaunch) && entry.path().extension().empty())
      return true;
  return false;
}

/// Removes the files that calibrations write, and no others.
void Partial::clear() const {
  std::error_code problem;
  std::vector<fs::path> ours;
  for (const auto& entry : fs::directory_iterator(folder_, problem)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kBasis) || name == "log" || name.starts_with(kLaunch)) ours.push_back(entry.path());
  }
  for (const fs::path& path : ours) fs::remove(path, problem);
}

void Partial::remove() {
  if (folder_.empty()) return;
  clear();
  std::error_code problem;
  fs::remove(folder_ / kLock, problem);
  fs::remove(folder_, problem);
}

}  // namespace parcast::calibrate
