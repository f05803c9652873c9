// SPDX-License-Identifier: Apache-2.0
// Patterns whose time under LogGP is known in closed form (Alexandrov, Ionescu, Schauser, Scheiman 1997;
// Hoefler, Schneider, Lumsdaine 2010), to the picosecond. w = o_s + L + m G + o_r is the time of one message
// alone, f = max(g, m G) the interface's time.
#include <gtest/gtest.h>

#include <algorithm>

#include "predict/simulate/simulate.h"
#include "predict/simulate/test_program.h"

namespace parcast::simulate {
namespace {

using machine::Algorithm;
using recording::Pattern;
using simulate::testing::Body;
using simulate::testing::collective;
using simulate::testing::compute;
using simulate::testing::loop;
using simulate::testing::Program;
using simulate::testing::receive;
using simulate::testing::send;
using simulate::testing::start_receive;
using simulate::testing::start_send;
using simulate::testing::wait;

struct LogGP {
  Time latency, send_overhead, receive_overhead, gap, per_byte;  // picoseconds
  Platform platform() const {
    Platform out;
    out.links = {{.latency = latency,
                  .send_overhead = send_overhead,
                  .receive_overhead = receive_overhead,
                  .gap = gap,
                  .gap_per_byte = per_byte * kOne,
                  .rendezvous_gap_per_byte = per_byte * kOne}};
    return out;
  }
  Time w(std::uint64_t bytes) const {
    return send_overhead + latency + static_cast<Time>(bytes) * per_byte + receive_overhead;
  }
  Time f(std::uint64_t bytes) const { return std::max(gap, static_cast<Time>(bytes) * per_byte); }
};

/// Overheads above, around and below the interface's time.
const LogGP kMachines[] = {{2'500'000, 1'500'000, 1'700'000, 1'000'000, 400},
                           {900'000, 100'000, 200'000, 300'000, 2000},
                           {50'000'000, 3'000'000, 2'000'000, 0, 0},
                           {10'000, 1000, 2000, 5'000'000, 10}};

Time makespan(const Program& program, Platform platform) {
  const auto outcome = simulate(to_trace(program), platform);
  EXPECT_TRUE(outcome) << to_string(outcome.error());
  EXPECT_TRUE(outcome && outcome->waiting.empty());
  return outcome ? outcome->makespan : -1;
}

Time of_all(std::int32_t ranks, Pattern pattern, std::uint64_t bytes, Algorithm algorithm,
            const LogGP& machine, std::int32_t root = 0) {
  Program program;
  program.ranks.assign(static_cast<std::size_t>(ranks), Body{collective(pattern, bytes, root)});
  Platform platform = machine.platform();
  platform.collectives[pattern] = {{0, algorithm}};
  return makespan(program, platform);
}

TEST(LogGP, PingPong) {
  for (const LogGP& machine : kMachines)
    for (const std::uint64_t bytes : {0u, 1u, 8192u}) {
      const Program program{
          {{loop(50, {send(1, bytes), receive(1)})}, {loop(50, {receive(0), send(0, bytes)})}}};
      EXPECT_EQ(makespan(program, machine.platform()),
                2 * machine.w(bytes) + 49 * std::max(2 * machine.w(bytes), machine.f(bytes)));
    }
}

TEST(LogGP, StreamOfMessages) {
  for (const LogGP& machine : kMachines) {
    constexpr Time kMessages = 200;
    const Program program{{{loop(kMessages, {send(1, 1000)})}, {loop(kMessages, {receive(0)})}}};
    // The slowest of sender, interfaces and receiver sets the pace.
    EXPECT_EQ(makespan(program, machine.platform()),
              machine.w(1000) + (kMessages - 1) * std::max({machine.send_overhead, machine.f(1000),
                                                            machine.receive_overhead}));
  }
}

/// Level by level, or the root's sends one after the other after the first hop: w + (N - 1) max(w, f, o_s).
TEST(LogGP, BinomialBroadcast) {
  for (const LogGP& machine : kMachines)
    for (std::int32_t levels = 1; levels <= 7; ++levels)
      for (const std::uint64_t bytes : {0u, 500u})
        EXPECT_EQ(of_all(1 << levels, Pattern::broadcast, bytes, Algorithm::binomial, machine, levels % 2),
                  machine.w(bytes) + (levels - 1) * std::max(machine.w(bytes), machine.f(bytes)));
}

TEST(LogGP, LinearBroadcast) {
  for (const LogGP& machine : kMachines)
    for (const std::int32_t p : {2, 3, 10, 65})
      for (const std::uint64_t bytes : {0u, 500u})
        EXPECT_EQ(of_all(p, Pattern::broadcast, bytes, Algorithm::linear, machine, p / 2),
                  machine.w(bytes) + (p - 2) * std::max(machine.send_overhead, machine.f(bytes)));
}

/// All messages reach the root's interface at the same time, and it takes them one after the other.
TEST(LogGP, LinearReduction) {
  for (const LogGP& machine : kMachines)
    for (const std::int32_t p : {2, 3, 10, 65})
      for (const std::uint64_t bytes : {0u, 500u})
        EXPECT_EQ(of_all(p, Pattern::reduce, bytes, Algorithm::linear, machine),
                  machine.w(bytes) + (p - 2) * std::max(machine.receive_overhead, machine.f(bytes)));
}

TEST(LogGP, LinearBarrierIsALinearReductionAndBroadcast) {
  for (LogGP machine : kMachines) {
    machine.gap = 0;
    for (const std::int32_t p : {2, 3, 10, 65})
      EXPECT_EQ(of_all(p, Pattern::barrier, 0, Algorithm::linear, machine),
                2 * machine.latency + p * (machine.send_overhead + machine.receive_overhead));
  }
}

TEST(LogGP, DisseminationBarrier) {
  for (const LogGP& machine : kMachines)
    for (const std::int32_t p : {2, 3, 8, 13, 64}) {
      std::int32_t rounds = 0;
      while ((1 << rounds) < p) ++rounds;
      EXPECT_EQ(of_all(p, Pattern::barrier, 0, Algorithm::dissemination, machine),
                machine.w(0) + (rounds - 1) * std::max(machine.w(0), machine.f(0)));
    }
}

TEST(LogGP, PairwiseAllToAll) {
  for (const LogGP& machine : kMachines)
    for (const std::int32_t p : {2, 3, 16, 33}) {
      const auto bytes = static_cast<std::uint64_t>(p) * 300;
      EXPECT_EQ(of_all(p, Pattern::alltoall, bytes, Algorithm::pairwise, machine),
                machine.w(300) + (p - 2) * std::max(machine.w(300), machine.f(300)));
    }
}

/// All receives and sends are started at once, then one wait: sends follow each other, and messages arrive in
/// the same order.
TEST(LogGP, AllToAllAtOnce) {
  for (LogGP machine : kMachines) {
    machine.send_overhead = std::max(machine.send_overhead, machine.receive_overhead);
    constexpr std::int32_t kRanks = 17;
    Program program;
    for (std::int32_t rank = 0; rank < kRanks; ++rank) {
      Body body;
      std::vector<std::uint32_t> all;
      for (std::int32_t k = 1; k < kRanks; ++k) body.push_back(start_receive((rank - k + kRanks) % kRanks));
      for (std::int32_t k = 1; k < kRanks; ++k) body.push_back(start_send((rank + k) % kRanks, 700));
      for (std::uint32_t k = 1; k <= 2 * (kRanks - 1); ++k) all.push_back(k);
      body.push_back(wait(all));
      program.ranks.push_back(body);
    }
    const Time pace = std::max(machine.send_overhead, machine.f(700));
    // Messages that arrived while the rank was still sending are taken afterwards.
    Time ready = (kRanks - 1) * machine.send_overhead;
    for (Time k = 0; k < kRanks - 1; ++k)
      ready =
          std::max(ready, machine.w(700) - machine.receive_overhead + k * pace) + machine.receive_overhead;
    EXPECT_EQ(makespan(program, machine.platform()), ready);
  }
}

TEST(LogGP, RingAllreduceAndAllgather) {
  for (const LogGP& machine : kMachines)
    for (const std::int32_t p : {2, 3, 16, 33}) {
      const auto bytes = static_cast<std::uint64_t>(p) * 100;
      EXPECT_EQ(of_all(p, Pattern::allreduce, bytes, Algorithm::ring, machine),
                machine.w(100) + (2 * p - 3) * std::max(machine.w(100), machine.f(100)));
      EXPECT_EQ(of_all(p, Pattern::allgather, 100, Algorithm::ring, machine),
                machine.w(100) + (p - 2) * std::max(machine.w(100), machine.f(100)));
    }
}

TEST(LogGP, RecursiveDoubling) {
  for (const LogGP& machine : kMachines)
    for (std::int32_t levels = 1; levels <= 7; ++levels)
      EXPECT_EQ(of_all(1 << levels, Pattern::allreduce, 64, Algorithm::recursive_doubling, machine),
                machine.w(64) + (levels - 1) * std::max(machine.w(64), machine.f(64)));
}

Program wavefront(std::int32_t width, std::int32_t height, std::uint32_t sweeps, Time work) {
  Program program;
  for (std::int32_t y = 0; y < height; ++y)
    for (std::int32_t x = 0; x < width; ++x) {
      const std::int32_t rank = x + width * y;
      Body body;
      if (x > 0) body.push_back(receive(rank - 1));
      if (y > 0) body.push_back(receive(rank - width));
      body.push_back(compute(work));
      if (x + 1 < width) body.push_back(send(rank + 1, 8));
      if (y + 1 < height) body.push_back(send(rank + width, 8));
      program.ranks.push_back({loop(sweeps, body)});
    }
  return program;
}

/// Without bandwidth the longest path goes down the first column, where the message below leaves second, and
/// then along the last row, where two messages are taken. The sweeps after the first follow at the pace of an
/// inner rank.
TEST(LogGP, Wavefront) {
  for (LogGP machine : kMachines) {
    machine.gap = machine.per_byte = 0;
    for (const auto& [width, height] : {std::pair{3, 3}, std::pair{4, 7}, std::pair{8, 5}})
      for (const std::uint32_t sweeps : {1u, 2u, 30u}) {
        constexpr Time kWork = 7'000'000;
        const Time sends = machine.send_overhead, receives = machine.receive_overhead,
                   latency = machine.latency;
        const Time down = kWork + 2 * sends + latency + receives,
                   right = kWork + sends + latency + 2 * receives;
        const Time fill = (height - 1) * down + (width - 1) * right + kWork;
        EXPECT_EQ(makespan(wavefront(width, height, sweeps, kWork), machine.platform()),
                  fill + (sweeps - 1) * (kWork + 2 * sends + 2 * receives))
            << width << " x " << height << ", " << sweeps;
      }
  }
}

}  // namespace
}  // namespace parcast::simulate
