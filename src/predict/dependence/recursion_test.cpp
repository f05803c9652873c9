// SPDX-License-Identifier: Apache-2.0
// The recursion against closed forms and against itself without folding.
#include "predict/dependence/recursion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "predict/dependence/extreme.h"
#include "statistics/random.h"

namespace parcast::dependence {
namespace {

Step compute(std::vector<double> seconds) {
  Step step;
  step.label = "compute";
  step.cost.clear();
  for (const double s : seconds) step.cost.push_back({.compute = s});
  return step;
}

Step communicate(StepKind kind, double startup, double transfer = 0) {
  Step step;
  step.kind = kind;
  step.label = "call";
  step.cost = {{.compute = 0, .startup = startup, .transfer = transfer}};
  return step;
}

Step loop(std::int64_t trips, std::vector<Step> body) {
  Step step;
  step.kind = StepKind::loop;
  step.label = "loop";
  step.trips = trips;
  step.body = std::move(body);
  return step;
}

std::vector<std::vector<std::int32_t>> ring(std::int32_t p) {
  std::vector<std::vector<std::int32_t>> partners;
  for (std::int32_t r = 0; r < p; ++r) partners.push_back({(r + p - 1) % p, (r + 1) % p});
  return partners;
}

std::vector<std::vector<std::int32_t>> shift(std::int32_t p, std::int32_t by) {
  std::vector<std::vector<std::int32_t>> partners(static_cast<std::size_t>(p));
  for (std::int32_t r = 0; r < p; ++r)
    if (r + by >= 0 && r + by < p) partners[static_cast<std::size_t>(r)] = {r + by};
  return partners;
}

Evaluation run(Program program, bool fold = true) {
  const auto result = evaluate(program, {.fold = fold});
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  return result.ok() ? result.value() : Evaluation{};
}

void expect_parts_sum(const Evaluation& e) {
  for (const RankTime& t : e.ranks) {
    EXPECT_EQ(t.compute + t.startup + t.transfer + t.wait, t.end);
    EXPECT_GE(t.wait, 0);
  }
}

TEST(Recursion, AGlobalLoopTakesTheSumOfTheSlowestRanksTimes) {
  const Program program{
      3,
      {loop(1'000'000, {compute({1e-3, 2e-3, 3e-3}), communicate(StepKind::global, 5e-6, 1e-6),
                        compute({4e-3, 1e-3, 1e-3}), communicate(StepKind::global, 5e-6)})}};
  const Evaluation e = run(program);
  const double expected = 1e6 * (3e-3 + 6e-6 + 4e-3 + 5e-6);
  for (const RankTime& t : e.ranks) EXPECT_NEAR(t.end / expected, 1, 1e-12);
  EXPECT_NEAR(e.ranks[0].compute, 1e6 * 5e-3, 1e-6);
  EXPECT_NEAR(e.ranks[0].wait, 1e6 * 2e-3, 1e-6);
  EXPECT_NEAR(e.ranks[2].startup, 10, 1e-9);
  EXPECT_NEAR(e.ranks[2].transfer, 1, 1e-9);
  EXPECT_LT(e.evaluated_steps, 100);
  expect_parts_sum(e);
}

TEST(Recursion, ARingFollowsItsSlowestRankAndTheDelaySpreadsOneNeighbourAnIteration) {
  std::vector<double> seconds(10, 1.0);
  seconds[0] = 1.5;
  Step halo = communicate(StepKind::exchange, 0.25);
  halo.partners = ring(10);
  const Evaluation e = run({10, {loop(100'000, {compute(seconds), halo})}});
  // The wait is at the end of an iteration: rank d is affected by the slow rank for d iterations less, but
  // one more exchange is always shared.
  for (std::size_t r = 0; r < 10; ++r) {
    const double distance = static_cast<double>(std::min(r, 10 - r));
    const double feels = 100'000 - std::max(0.0, distance - 1);
    EXPECT_NEAR(e.ranks[r].end, feels * 1.75 + (100'000 - feels) * 1.25, 1e-5) << r;
  }
  EXPECT_EQ(e.slowest() % 9, 0);
  expect_parts_sum(e);
}

TEST(Recursion, APipelineFillsAndThenRunsAtTheRateOfAStage) {
  const std::int32_t p = 16;
  const double work = 2e-3;
  const double send_cost = 1e-4;
  const double flight = 3e-4;
  const double receive_cost = 5e-5;
  Step receive = communicate(StepKind::receive, receive_cost);
  receive.partners = shift(p, -1);
  receive.delay = {{.compute = 0, .startup = flight}};
  receive.cost.assign(p, {.compute = 0, .startup = receive_cost});
  receive.cost[0] = {};
  Step send = communicate(StepKind::send, send_cost);
  send.partners = shift(p, 1);
  send.cost.assign(p, {.compute = 0, .startup = send_cost});
  send.cost[p - 1] = {};
  const std::int64_t trips = 50'000;
  const Evaluation e = run({p, {loop(trips, {receive, compute({work}), send})}});
  // The first block reaches the last rank through p - 1 sends, flights and receives; all stages except the
  // ends are equal.
  const double first = p * work + (p - 1) * (send_cost + flight + receive_cost);
  const double stage = work + send_cost + receive_cost;
  EXPECT_NEAR(e.ranks[p - 1].end / (first + static_cast<double>(trips - 1) * stage), 1, 1e-12);
  EXPECT_LT(e.evaluated_steps, 10'000);
  expect_parts_sum(e);
}

TEST(Recursion, ABroadcastFromAFixedRootDoesNotHoldTheRootBack) {
  const Evaluation e = run({2, {loop(1000, {compute({1, 3}), communicate(StepKind::from_root, 0.5)})}});
  EXPECT_NEAR(e.ranks[0].end, 1500, 1e-9);
  EXPECT_NEAR(e.ranks[1].end, 3500, 1e-9);
  const Evaluation f = run({2, {loop(1000, {compute({3, 1}), communicate(StepKind::from_root, 0.5)})}});
  EXPECT_NEAR(f.ranks[0].end, 3500, 1e-9);
  EXPECT_NEAR(f.ranks[1].end, 3500, 1e-9);
}

TEST(Recursion, AReductionHoldsOnlyTheRootBack) {
  const Evaluation e = run({3, {loop(10, {compute({1, 2, 4}), communicate(StepKind::to_root, 0)})}});
  EXPECT_DOUBLE_EQ(e.ranks[0].end, 40);
  EXPECT_DOUBLE_EQ(e.ranks[1].end, 20);
  EXPECT_DOUBLE_EQ(e.ranks[2].end, 40);
}

TEST(Recursion, ACyclicRootMakesAllRanksFollowTheSlowest) {
  Step broadcast = communicate(StepKind::from_root, 0.1);
  broadcast.cyclic_root = true;
  const Program program{4, {loop(4000, {compute({1, 1, 2, 1}), broadcast})}};
  const Evaluation folded = run(program);
  const Evaluation plain = run(program, false);
  for (std::size_t r = 0; r < 4; ++r) EXPECT_NEAR(folded.ranks[r].end / plain.ranks[r].end, 1, 1e-12);
  EXPECT_NEAR(folded.ranks[2].end, 4000 * 2.1, 1e-6);
  EXPECT_LT(folded.evaluated_steps, plain.evaluated_steps / 10);
}

TEST(Recursion, ALateCatchUpIsNotJumpedOver) {
  // Rank 1 starts 1000 s late and takes 1 s per iteration. Rank 0 takes 3 s and sends to rank 1: from
  // iteration 500 on it is the later one.
  Step send = communicate(StepKind::send, 0);
  send.partners = shift(2, 1);
  Step receive = communicate(StepKind::receive, 0);
  receive.partners = shift(2, -1);
  const Program program{2, {compute({0, 1000}), loop(10'000, {compute({3, 1}), send, receive})}};
  const Evaluation e = run(program);
  EXPECT_DOUBLE_EQ(e.ranks[0].end, 30'000);
  EXPECT_DOUBLE_EQ(e.ranks[1].end, 30'000);
  EXPECT_LT(e.evaluated_steps, 2000);
}

TEST(Recursion, TwoSlowRanksFarApartDoNotAddUpInARing) {
  // Slow in different intervals: neighbours add up (sum of maxima), distant ranks do not.
  const auto end = [](std::int32_t distance) {
    std::vector<double> first(12, 1.0);
    std::vector<double> second(12, 1.0);
    first[0] = 2;
    second[static_cast<std::size_t>(distance)] = 2;
    Step halo = communicate(StepKind::exchange, 0);
    halo.partners = ring(12);
    return run({12, {loop(10'000, {compute(first), halo, compute(second), halo})}}).ranks[0].end;
  };
  EXPECT_NEAR(end(0), 40'000, 1e-6);
  EXPECT_NEAR(end(1), 40'000, 2);
  EXPECT_NEAR(end(6), 30'000, 20);
}

Program random_program(statistics::Random& random) {
  const auto p = static_cast<std::int32_t>(2 + random.below(6));
  const auto costs = [&] {
    std::vector<double> s;
    for (std::int32_t r = 0; r < p; ++r) s.push_back(static_cast<double>(random.below(20)) * 0.37);
    return s;
  };
  const auto body = [&](auto&& self, int depth) -> std::vector<Step> {
    std::vector<Step> steps;
    const std::uint64_t count = 1 + random.below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      steps.push_back(compute(costs()));
      const std::uint64_t kind = random.below(depth > 0 ? 7 : 6);
      Step step = communicate(StepKind::local, static_cast<double>(random.below(5)) * 0.21);
      if (kind == 0) step.kind = StepKind::global;
      if (kind == 1) step.kind = StepKind::exchange, step.partners = ring(p);
      if (kind == 2)
        step.kind = StepKind::from_root,
        step.root = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(p)));
      if (kind == 3) step.kind = StepKind::to_root, step.cyclic_root = random.below(2) == 0;
      if (kind == 4) step.kind = StepKind::exchange, step.partners = shift(p, 1);
      if (kind == 5) {
        step.kind = StepKind::send;
        step.channel =
            static_cast<std::int32_t>(random.below(3)) + 100 * static_cast<std::int32_t>(random.below(1000));
        step.partners = shift(p, random.below(2) == 0 ? 1 : -1);
        Step receive = communicate(StepKind::receive, 0.11);
        receive.channel = step.channel;
        receive.delay = {{.compute = 0, .startup = 0.4, .transfer = static_cast<double>(random.below(9))}};
        receive.partners = step.partners == shift(p, 1) ? shift(p, -1) : shift(p, 1);
        const bool chain = random.below(2) == 0;
        steps.push_back(chain ? receive : step);
        if (chain) steps.push_back(compute(costs()));
        if (!chain) step = receive;
      }
      if (kind == 6) step = loop(static_cast<std::int64_t>(random.below(40)), self(self, depth - 1));
      steps.push_back(std::move(step));
    }
    return steps;
  };
  return {p,
          {compute(costs()), loop(1 + static_cast<std::int64_t>(random.below(300)), body(body, 2)),
           compute(costs())}};
}

TEST(Recursion, FoldedEqualsUnfoldedOnRandomPrograms) {
  statistics::Random random(11);
  std::int64_t folded_steps = 0;
  std::int64_t plain_steps = 0;
  for (int i = 0; i < 60; ++i) {
    const Program program = random_program(random);
    const auto folded = evaluate(program);
    const auto plain = evaluate(program, {.fold = false});
    ASSERT_EQ(folded.ok(), plain.ok()) << i;
    if (!folded.ok()) continue;
    folded_steps += folded->evaluated_steps;
    plain_steps += plain->evaluated_steps;
    for (std::size_t r = 0; r < folded->ranks.size(); ++r) {
      const RankTime& a = folded->ranks[r];
      const RankTime& b = plain->ranks[r];
      const double near = 1e-10 * (1 + b.end);
      ASSERT_NEAR(a.end, b.end, near) << i;
      ASSERT_NEAR(a.compute, b.compute, near) << i;
      ASSERT_NEAR(a.startup, b.startup, near) << i;
      ASSERT_NEAR(a.transfer, b.transfer, near) << i;
      ASSERT_NEAR(a.wait, b.wait, near) << i;
    }
    expect_parts_sum(*folded);
  }
  EXPECT_LT(folded_steps * 2, plain_steps);
}

TEST(Recursion, MoreTimeAnywhereIsNeverFaster) {
  statistics::Random random(5);
  for (int i = 0; i < 40; ++i) {
    Program program = random_program(random);
    const auto before = evaluate(program);
    if (!before.ok()) continue;
    Step& first = program.steps[1].body[0];
    first.cost[random.below(first.cost.size())].compute += 7.7;
    const auto after = evaluate(program);
    ASSERT_TRUE(after.ok());
    EXPECT_GE(after->ranks[static_cast<std::size_t>(after->slowest())].end,
              before->ranks[static_cast<std::size_t>(before->slowest())].end * (1 - 1e-12));
  }
}

TEST(Recursion, ReceivesWithoutASendAreADeadlockNamedByRankAndCall) {
  Step receive = communicate(StepKind::receive, 0);
  receive.label = "MPI_Recv (a.c:7)";
  receive.partners = ring(3);
  const auto result = evaluate({3, {loop(5, {receive})}});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().where, testing::HasSubstr("rank 0 in MPI_Recv (a.c:7)"));
}

TEST(Recursion, AProgramTooLongForTheLimitsIsRefused) {
  const auto result =
      evaluate({2, {loop(1000, {communicate(StepKind::global, 1)})}}, {.rank_steps = 100, .fold = false});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().what, testing::HasSubstr("too long"));
}

TEST(Extreme, TheClosedFormEqualsTheIntegralsOfTheLiterature) {
  // Expected largest of n standard normals (n = 2, 3: 1/sqrt(pi), 3/(2 sqrt(pi))); others by numerical
  // integration.
  EXPECT_EQ(expected_largest_normal(1), 0);
  EXPECT_NEAR(expected_largest_normal(2) / 0.5641895835477563, 1, 2e-4);
  EXPECT_NEAR(expected_largest_normal(3) / 0.8462843753216345, 1, 2e-4);
  EXPECT_NEAR(expected_largest_normal(4) / 1.0293753730039641, 1, 2e-4);
  EXPECT_NEAR(expected_largest_normal(16) / 1.7659913930547678, 1, 2e-4);
  EXPECT_NEAR(expected_largest_normal(1024) / 3.2482396013, 1, 2e-4);
  EXPECT_NEAR(expected_largest_normal(1e6) / 4.862897486, 1, 2e-4);
}

TEST(Extreme, SamplingTheRecursionOnARingGivesTheNeighbourDelay) {
  statistics::Random random(3);
  std::vector<double> x(128, 0.0);
  std::vector<double> y(128);
  const int steps = 4000;
  for (int t = 0; t < steps; ++t) {
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = std::max({x[i], x[(i + 1) % 128], x[(i + 127) % 128]}) + random.normal();
    x = y;
  }
  EXPECT_NEAR(*std::max_element(x.begin(), x.end()) / steps, expected_neighbour_delay(128, 1), 0.03);
}

}  // namespace
}  // namespace parcast::dependence
