// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibrate.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <set>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "calibrate/allocation.h"
#include "calibrate/environment.h"
#include "calibrate/launch.h"
#include "calibrate/partial.h"
#include "calibrate/topology.h"

namespace parcast::calibrate {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kFirstOverhead = 0.6;  // seconds from launch to measurement, before a launch has shown it
constexpr double kFitting = 0.5;        // seconds reserved for the fits
constexpr double kWorthwhile = 3;       // minimum seconds per launch for launching a count again
constexpr int kMostPasses = 4;
constexpr int kEnoughSamples = 10;    // samples of a point in one launch
constexpr double kShareShort = 0.25;  // part of a pass's points that may have fewer samples
constexpr double kShortest = 0.25;    // minimum seconds of measurement per launch

std::string utc_now() {
  const std::time_t t = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&t, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// Returns the links that a launch of the pass has already measured.
std::set<std::string> links_of(const std::vector<Measurements>& launches) {
  std::set<std::string> out;
  for (const Measurements& launch : launches)
    for (const TablePoint& point : launch.points)
      if (point.table.starts_with("message-")) out.insert(point.table.substr(8));
  return out;
}

std::string counted_processes(int processes) {
  return std::to_string(processes) + (processes == 1 ? " process" : " processes");
}

/// Returns a launch's error as one line for the machine's notes.
std::string as_note(int processes, const Error& error) {
  std::string hint = error.hint;
  for (std::size_t at; (at = hint.find("\n  ")) != std::string::npos;) hint.replace(at, 3, " / ");
  return counted_processes(processes) + " could not be measured: " + error.what +
         (hint.empty() ? "" : " (" + hint + ")");
}

class Driver {
 public:
  Driver(const Options& options, fs::path program, const Partial& partial)
      : options_(options), program_(std::move(program)), partial_(partial), start_(Clock::now()) {}

  Result<std::vector<Measurements>> run(std::vector<int> counts) {
    // One process first, then two, then from the most to the fewest, so that an expensive launch shows early
    // what launches take.
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    const auto few = std::find_if(counts.begin(), counts.end(), [](int p) { return p > 2; });
    std::reverse(few, counts.end());
    plan(counts);
    say_found();
    std::vector<Measurements> out, pass;
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      const Launch launch = launches_[i];
      if (i > 0 && launch.pass != launches_[i - 1].pass) {
        // On a slow network such short launches measure little. Then one more pass is made, with the time of
        // all remaining ones.
        if (launch.pass == 1 && short_of_time(pass)) keep_passes(2);
        pass.clear();
      }
      if (failed_.contains(launch.processes)) continue;
      if (hung_ && elapsed() >= latest_end()) {
        fail(launch, {"no time was left for it, since another launch did not end", "",
                      "a longer --budget, or the counts that work alone: --processes"});
        continue;
      }
      auto result = one(launch, share(i), pass);
      if (result && result->processes != launch.processes) return other_count(launch, *result);
      if (result) {
        pass.push_back(*result), out.push_back(std::move(*result));
      } else {
        fail(launch, result.error());
      }
    }
    if (out.empty()) return *first_failure_;
    out.front().notes.insert(out.front().notes.begin(), notes_.begin(), notes_.end());
    return out;
  }

 private:
  struct Launch {
    int processes = 1, pass = 0;
    double weight = 1;  // the first launch with two or more processes also measures the links
  };

  void plan(const std::vector<int>& counts) {
    const int passes = passes_within(options_.budget_seconds, counts.size());
    for (int pass = 0; pass < passes; ++pass)
      for (std::size_t k = 0; k < counts.size(); ++k)
        launches_.push_back({counts[k], pass,
                             counts[k] == 1                 ? 1.2
                             : k == 0 || counts[k - 1] == 1 ? 2.0
                                                            : 1.0});
    if (passes == 1)
      notes_.push_back(
          "the budget allowed one launch of each process count, so the standard errors leave out what "
          "changes between launches; use a longer --budget");
  }

  void keep_passes(int count) {
    std::erase_if(launches_, [&](const Launch& launch) { return launch.pass >= count; });
  }

  double elapsed() const { return spared_ + std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// End of all launches after one of them did not end. The time lost by it is added to the budget up to this
  /// limit.
  double latest_end() const { return options_.budget_seconds + options_.patience; }
  double budget() const { return std::min(options_.budget_seconds + lost_, latest_end()); }

  /// Returns the seconds of launch i.
  double share(std::size_t i) const {
    double rest = 0, count = 0;
    for (std::size_t k = i; k < launches_.size(); ++k)
      if (!failed_.contains(launches_[k].processes)) rest += launches_[k].weight, ++count;
    const double left = budget() - elapsed() - kFitting - overhead_ * count;
    return std::max(kShortest, left * launches_[i].weight / rest);
  }

  void say_found() const {
    std::size_t done = 0;
    for (const Launch& launch : launches_)
      done += partial_.finished(launch.processes, launch.pass).has_value();
    if (done > 0 && options_.say)
      options_.say({"going on with an unfinished calibration: " + std::to_string(done) + " of " +
                        std::to_string(launches_.size()) + " launches are done",
                    "", "--fresh begins anew"});
  }

  Result<Measurements> one(const Launch& launch, double seconds, const std::vector<Measurements>& before) {
    if (auto done = partial_.finished(launch.processes, launch.pass)) {
      spared_ += seconds + overhead_;
      return std::move(*done);
    }
    PARCAST_ASSIGN(std::vector<std::string> words, launch_words(options_.launcher, launch.processes));
    const fs::path output = partial_.result(launch.processes, launch.pass);
    for (const std::string& word : {program_.string(), output.string(), format_exact(seconds)})
      words.push_back(word);
    for (const std::string& link : links_of(before)) words.push_back(link);
    std::error_code problem;
    // so that a file there belongs to this launch
    fs::remove(output, problem), fs::remove(begun_file(output), problem);
    const double started = elapsed();
    const std::string text = launch.processes == 1
                                 ? "core and memory"
                                 : "messages and collectives, " + counted_processes(launch.processes);
    const double usual = 2 * seconds + options_.patience;
    const double patience = hung_ ? std::min(usual, latest_end() - started) : usual;
    auto launched = parcast::calibrate::launch(words, partial_.log(), patience, [&] { tell(text); });
    const auto content = read_file(output);
    if (!launched && elapsed() - started >= patience) {
      hung_ = true, lost_ += elapsed() - started;
      launched = did_not_end(launched.error(), launch, !content && !fs::exists(begun_file(output)));
    }
    if (!launched) {
      // The results that several processes wrote before the one-sided calls are kept, with a note.
      if (launch.processes == 1 || !content) return launched.error();
      auto kept = measurements_from(*content, output.string());
      if (!kept) return launched.error();
      kept->notes.push_back("the launch of " + counted_processes(launch.processes) +
                            std::string(kEndedEarly) + launched.error().what);
      // so that a resumed calibration does not try it again
      static_cast<void>(write_file(output, to_text(*kept)));
      return kept;
    }
    overhead_ = std::max(0.05, elapsed() - started - seconds);
    if (!content)
      return Error{
          "the training program left no result in " + output.string(), "",
          "its first process must run where this folder is seen: start calibrate in a shared folder"};
    return measurements_from(*content, output.string());
  }

  /// Returns the error for a launcher that starts another number of processes than requested. It would be
  /// wrong for all counts.
  Error other_count(const Launch& launch, const Measurements& found) const {
    const std::string counted = "the launcher \"" + options_.launcher + "\" was asked for " +
                                counted_processes(launch.processes) + ", but the training program found " +
                                std::to_string(found.processes);
    if (found.processes != 1)
      return Error{counted, "", "give the number by {p} alone, e.g. --launcher 'mpirun -n {p}'"};
    return Error{counted +
                     ": the launcher probably belongs to another MPI library than the training program" +
                     (found.mpi_library.empty() ? "" : " (" + found.mpi_library + ")") +
                     ", so that each process takes itself to be alone",
                 "",
                 "name the launcher of that library by its path, e.g. --launcher '/opt/openmpi/bin/mpirun -n "
                 "{p}', of srun its kind too ('srun --mpi=pmix -n {p}'; srun --mpi=list shows them), "
                 "or use a Parcast that is built with the launcher's MPI library"};
  }

  /// Returns the error for a launch that was given up. It distinguishes whether the launcher or the program
  /// did not proceed.
  Error did_not_end(Error error, const Launch& launch, bool never_begun) const {
    const std::string processes = counted_processes(launch.processes);
    error.what += never_begun
                      ? ": the launcher never started the training program with " + processes
                      : ": the training program began with " + processes + " and did not come to its end";
    error.hint = (never_begun ? "see what the launcher waits for (free slots or nodes, a password, a queue), "
                                "or name another with --launcher"
                              : "see whether programs of " + processes +
                                    " communicate here at all, or leave the count out with --processes") +
                 std::string("; ") + error.hint;
    return error;
  }

  /// Records the failure of a process count, which is not tried again.
  void fail(const Launch& launch, const Error& error) {
    failed_.insert(launch.processes);
    if (!first_failure_) first_failure_ = error;
    notes_.push_back(as_note(launch.processes, error));
    if (options_.say && launches_.size() > 1)
      options_.say(
          {counted_processes(launch.processes) + " could not be measured, the rest counts: " + error.what,
           error.where, error.hint});
  }

  void tell(const std::string& text) const {
    if (!options_.progress) return;
    const double done = std::min(1.0, elapsed() / options_.budget_seconds);
    options_.progress(done, text, std::max(0.0, options_.budget_seconds - elapsed()));
  }

  const Options& options_;
  fs::path program_;
  const Partial& partial_;
  Clock::time_point start_;
  double overhead_ = kFirstOverhead, spared_ = 0;  // spared_: time that launches took that were done before
  std::vector<Launch> launches_;
  bool hung_ = false;  // a launch did not end
  double lost_ = 0;    // seconds in launches that did not end
  std::set<int> failed_;
  std::optional<Error> first_failure_;
  std::vector<std::string> notes_;
};

/// Returns what the measurements of this call depend on.
Basis basis_of(const Options& options, const fs::path& program, const std::vector<int>& counts) {
  Basis out = host_environment();
  std::vector<std::string> list;
  for (const int count : counts) list.push_back(std::to_string(count));
  out["launcher"] = options.launcher, out["process_counts"] = join(list, ","),
  out["budget"] = format_exact(options.budget_seconds) + " s";
  out["MPI_library"] = library_used_by(program);
  if (const auto digest = digest_of_file(program)) out["training_program"] = digest->substr(0, 12);
  if (const char* nodes = std::getenv("SLURM_JOB_NODELIST")) out["nodes"] = nodes;
  return out;
}

Result<Partial> workplace(const Options& options, const Basis& basis) {
  if (options.partial.empty()) return Partial::temporary(options.folder);
  auto out = Partial::open(fs::absolute(options.partial), basis, options.fresh);
  if (out && !out->misfits().empty() && options.say)
    options.say({"what an unfinished calibration left in " + options.partial.string() +
                     " does not fit and is not used: other are " + join(out->misfits(), ", "),
                 "", ""});
  return out;
}

/// Returns the number of cores. Processes beyond it share cores, with or without hardware threads.
int cores_here() {
  const auto topology = this_topology();
  return topology ? topology->cores : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::vector<std::string> peculiarities_here() {
  const auto topology = this_topology();
  return topology ? peculiarities(*topology) : std::vector<std::string>();
}

}  // namespace

bool short_of_time(const std::vector<Measurements>& pass) {
  std::size_t few = 0, all = 0;
  for (const Measurements& launch : pass) {
    if (launch.processes < 2) continue;
    // A table that was left out entirely counts as many points as the other tables have on average.
    std::set<std::string> tables;
    for (const TablePoint& point : launch.points) tables.insert(point.table);
    const std::size_t sizes =
        std::max<std::size_t>(1, launch.points.size() / std::max<std::size_t>(1, tables.size()));
    for (const Omission& left : launch.left_out)
      all += left.bytes == 0 ? sizes : 1, few += left.bytes == 0 ? sizes : 1;
    all += launch.points.size();
    few += static_cast<std::size_t>(
        std::count_if(launch.points.begin(), launch.points.end(),
                      [](const TablePoint& point) { return point.samples < kEnoughSamples; }));
  }
  return few > kShareShort * static_cast<double>(all);
}

std::vector<int> usual_process_counts(int cores) {
  std::vector<int> out{1};
  for (int power = 2; power <= cores; power *= 2) {
    out.push_back(power);
    if (power + power / 2 <= cores) out.push_back(power + power / 2);
  }
  return out;
}

int passes_within(double budget_seconds, std::size_t counts) {
  return std::clamp(static_cast<int>(budget_seconds /
                                     (kWorthwhile * static_cast<double>(std::max<std::size_t>(counts, 1)))),
                    1, kMostPasses);
}

Result<fs::path> find_training_program() {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem).parent_path();
  const std::string name = "parcast-calibrate";
  for (const fs::path& folder :
       {self / ".." / "libexec" / "parcast", self, self / ".." / ".." / "libexec" / "parcast",
        self / ".." / ".." / ".." / "libexec" / "parcast"})
    if (::access((folder / name).c_str(), X_OK) == 0) return fs::weakly_canonical(folder / name);
  return Error{"the training program " + name + " is not installed in the folder of " + self.string(), "",
               "build Parcast where MPI is found (libopenmpi-dev, or your MPI's compiler wrapper in PATH)"};
}

Result<machine::Machine> calibrate(const Options& asked) {
  fs::path program = asked.program;
  if (program.empty()) {
    PARCAST_ASSIGN(program, find_training_program());
  }
  const Allocation found =
      allocation([](const char* name) { return static_cast<const char*>(std::getenv(name)); }, cores_here());
  Options options = asked;
  if (options.launcher.empty()) options.launcher = found.launcher;
  std::vector<int> counts = options.processes;
  if (counts.empty()) counts = usual_process_counts(found.processes);
  for (const int count : counts)
    if (count < 1)
      return Error{"a process count of " + std::to_string(count) + " cannot be measured", "",
                   "for example --processes 1,2,4"};
  PARCAST_TRY(launch_words(options.launcher, 1));
  program = fs::absolute(program);
  if (options.say)
    for (const std::string& sentence : peculiarities_here()) options.say({"this host: " + sentence, "", ""});
  PARCAST_ASSIGN(Partial partial, workplace(options, basis_of(options, program, counts)));
  PARCAST_ASSIGN(const std::vector<Measurements> launches, Driver(options, program, partial).run(counts));
  PARCAST_ASSIGN(machine::Machine machine, assemble(launches, options));
  machine.measured_at = utc_now();
  if (options.written) PARCAST_TRY(options.written(machine, launches));
  partial.remove();
  return machine;
}

}  // namespace parcast::calibrate
