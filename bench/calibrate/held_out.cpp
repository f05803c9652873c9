// SPDX-License-Identifier: Apache-2.0
// How well the fitted table of each pattern predicts message sizes that it has not seen: every second size is
// kept out of the fit. For a calibrated machine, against the formula built from LogGPS messages; of published
// tables of the Intel MPI benchmarks by machine and library, as a CSV with the columns machine, mpi,
// benchmark, processes, bytes and t_avg_us; and of launches of the training program made here one after the
// other, of which every second one is for the fit and the others are not seen by it: how far two medians of
// the same size are apart is what no fit can do better than.
//
//   $ bench_calibrate here.machine.toml
//   pattern          sizes   table median    p95   formula median    p95   all sizes median    p95
//   allreduce           18          3.1 %   9.8 %          61.0 %  140 %             1.7 %   6.2 %
//   $ bench_calibrate imb.csv
//   $ bench_calibrate --launches 8 --seconds 10 [--launcher 'mpirun -n {p}'] [--processes 2] FOLDER
//                                      (keeps the measurements as FOLDER/launch-K)
//   $ bench_calibrate FOLDER           (uses existing launches)
//
// With --kept-out N the launches measure each table at some N random sizes more, which its fit does not see,
// and it is complete: what a user gets of it. Without, every second size of the tables' own is kept out,
// those next to a step among them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/csv.h"
#include "base/files.h"
#include "base/text.h"
#include "calibrate/calibrate.h"
#include "calibrate/combine.h"
#include "calibrate/fit_pattern.h"
#include "calibrate/launch.h"
#include "machine/cost.h"
#include "machine/machine_file.h"
#include "machine/pattern_cost.h"
#include "statistics/summary.h"

namespace parcast {
namespace {

using machine::Machine;
using machine::PatternCost;

/// Returns the pattern with every second size only, and the points that were removed.
std::pair<PatternCost, std::vector<machine::CostPoint>> halve(const PatternCost& pattern) {
  std::set<double> sizes;
  for (const auto& point : pattern.points) sizes.insert(point.bytes);
  const std::vector<double> sorted(sizes.begin(), sizes.end());
  PatternCost half = pattern;
  half.points.clear();
  std::vector<machine::CostPoint> out;
  for (const auto& point : pattern.points) {
    const auto index = std::lower_bound(sorted.begin(), sorted.end(), point.bytes) - sorted.begin();
    const bool inner = index > 0 && index + 1 < static_cast<std::ptrdiff_t>(sorted.size());
    (inner && index % 2 == 1 ? out : half.points).push_back(point);
  }
  return {half, out};
}

double formula(const Machine& machine, const PatternCost& pattern, const machine::CostPoint& point) {
  const symbolic::Expression m(static_cast<std::int64_t>(point.bytes));
  const auto cost = pattern.name.starts_with("message-")
                        ? point_to_point(machine, pattern.name.substr(8), machine::Side::end_to_end, 1, m)
                        : collective(machine, pattern.pattern, 1, m, point.processes);
  const auto value = evaluate(cost.startup + cost.transfer, cost_binding(machine));
  return value ? *value : 0;
}

/// Returns the machine as LogGPS alone describes it.
Machine without_tables(Machine machine) {
  machine.patterns.clear();
  for (auto& [name, link] : machine.links) link.corrections.clear();
  return machine;
}

void print_errors(const std::vector<double>& errors, const char* between) {
  if (errors.empty()) {
    std::printf("%14s %6s%s", "-", "-", between);
    return;
  }
  std::printf("%12.1f %% %4.0f %%%s", 100 * statistics::median(errors),
              100 * statistics::quantile(errors, 0.95), between);
}

/// Errors at the sizes that were kept out of the fit: of the table, and of the formula if a machine is
/// available for it.
struct Judged {
  std::vector<double> table, formula, all;
};

Judged judge(const PatternCost& pattern, const Machine* plain) {
  Judged out;
  auto [half, kept_out] = halve(pattern);
  calibrate::fit_pattern(half);
  for (const auto& point : kept_out) {
    if (point.processes < 2 || point.seconds <= 0) continue;
    out.table.push_back(
        std::fabs(machine::pattern_seconds(half, point.processes, point.bytes) / point.seconds - 1));
    if (plain) out.formula.push_back(std::fabs(formula(*plain, pattern, point) / point.seconds - 1));
  }
  out.all = calibrate::relative_residuals(pattern);
  return out;
}

void print(const std::string& name, int width, const Judged& judged) {
  std::printf("%-*s %5zu", width, name.c_str(), judged.table.size());
  print_errors(judged.table, "  ");
  print_errors(judged.formula, "    ");
  print_errors(judged.all, "\n");
}

void print_header(int width) {
  std::printf("%-*s %5s   %s\n", width, "pattern", "kept",
              " table median    p95   formula median    p95   all sizes median    p95");
}

/// Prints all patterns and sizes in one line, to be compared with the goals.
void print_whole(int width, const Judged& whole) {
  print("all", width, whole);
}

void add(Judged& whole, const Judged& one) {
  whole.table.insert(whole.table.end(), one.table.begin(), one.table.end());
  whole.formula.insert(whole.formula.end(), one.formula.begin(), one.formula.end());
  whole.all.insert(whole.all.end(), one.all.begin(), one.all.end());
}

int judge_machine(const char* path) {
  constexpr int kWidth = 22;
  const auto machine = machine::read_machine(path);
  if (!machine) return std::fprintf(stderr, "%s\n", to_string(machine.error()).c_str()), 1;
  const Machine plain = without_tables(*machine);
  Judged whole;
  print_header(kWidth);
  for (const PatternCost& pattern : machine->patterns) {
    const bool message = pattern.name.starts_with("message-");
    const Judged one =
        judge(pattern, message || pattern.pattern != recording::Pattern::none ? &plain : nullptr);
    if (one.table.empty()) continue;
    print(pattern.name, kWidth, one);
    add(whole, one);
  }
  print_whole(kWidth, whole);
  return 0;
}

/// The benchmarks of the suite that have a pattern in machine files, and the factor from their bytes to ours.
/// For an all-to-all exchange their bytes are those to each process, ours are the complete buffer.
struct Benchmark {
  recording::Pattern pattern;
  bool by_process;
};
const std::map<std::string, Benchmark, std::less<>> kBenchmarks{
    {"Allreduce", {recording::Pattern::allreduce, false}},
    {"Allgather", {recording::Pattern::allgather, false}},
    {"Allgatherv", {recording::Pattern::allgather, false}},
    {"Alltoall", {recording::Pattern::alltoall, true}},
    {"Alltoallv", {recording::Pattern::alltoall, true}},
    {"PingPong", {recording::Pattern::none, false}},
    {"Sendrecv", {recording::Pattern::none, false}},
};

Result<std::map<std::string, PatternCost>> published_tables(const std::string& path) {
  PARCAST_ASSIGN(const std::string text, read_file(path));
  PARCAST_ASSIGN(CsvReader reader, CsvReader::open(text, path));
  std::map<std::string_view, std::size_t> at;
  for (std::size_t i = 0; i < reader.columns().size(); ++i) at[reader.columns()[i]] = i;
  for (const char* wanted : {"machine", "mpi", "benchmark", "processes", "bytes", "t_avg_us"})
    if (!at.contains(wanted))
      return Error{"there is no column " + std::string(wanted), path, "see the head of this program"};
  std::map<std::string, std::map<std::pair<std::int32_t, double>, std::vector<double>>> times;
  std::map<std::string, PatternCost> out;
  CsvRow row;
  while (true) {
    PARCAST_ASSIGN(const bool more, reader.next(row));
    if (!more) break;
    const auto benchmark = kBenchmarks.find(row.fields[at["benchmark"]]);
    if (benchmark == kBenchmarks.end()) continue;
    const auto processes = parse_integer(row.fields[at["processes"]]);
    const auto bytes = parse_double(row.fields[at["bytes"]]),
               micros = parse_double(row.fields[at["t_avg_us"]]);
    if (!processes || !bytes || !micros)
      return Error{"a number is missing", reader.place(row), "processes, bytes and t_avg_us"};
    const std::string name = row.fields[at["machine"]] + " " + row.fields[at["mpi"]] + " " + benchmark->first;
    out[name].name = name, out[name].pattern = benchmark->second.pattern;
    const double of_a_call = *bytes * (benchmark->second.by_process ? static_cast<double>(*processes) : 1);
    times[name][std::pair(static_cast<std::int32_t>(*processes), of_a_call)].push_back(*micros * 1e-6);
  }
  for (auto& [name, pattern] : out)
    for (const auto& [place, values] : times[name])
      pattern.points.push_back({place.first, place.second, statistics::median(values), 0,
                                static_cast<std::int64_t>(values.size())});
  return out;
}

int judge_published(const char* path) {
  constexpr int kWidth = 38;
  const auto tables = published_tables(path);
  if (!tables) return std::fprintf(stderr, "%s\n", to_string(tables.error()).c_str()), 1;
  Judged whole;
  print_header(kWidth);
  for (const auto& [name, table] : *tables) {
    PatternCost pattern = table;
    calibrate::fit_pattern(pattern);
    const Judged one = judge(pattern, nullptr);
    print(name, kWidth, one);
    add(whole, one);
  }
  print_whole(kWidth, whole);
  return 0;
}

// ---- Launches made here ----

namespace fs = std::filesystem;

struct Asked {
  int launches = 0;  // 0: use those in the folder
  int kept_out = 0;  // number of random sizes of each table
  double seconds = 10;
  int processes = 2;
  std::string launcher = "mpirun --oversubscribe -n {p}";
  fs::path folder;
};

Result<void> make_launches(const Asked& asked) {
  PARCAST_ASSIGN(const fs::path program, calibrate::find_training_program());
  fs::create_directories(asked.folder);
  for (int k = 0; k < asked.launches; ++k) {
    PARCAST_ASSIGN(std::vector<std::string> words, calibrate::launch_words(asked.launcher, asked.processes));
    words.push_back(program.string());
    if (asked.kept_out > 0) words.insert(words.end(), {"--kept-out", std::to_string(asked.kept_out)});
    for (const std::string& word : {(fs::absolute(asked.folder) / ("launch-" + std::to_string(k))).string(),
                                    format_exact(asked.seconds)})
      words.push_back(word);
    PARCAST_TRY(calibrate::launch(words, asked.folder / "log", 3 * asked.seconds + 60, [] {}));
  }
  return {};
}

Result<std::vector<calibrate::Measurements>> launches_in(const fs::path& folder) {
  std::vector<calibrate::Measurements> out;
  for (int k = 0; fs::exists(folder / ("launch-" + std::to_string(k))); ++k) {
    const fs::path file = folder / ("launch-" + std::to_string(k));
    PARCAST_ASSIGN(const std::string text, read_file(file));
    PARCAST_ASSIGN(calibrate::Measurements each, calibrate::measurements_from(text, file.string()));
    out.push_back(std::move(each));
  }
  if (out.size() < 4)
    return Error{"fewer than four launches", folder.string(), "half of them are for the fit: --launches 8"};
  return out;
}

/// Relative differences at the sizes that were kept out of the fit of the first half of the launches.
struct Compared {
  std::vector<double> own;      // of the fit from the measurements of its own launches
  std::vector<double> others;   // of the fit from the measurements of the other launches
  std::vector<double> medians;  // of the two measurements from each other
};

void add(Compared& whole, const Compared& one) {
  whole.own.insert(whole.own.end(), one.own.begin(), one.own.end());
  whole.others.insert(whole.others.end(), one.others.begin(), one.others.end());
  whole.medians.insert(whole.medians.end(), one.medians.begin(), one.medians.end());
}

auto find_point(const std::vector<machine::CostPoint>& points, const machine::CostPoint& like) {
  return std::find_if(points.begin(), points.end(), [&](const auto& other) {
    return other.processes == like.processes && other.bytes == like.bytes;
  });
}

/// Compares `pattern` at points kept out of it with what the other launches measured there.
Compared compare(const PatternCost& pattern, const std::vector<machine::CostPoint>& kept_out,
                 const std::vector<machine::CostPoint>& others) {
  Compared out;
  for (const auto& point : kept_out) {
    const auto again = find_point(others, point);
    if (point.processes < 2 || again == others.end()) continue;  // only some launches measured this size
    const double fitted = machine::pattern_seconds(pattern, point.processes, point.bytes);
    out.own.push_back(std::fabs(fitted / point.seconds - 1));
    out.others.push_back(std::fabs(fitted / again->seconds - 1));
    out.medians.push_back(std::fabs(point.seconds / again->seconds - 1));
  }
  return out;
}

Compared compare_halved(const PatternCost& first, const std::vector<machine::CostPoint>& others) {
  auto [half, kept_out] = halve(first);
  calibrate::fit_pattern(half);
  return compare(half, kept_out, others);
}

void print(const std::string& name, const Compared& compared) {
  std::printf("%-26s %5zu", name.c_str(), compared.own.size());
  print_errors(compared.own, "  ");
  print_errors(compared.others, "  ");
  print_errors(compared.medians, "\n");
}

/// Points kept out, from launches of one process count, by table.
using Kept = std::map<std::string, std::vector<machine::CostPoint>>;

Kept kept_out_of(std::vector<calibrate::Measurements> launches) {
  // Combine them with the others, so that they are brought to the same level. Sizes that are also in the fit
  // are left out.
  std::set<std::pair<std::string, double>> seen, drawn;
  for (calibrate::Measurements& each : launches) {
    for (const calibrate::TablePoint& point : each.points) seen.emplace(point.table, point.bytes);
    for (const calibrate::TablePoint& point : each.kept_out) drawn.emplace(point.table, point.bytes);
    each.points.insert(each.points.end(), each.kept_out.begin(), each.kept_out.end());
  }
  Kept out;
  for (const calibrate::Measurements& each : calibrate::combined(launches))
    for (const calibrate::TablePoint& point : each.points)
      if (point.seconds > 0 && drawn.contains({point.table, point.bytes}) &&
          !seen.contains({point.table, point.bytes}))
        out[point.table].push_back(
            {point.processes, point.bytes, point.seconds, point.standard_error, point.samples});
  return out;
}

int judge_launches(const Asked& asked) {
  const auto fail = [](const Error& error) {
    return std::fprintf(stderr, "%s\n", to_string(error).c_str()), 1;
  };
  if (asked.launches > 0)
    if (const auto made = make_launches(asked); !made) return fail(made.error());
  const auto launches = launches_in(asked.folder);
  if (!launches) return fail(launches.error());
  std::vector<calibrate::Measurements> halves[2];
  for (std::size_t k = 0; k < launches->size(); ++k) halves[k % 2].push_back((*launches)[k]);
  const auto first = calibrate::assemble(halves[0], {}), second = calibrate::assemble(halves[1], {});
  if (!first) return fail(first.error());
  if (!second) return fail(second.error());
  std::printf(
      "%zu launches, every second one fitted; errors at sizes kept out, median and 95th percentile\n%-26s "
      "%5s   %20s  %20s  %20s\n",
      launches->size(), "pattern", "kept", "own launches", "other launches", "medians of both");
  Kept own = kept_out_of(halves[0]), others = kept_out_of(halves[1]);
  const bool drawn = !own.empty();
  Compared whole;
  for (const PatternCost& pattern : first->patterns) {
    const auto again = std::find_if(second->patterns.begin(), second->patterns.end(),
                                    [&](const PatternCost& other) { return other.name == pattern.name; });
    if (again == second->patterns.end()) continue;
    const Compared one = drawn ? compare(pattern, own[pattern.name], others[pattern.name])
                               : compare_halved(pattern, again->points);
    if (one.own.empty()) continue;
    print(pattern.name, one);
    add(whole, one);
  }
  print("all", whole);
  return 0;
}

std::optional<Asked> asked_by(const std::vector<std::string>& words) {
  Asked out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      out.folder = words[i];
      continue;
    }
    if (i + 1 == words.size()) return std::nullopt;
    const auto number = parse_double(words[i + 1]);
    if (words[i] == "--kept-out" && number)
      out.kept_out = static_cast<int>(*number);
    else if (words[i] == "--launches" && number)
      out.launches = static_cast<int>(*number);
    else if (words[i] == "--seconds" && number)
      out.seconds = *number;
    else if (words[i] == "--processes" && number)
      out.processes = static_cast<int>(*number);
    else if (words[i] == "--launcher")
      out.launcher = words[i + 1];
    else
      return std::nullopt;
    ++i;
  }
  return out.folder.empty() || (out.launches == 0 && !fs::is_directory(out.folder)) ? std::nullopt
                                                                                    : std::optional(out);
}

}  // namespace
}  // namespace parcast

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() == 1 && words[0].ends_with(".csv")) return parcast::judge_published(arguments[1]);
  if (words.size() == 1 && words[0].ends_with(".toml")) return parcast::judge_machine(arguments[1]);
  if (const auto asked = parcast::asked_by(words)) return parcast::judge_launches(*asked);
  std::fprintf(stderr,
               "usage: bench_calibrate X.machine.toml | IMB.csv | [--launches N [--kept-out N] --seconds S "
               "--processes P --launcher 'mpirun -n {p}'] FOLDER\n");
  return 2;
}
