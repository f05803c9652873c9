// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibrate.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <set>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "calibrate/launch.h"

namespace parcast::calibrate {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kFirstOverhead =
    0.6;                            // seconds from launch to measurement, before the first launch has told
constexpr double kShortest = 0.25;  // seconds of measurement that a launch gets at least

/// A folder of its own that is gone with its owner.
class Workplace {
 public:
  static Result<Workplace> make(const fs::path& wanted) {
    for (const fs::path& base : {wanted.empty() ? fs::current_path() : wanted, fs::temp_directory_path()}) {
      std::string path = (base / ".parcast-calibrate-XXXXXX").string();
      if (::mkdtemp(path.data())) return Workplace(path);
    }
    return Error{"no folder for the results can be made", wanted.string(), "run it where you may write"};
  }
  Workplace(Workplace&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Workplace& operator=(Workplace&&) = delete;
  ~Workplace() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit Workplace(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

std::string utc_now() {
  const std::time_t t = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&t, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// The links that some launch has measured already.
std::set<std::string> links_of(const std::vector<Measurements>& launches) {
  std::set<std::string> out;
  for (const Measurements& launch : launches)
    for (const TablePoint& point : launch.points)
      if (point.table.starts_with("message-")) out.insert(point.table.substr(8));
  return out;
}

class Driver {
 public:
  Driver(const Options& options, fs::path program, fs::path folder)
      : options_(options), program_(std::move(program)), folder_(std::move(folder)), start_(Clock::now()) {}

  Result<std::vector<Measurements>> run(std::vector<int> counts) {
    // One process first, then two, then from the most to the fewest: what a launch takes is known from a dear
    // one early.
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    const auto few = std::find_if(counts.begin(), counts.end(), [](int p) { return p > 2; });
    std::reverse(few, counts.end());
    std::vector<Measurements> out;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      auto result = one(counts[i], share(counts, i), out);
      if (result) {
        out.push_back(std::move(*result));
      } else if (counts[i] <= 2 || out.empty()) {
        return result.error();
      } else {
        failures_.push_back(std::to_string(counts[i]) +
                            " processes could not be measured: " + result.error().what);
      }
    }
    if (!out.empty()) out.front().notes.insert(out.front().notes.end(), failures_.begin(), failures_.end());
    return out;
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// The seconds of launch i: the first with two or more processes measures the links too.
  double share(const std::vector<int>& counts, std::size_t i) const {
    const auto weight = [&](std::size_t k) {
      if (counts[k] == 1) return 1.2;
      return k == 0 || counts[k - 1] == 1 ? 2.0 : 1.0;
    };
    double rest = 0;
    for (std::size_t k = i; k < counts.size(); ++k) rest += weight(k);
    const double left =
        options_.budget_seconds - elapsed() - overhead_ * static_cast<double>(counts.size() - i);
    return std::max(kShortest, left * weight(i) / rest);
  }

  Result<Measurements> one(int processes, double seconds, const std::vector<Measurements>& before) {
    PARCAST_ASSIGN(std::vector<std::string> words, launch_words(options_.launcher, processes));
    const fs::path output = folder_ / ("launch-" + std::to_string(processes)), log = folder_ / "log";
    for (const std::string& word : {program_.string(), output.string(), format_exact(seconds)})
      words.push_back(word);
    for (const std::string& link : links_of(before)) words.push_back(link);
    const double started = elapsed();
    const std::string text = processes == 1
                                 ? "core and memory"
                                 : "messages and collectives, " + std::to_string(processes) + " processes";
    PARCAST_TRY(launch(words, log, 3 * seconds + 60, [&] { tell(text); }));
    overhead_ = std::max(0.05, elapsed() - started - seconds);
    const auto content = read_file(output);
    if (!content)
      return Error{
          "the training program left no result in " + output.string(), "",
          "its first process must run where this folder is seen: start calibrate in a shared folder"};
    return measurements_from(*content, output.string());
  }

  void tell(const std::string& text) const {
    if (!options_.progress) return;
    const double done = std::min(1.0, elapsed() / options_.budget_seconds);
    options_.progress(done, text, std::max(0.0, options_.budget_seconds - elapsed()));
  }

  const Options& options_;
  fs::path program_, folder_;
  Clock::time_point start_;
  double overhead_ = kFirstOverhead;
  std::vector<std::string> failures_;
};

}  // namespace

std::vector<int> usual_process_counts(int cores) {
  std::vector<int> out{1};
  for (int power = 2; power <= cores; power *= 2) {
    out.push_back(power);
    if (power + power / 2 <= cores) out.push_back(power + power / 2);
  }
  return out;
}

Result<fs::path> find_training_program() {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem).parent_path();
  const std::string name = "parcast-calibrate";
  for (const fs::path& folder :
       {self / ".." / "libexec" / "parcast", self, self / ".." / ".." / "libexec" / "parcast",
        self / ".." / ".." / ".." / "libexec" / "parcast"})
    if (::access((folder / name).c_str(), X_OK) == 0) return fs::weakly_canonical(folder / name);
  return Error{"the training program " + name + " is not installed beside " + self.string(), "",
               "build Parcast where MPI is found (libopenmpi-dev, or your MPI's compiler wrapper in PATH)"};
}

Result<machine::Machine> calibrate(const Options& options) {
  fs::path program = options.program;
  if (program.empty()) {
    PARCAST_ASSIGN(program, find_training_program());
  }
  std::vector<int> counts = options.processes;
  if (counts.empty())
    counts = usual_process_counts(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  for (const int count : counts)
    if (count < 1)
      return Error{"a process count of " + std::to_string(count) + " cannot be measured", "",
                   "for example --processes 1,2,4"};
  PARCAST_TRY(launch_words(options.launcher, 1));
  PARCAST_ASSIGN(const Workplace workplace, Workplace::make(options.folder));
  PARCAST_ASSIGN(const std::vector<Measurements> launches,
                 Driver(options, fs::absolute(program), workplace.path()).run(counts));
  PARCAST_ASSIGN(machine::Machine machine, assemble(launches, options));
  machine.measured_at = utc_now();
  return machine;
}

}  // namespace parcast::calibrate
