// SPDX-License-Identifier: Apache-2.0
// Simulates one trace on many platforms that differ in latency: seconds for all on all cores, and their ratio
// to one alone.
//
//   parcast_variants_bench [PATTERN [RANKS [OPERATIONS [VARIANTS]]]]     halo, 64 ranks, 1 million
//   operations, 32
//
// The ratio is VARIANTS / cores with perfect scaling. The exit code is 1 if the number of threads changes a
// result.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "predict/simulate/variants.h"
#include "simulate/patterns.h"

namespace {

using namespace parcast;

simulate::Platform platform(std::size_t number) {
  simulate::Platform out;
  out.links = {{.latency = 1'000'000 + 100'000 * static_cast<trace::Time>(number),
                .send_overhead = 1'500'000,
                .receive_overhead = 1'500'000,
                .gap = 1'000'000,
                .gap_per_byte = 400 * simulate::kOne,
                .eager_limit = 65536,
                .handshake = 5'000'000,
                .rendezvous_gap_per_byte = 400 * simulate::kOne}};
  return out;
}

struct Timed {
  std::vector<trace::Time> makespans;
  double seconds = 0;
};

Timed timed(const trace::Trace& trace, std::size_t count, unsigned threads) {
  const auto begin = std::chrono::steady_clock::now();
  const auto all = simulate::simulate_each(
      trace, count, [](std::size_t number) -> Result<simulate::Platform> { return platform(number); },
      threads);
  Timed out{{}, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
  if (!all) return std::fprintf(stderr, "%s\n", to_string(all.error()).c_str()), out;
  for (const simulate::Summary& summary : *all) out.makespans.push_back(summary.makespan);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "halo";
  const auto ranks = argc > 2 ? std::atoi(argv[2]) : 64;
  const std::uint64_t operations = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1'000'000;
  const std::size_t variants = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 32;
  const std::uint64_t one = bench::operations_of(bench::pattern(name, ranks, 1, false));
  const trace::Trace trace =
      bench::pattern(name, ranks, static_cast<std::uint32_t>((operations + one - 1) / one), false);
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  double alone = 1e9;
  for (int repeat = 0; repeat < 3; ++repeat) alone = std::min(alone, timed(trace, 1, 1).seconds);
  const Timed serial = timed(trace, variants, 1), parallel = timed(trace, variants, cores);
  std::printf(
      "%s, %d ranks, %.2f M operations: one %.3f s; %zu variants on 1 thread %.2f s (%.1f x one), on %u "
      "threads %.2f s (%.1f x one; %.1f without loss)\n",
      name.c_str(), ranks, static_cast<double>(bench::operations_of(trace)) / 1e6, alone, variants,
      serial.seconds, serial.seconds / alone, cores, parallel.seconds, parallel.seconds / alone,
      static_cast<double>(variants) / cores);
  if (serial.makespans.size() != variants || serial.makespans != parallel.makespans)
    return std::fprintf(stderr, "the number of threads changes the results\n"), 1;
  return 0;
}
