// SPDX-License-Identifier: Apache-2.0
// How well the fitted table of each pattern predicts message sizes that it has not seen: every second size is kept out of the fit.
// Of a calibrated machine beside the formula built from LogGPS messages; of published tables of the Intel MPI benchmarks by machine
// and library, as a CSV with the columns machine, mpi, benchmark, processes, bytes and t_avg_us.
//
//   $ bench_calibrate here.machine.toml
//   pattern          sizes   table median    p95   formula median    p95   all sizes median    p95
//   allreduce           18          3.1 %   9.8 %          61.0 %  140 %             1.7 %   6.2 %
//   $ bench_calibrate imb.csv
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>

#include "base/csv.h"
#include "base/files.h"
#include "calibrate/fit_pattern.h"
#include "machine/pattern_cost.h"
#include "machine/cost.h"
#include "machine/machine_file.h"
#include "statistics/summary.h"

namespace parcast {
namespace {

using machine::Machine;
using machine::PatternCost;

/// The pattern with every second size only, and the points that were taken out.
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

/// The machine as LogGPS alone describes it.
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

/// Errors at the sizes that were kept out of the fit: of the table, and of the formula where there is a machine for it.
struct Judged {
  std::vector<double> table, formula, all;
};

Judged judge(const PatternCost& pattern, const Machine* plain) {
  Judged out;
  auto [half, kept_out] = halve(pattern);
  calibrate::fit_pattern(half);
  for (const auto& point : kept_out) {
    if (point.processes < 2 || point.seconds <= 0) continue;
    out.table.push_back(std::fabs(machine::pattern_seconds(half, point.processes, point.bytes) / point.seconds - 1));
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

/// All patterns and sizes in one line: what the goals are judged by.
void print_whole(int width, const Judged& whole) { print("all", width, whole); }

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
    const Judged one = judge(pattern, message || pattern.pattern != recording::Pattern::none ? &plain : nullptr);
    if (one.table.empty()) continue;
    print(pattern.name, kWidth, one);
    add(whole, one);
  }
  print_whole(kWidth, whole);
  return 0;
}

/// The benchmarks of the suite that a machine file has a pattern for, and how many times their bytes ours are: theirs are those to
/// each process in an exchange of all with all, ours the whole buffer.
struct Benchmark {
  recording::Pattern pattern;
  bool by_process;
};
const std::map<std::string, Benchmark, std::less<>> kBenchmarks{
    {"Allreduce", {recording::Pattern::allreduce, false}},   {"Allgather", {recording::Pattern::allgather, false}},
    {"Allgatherv", {recording::Pattern::allgather, false}},  {"Alltoall", {recording::Pattern::alltoall, true}},
    {"Alltoallv", {recording::Pattern::alltoall, true}},     {"PingPong", {recording::Pattern::none, false}},
    {"Sendrecv", {recording::Pattern::none, false}},
};

Result<std::map<std::string, PatternCost>> published_tables(const std::string& path) {
  PARCAST_ASSIGN(const std::string text, read_file(path));
  PARCAST_ASSIGN(CsvReader reader, CsvReader::open(text, path));
  std::map<std::string_view, std::size_t> at;
  for (std::size_t i = 0; i < reader.columns().size(); ++i) at[reader.columns()[i]] = i;
  for (const char* wanted : {"machine", "mpi", "benchmark", "processes", "bytes", "t_avg_us"})
    if (!at.contains(wanted)) return Error{"there is no column " + std::string(wanted), path, "see the head of this program"};
  std::map<std::string, std::map<std::pair<std::int32_t, double>, std::vector<double>>> times;
  std::map<std::string, PatternCost> out;
  CsvRow row;
  while (true) {
    PARCAST_ASSIGN(const bool more, reader.next(row));
    if (!more) break;
    const auto benchmark = kBenchmarks.find(row.fields[at["benchmark"]]);
    if (benchmark == kBenchmarks.end()) continue;
    const auto processes = parse_integer(row.fields[at["processes"]]);
    const auto bytes = parse_double(row.fields[at["bytes"]]), micros = parse_double(row.fields[at["t_avg_us"]]);
    if (!processes || !bytes || !micros)
      return Error{"a number is missing", reader.place(row), "processes, bytes and t_avg_us"};
    const std::string name = row.fields[at["machine"]] + " " + row.fields[at["mpi"]] + " " + benchmark->first;
    out[name].name = name, out[name].pattern = benchmark->second.pattern;
    const double of_a_call = *bytes * (benchmark->second.by_process ? static_cast<double>(*processes) : 1);
    times[name][std::pair(static_cast<std::int32_t>(*processes), of_a_call)].push_back(*micros * 1e-6);
  }
  for (auto& [name, pattern] : out)
    for (const auto& [place, values] : times[name])
      pattern.points.push_back({place.first, place.second, statistics::median(values), 0, static_cast<std::int64_t>(values.size())});
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

}  // namespace
}  // namespace parcast

int main(int count, char** arguments) {
  if (count == 2)
    return std::string_view(arguments[1]).ends_with(".csv") ? parcast::judge_published(arguments[1]) : parcast::judge_machine(arguments[1]);
  std::fprintf(stderr, "usage: bench_calibrate X.machine.toml | IMB.csv\n");
  return 2;
}
