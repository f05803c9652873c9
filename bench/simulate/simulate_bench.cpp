// SPDX-License-Identifier: Apache-2.0
// Speed of the simulation: operations (sends, receives, computes) per second on one core, loading included.
//
//   parcast_simulate_bench [PATTERN [RANKS [OPERATIONS]]]     halo, doubling, wavefront, sparse, reduced
//   (halo and a sum over all
//                                                             ranks), or all (default); 64 and 1024 ranks; 4
//                                                             million operations; every iteration simulated
//   parcast_simulate_bench --folded PATTERN RANKS ITERATIONS [every]
//                                                             from a folded trace, periodic iterations
//                                                             skipped (or not), with the most memory that was
//                                                             used
//   parcast_simulate_bench --write FILE.trace PATTERN RANKS OPERATIONS
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "predict/simulate/simulate.h"
#include "simulate/patterns.h"
#include "trace/trace_file.h"

namespace {

using namespace parcast;

/// LogGOPS of a typical cluster: equal for all patterns.
simulate::Platform platform() {
  simulate::Platform out;
  out.name = "cluster";
  out.links = {{.latency = 2'500'000,
                .send_overhead = 1'500'000,
                .receive_overhead = 1'500'000,
                .gap = 1'000'000,
                .gap_per_byte = 400 * simulate::kOne,
                .eager_limit = 65536,
                .handshake = 5'000'000,
                .rendezvous_gap_per_byte = 400 * simulate::kOne}};
  return out;
}

trace::Trace sized(const std::string& name, std::int32_t ranks, std::uint64_t operations) {
  const std::uint64_t one = bench::operations_of(bench::pattern(name, ranks, 1, false));
  return bench::pattern(name, ranks, static_cast<std::uint32_t>((operations + one - 1) / one), false);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int measure(const std::string& name, std::int32_t ranks, std::uint64_t operations,
            const std::filesystem::path& file) {
  const trace::Trace made = sized(name, ranks, operations);
  const std::uint64_t count = bench::operations_of(made);
  if (const auto written = trace::write_trace(made, file); !written)
    return std::fprintf(stderr, "%s\n", to_string(written.error()).c_str()), 1;
  double best = 1e9, loading = 0, makespan = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    const auto read = trace::read_trace(file);
    const double loaded = seconds_since(begin);
    if (!read) return std::fprintf(stderr, "%s\n", to_string(read.error()).c_str()), 1;
    const auto outcome =
        simulate::simulate(*read, platform(), simulate::Trust::checked, simulate::Iterations::every);
    if (!outcome) return std::fprintf(stderr, "%s\n", to_string(outcome.error()).c_str()), 1;
    const double taken = seconds_since(begin);
    if (taken < best) best = taken, loading = loaded;
    makespan = static_cast<double>(outcome->makespan) / 1e12;
  }
  std::printf(
      "%-10s %6d ranks %9.2f M operations  %6.3f s, of that loading %5.3f  %7.2f M/s   makespan %.9f s\n",
      name.c_str(), ranks, static_cast<double>(count) / 1e6, best, loading,
      static_cast<double>(count) / 1e6 / best, makespan);
  std::fflush(stdout);
  return 0;
}

int measure_folded(const std::string& name, std::int32_t ranks, std::uint32_t iterations, bool every) {
  const auto begin = std::chrono::steady_clock::now();
  const trace::Trace made = bench::pattern(name, ranks, iterations, true);
  const double building = seconds_since(begin);
  const auto outcome =
      simulate::simulate(made, platform(), simulate::Trust::none,
                         every ? simulate::Iterations::every : simulate::Iterations::skipped);
  if (!outcome) return std::fprintf(stderr, "%s\n", to_string(outcome.error()).c_str()), 1;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto count = static_cast<double>(outcome->operations + outcome->collective_messages);
  std::printf(
      "%-10s %7d ranks %6u iterations %9.3g operations and messages of collectives, %5.1f %% of the "
      "operations skipped  %7.2f s (%.2f to build)  %6.2f GiB  makespan %.12f s\n",
      name.c_str(), ranks, iterations, count,
      100 * static_cast<double>(outcome->skipped) / static_cast<double>(outcome->operations),
      seconds_since(begin), building, static_cast<double>(usage.ru_maxrss) / (1 << 20),
      static_cast<double>(outcome->makespan) / 1e12);
  return 0;
}

int write(char** words) {
  const auto written = trace::write_trace(
      sized(words[1], std::atoi(words[2]), std::strtoull(words[3], nullptr, 10)), words[0]);
  if (!written) std::fprintf(stderr, "%s\n", to_string(written.error()).c_str());
  return written ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 6 && std::strcmp(argv[1], "--write") == 0) return write(argv + 2);
  if ((argc == 5 || argc == 6) && std::strcmp(argv[1], "--folded") == 0)
    return measure_folded(argv[2], std::atoi(argv[3]),
                          static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10)), argc == 6);
  const std::string name = argc > 1 ? argv[1] : "all";
  const std::uint64_t operations = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 4'000'000;
  const std::vector<std::int32_t> ranks =
      argc > 2 ? std::vector<std::int32_t>{std::atoi(argv[2])} : std::vector<std::int32_t>{64, 1024};
  const std::vector<std::string> names =
      name == "all" ? bench::pattern_names() : std::vector<std::string>{name};
  const auto file = std::filesystem::temp_directory_path() /
                    ("parcast_simulate_bench_" +
                     std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + ".trace");
  int failed = 0;
  for (const std::string& each : names)
    for (const std::int32_t p : ranks) failed |= measure(each, p, operations, file);
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return failed;
}
