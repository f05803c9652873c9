// SPDX-License-Identifier: Apache-2.0
// One number that represents every time and count of many random simulations: with accesses and wildcards, on
// networks, with noise, on shares of cores, hanging ones and those with skipped iterations among them, and
// side by side on threads. same_bits.py builds it by several compilers and compares.
//
//   same_bits [CASES]
#include <cstdio>
#include <cstdlib>

#include "predict/simulate/test_random_trace.h"
#include "predict/simulate/variants.h"

using namespace parcast::simulate;

namespace {

class Hash {
 public:
  void add(std::uint64_t value) { state_ = (state_ ^ value) * 1099511628211u; }
  void add(const parcast::Result<Outcome>& outcome) {
    if (!outcome) return add(std::uint64_t{77});
    for (const std::uint64_t value : {outcome->messages, outcome->bytes, outcome->collective_messages,
                                      outcome->accesses, outcome->unreceived})
      add(value);
    add(static_cast<std::uint64_t>(outcome->makespan));
    add(outcome->waiting.size());
    for (const RankOutcome& rank : outcome->ranks)
      for (const Time time : {rank.end, rank.compute, rank.communication})
        add(static_cast<std::uint64_t>(time));
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 1469598103934665603u;
};

}  // namespace

int main(int argc, char** argv) {
  const auto cases = static_cast<std::uint64_t>(argc > 1 ? std::atoll(argv[1]) : 20000);
  Hash hash;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    auto [trace, platform] = testing::random_case(seed);
    hash.add(simulate(trace, platform));
    hash.add(simulate(trace, platform, Trust::checked, Iterations::every));
    platform.noise = Noise{seed, 0.1, 0.05};
    hash.add(simulate(trace, platform));
    const auto broken = testing::broken_case(seed, static_cast<int>(seed % testing::kMistakes));
    if (parcast::trace::check(broken.trace)) hash.add(simulate(broken.trace, broken.platform));
    const auto shared = testing::with_network(testing::random_case(seed, false), seed);
    hash.add(simulate(shared.trace, shared.platform));
    hash.add(simulate(shared.trace, testing::with_share(shared, seed).platform));
    if (seed % 16 != 0) continue;
    for (const unsigned threads : {1u, 3u}) {
      const auto each = simulate_each(
          trace, 8,
          [&](std::size_t at) {
            Platform other = platform;
            other.noise->seed += at;
            return parcast::Result<Platform>(other);
          },
          threads);
      if (each)
        for (const Summary& summary : *each) hash.add(static_cast<std::uint64_t>(summary.makespan));
    }
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(hash.value()));
}
