// SPDX-License-Identifier: Apache-2.0
// The equation engine on hand-written models, against separately computed closed forms.
#include "predict/equation/equation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "predict/dependence/extreme.h"
#include "predict/intervals.h"
#include "predict/model_builder.h"
#include "statistics/random.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using program::kNone;
using program::NodeId;
using program::PeerRelation;
using program::Synchronisation;
using recording::CallClass;
using recording::Pattern;
using symbolic::Rational;

constexpr double kLatency = 2e-6;
constexpr double kOverhead = 3e-7;
constexpr double kGap = 1e-9;
constexpr double kSecondsPerPoint = 2e-9;
constexpr double kAllreduceStartup = 4e-6;
constexpr double kAllreduceGrowth = 1.5e-6;
constexpr double kAllreducePerByte = 3e-10;

machine::Machine paper_machine() {
  machine::Machine m = simple_machine(kLatency, kOverhead, kGap);
  add_table(m, Pattern::allreduce, "log2", kAllreduceStartup, kAllreduceGrowth, kAllreducePerByte, 0);
  add_table(m, Pattern::broadcast, "ceil_log2", 1e-6, 2e-6, 1e-10, 5e-10);
  add_table(m, Pattern::barrier, "log2", 1e-6, 1e-6, 0, 0);
  return m;
}

// steps x { n^2 / p points, allreduce of 8 bytes }
Builder bulk_synchronous() {
  Builder b("bulk");
  b.add_parameter("n", {256, 512, 1024});
  b.add_parameter("steps", {10, 20, 40});
  b.model.processes = {1, 2, 4};
  const Expression n = parameter("n");
  const Expression steps = parameter("steps");
  const NodeId loop = b.loop(0, steps);
  const NodeId reduce =
      b.collective(loop, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, steps, 8);
  b.segment(loop, reduce, reduce, steps, proportional(n * n / p(), kSecondsPerPoint));
  return b;
}

Prediction predict(const program::Model& model, const machine::Machine& m, const Question& q) {
  const auto result = equation_engine().predict(model, m, q);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  return result.ok() ? result.value() : Prediction{};
}

double sum_of_parts(const Parts& p) {
  return p.compute.value + p.memory.value + p.message_startup.value + p.transfer.value + p.wait.value;
}

void expect_consistent(const Prediction& p) {
  EXPECT_NEAR(sum_of_parts(p.parts), p.seconds.value, 1e-12 * p.seconds.value);
  double regions = 0;
  for (const RegionTime& r : p.regions) {
    regions += r.seconds.value;
    EXPECT_NEAR(sum_of_parts(r.parts), r.seconds.value, 1e-12 * p.seconds.value) << r.path;
    EXPECT_LE(r.seconds.low, r.seconds.value * (1 + 1e-12));
    EXPECT_GE(r.seconds.high, r.seconds.value * (1 - 1e-12));
  }
  EXPECT_NEAR(regions, p.seconds.value, 1e-12 * p.seconds.value);
  double coverage = 0;
  for (const auto& [origin, share] : p.coverage) coverage += share;
  EXPECT_NEAR(coverage, 1, 1e-12);
  EXPECT_EQ(p.coverage.size(), kOrigins.size());
  EXPECT_GT(p.seconds.low, 0);
  EXPECT_LE(p.seconds.low, p.seconds.value * (1 + 1e-12));
  EXPECT_GE(p.seconds.high, p.seconds.value * (1 - 1e-12));
}

TEST(Equation, ABulkSynchronousLoopIsComputingPlusCollective) {
  const Prediction p =
      predict(bulk_synchronous().model, paper_machine(), ask(64, {{"n", 1024}, {"steps", 100}}));
  EXPECT_NEAR(p.parts.compute.value, 100 * 1024.0 * 1024 / 64 * kSecondsPerPoint, 1e-15);
  EXPECT_NEAR(p.parts.message_startup.value, 100 * (kAllreduceStartup + 6 * kAllreduceGrowth), 1e-15);
  EXPECT_NEAR(p.parts.transfer.value, 100 * 8 * kAllreducePerByte, 1e-18);
  EXPECT_EQ(p.parts.wait.value, 0);
  EXPECT_EQ(p.nodes, 64);
  EXPECT_NEAR(p.node_hours.value, 64 * p.seconds.value / 3600, 1e-15);
  expect_consistent(p);
  EXPECT_EQ(p.regions.front().path, "loop/compute before MPI_Allreduce");
  EXPECT_EQ(p.regions.front().executions, "steps");
}

// Returns the equation's seconds of 10 calls of 100 bytes, and the codes of its warnings.
std::pair<double, std::vector<std::string>> of_ten_calls(const std::string& label, Pattern pattern,
                                                         const Expression& members,
                                                         const machine::Machine& m) {
  Builder b("calls");
  b.add_parameter("n", {64, 128});
  b.model.processes = {2, 4};
  const NodeId call = b.collective(0, label, pattern, Synchronisation::global, 10, 100);
  b.node(call).members = exact(members);
  const Prediction prediction = predict(b.model, m, ask(16, {{"n", 100}}));
  std::vector<std::string> codes;
  for (const Warning& warning : prediction.warnings) codes.push_back(warning.code);
  return {prediction.seconds.value, codes};
}

TEST(Equation, AVVariantIsPricedByItsTableOrByTheRegularOneWhichIsSaid) {
  machine::Machine m = paper_machine();
  add_table(m, Pattern::allgather, "1", 3e-6, 0, 0, 0);
  const auto [alike, said] = of_ten_calls("MPI_Allgatherv", Pattern::allgather, p(), m);
  EXPECT_NEAR(alike, 10 * 3e-6, 1e-15);
  EXPECT_EQ(std::count(said.begin(), said.end(), "regular-table"), 1);
  add_table(m, Pattern::allgather, "1", 7e-6, 0, 0, 0);
  m.patterns.back().name = "allgatherv", m.patterns.back().uneven = true;
  const auto [own, quiet] = of_ten_calls("MPI_Iallgatherv", Pattern::allgather, p(), m);
  EXPECT_NEAR(own, 10 * 7e-6, 1e-15);
  EXPECT_EQ(std::count(quiet.begin(), quiet.end(), "regular-table"), 0);
  EXPECT_NEAR(of_ten_calls("MPI_Allgather", Pattern::allgather, p(), m).first, 10 * 3e-6, 1e-15);
}

TEST(Equation, ANeighbourhoodOfFourIsPricedByItsTableOthersAreMessages) {
  machine::Machine m = paper_machine();
  const double message = 2 * kOverhead + kLatency;
  EXPECT_NEAR(of_ten_calls("MPI_Neighbor_alltoall", Pattern::neighbourhood, 4, m).first,
              40 * message + 1000 * kGap, 1e-15);
  add_table(m, Pattern::neighbourhood, "1", 5e-6, 0, 2e-10, 0);
  EXPECT_NEAR(of_ten_calls("MPI_Neighbor_alltoall", Pattern::neighbourhood, 4, m).first,
              10 * 5e-6 + 1000 * 2e-10, 1e-15);
  EXPECT_NEAR(of_ten_calls("MPI_Neighbor_alltoall", Pattern::neighbourhood, 6, m).first,
              60 * message + 1000 * kGap, 1e-15);
}

TEST(Equation, ASendReceiveRingPaysOneMessageEndToEndEachTurn) {
  Builder b("ring");
  b.add_parameter("n", {64, 128});
  b.model.processes = {2, 4};
  const Expression n = parameter("n");
  const NodeId loop = b.loop(0, 1000);
  const NodeId call =
      b.message(loop, "MPI_Sendrecv", CallClass::send_receive, PeerRelation::offset_ring, {1}, 1000, 8 * n);
  b.segment(loop, call, call, 1000, proportional(n * n, 1e-9));
  const Prediction p = predict(b.model, paper_machine(), ask(16, {{"n", 100}}));
  EXPECT_NEAR(p.seconds.value, 1000 * (1e-9 * 1e4 + 2 * kOverhead + kLatency + 800 * kGap), 1e-12);
  EXPECT_NEAR(p.parts.message_startup.value, 1000 * (2 * kOverhead + kLatency), 1e-15);
  expect_consistent(p);
}

TEST(Equation, ANeighbourhoodIsAMessageToEachNeighbour) {
  Builder b("halo");
  b.add_parameter("n", {64, 128});
  b.model.processes = {2, 4};
  const Expression n = parameter("n");
  const NodeId loop = b.loop(0, 1000);
  const NodeId call = b.collective(loop, "MPI_Neighbor_alltoall", Pattern::neighbourhood,
                                   Synchronisation::neighbour, 1000, 4 * 8 * n);
  b.model.nodes[static_cast<std::size_t>(call)].members =
      program::Count{.expression = Expression(4), .origin = Origin::exact};
  b.segment(loop, call, call, 1000, proportional(n * n, 1e-9));
  const Prediction p = predict(b.model, paper_machine(), ask(16, {{"n", 100}}));
  EXPECT_NEAR(p.seconds.value, 1000 * (1e-9 * 1e4 + 4 * (2 * kOverhead + kLatency) + 4 * 800 * kGap), 1e-12);
}

TEST(Equation, OneSidedAccessAndFilesCountAsMeasuredAndSayIt) {
  Builder b("files");
  b.model.processes = {2, 4};
  const NodeId loop = b.loop(0, 500);
  const NodeId write =
      b.message(loop, "MPI_File_write", CallClass::input_output, PeerRelation::none, {}, 500, 4096);
  const NodeId fence = b.message(loop, "MPI_Win_fence", CallClass::epoch, PeerRelation::none, {}, 500, 0);
  b.model.nodes[static_cast<std::size_t>(write)].measured_seconds = 2e-3;
  b.model.nodes[static_cast<std::size_t>(fence)].measured_seconds = 1e-3;
  const Prediction p = predict(b.model, paper_machine(), ask(8));
  EXPECT_NEAR(p.seconds.value, 500 * 3e-3, 1e-12);
  EXPECT_EQ(std::count_if(p.warnings.begin(), p.warnings.end(),
                          [](const auto& w) { return w.code == "measured-call"; }),
            2);
}

TEST(Equation, AnAccessThatTookNoTimeIsARequestAndAReply) {
  Builder b("get");
  b.model.processes = {2, 4};
  const NodeId loop = b.loop(0, 500);
  const NodeId get = b.message(loop, "MPI_Get", CallClass::one_sided, PeerRelation::none, {}, 500, 0);
  b.message(loop, "MPI_Win_flush", CallClass::epoch, PeerRelation::none, {}, 500, 0);
  b.model.nodes[static_cast<std::size_t>(get)].received_bytes =
      program::Count{.expression = Expression(500 * 800), .origin = Origin::exact};
  const Prediction p = predict(b.model, paper_machine(), ask(8));
  EXPECT_NEAR(p.seconds.value, 500 * (2 * (2 * kOverhead + kLatency) + 800 * kGap), 1e-12);
  EXPECT_EQ(std::count_if(p.warnings.begin(), p.warnings.end(),
                          [](const auto& w) { return w.code == "instantaneous-access"; }),
            1);
}

TEST(Equation, AMessageIsPaidOnceBetweenSendAndReceive) {
  const auto seconds = [](bool blocking) {
    Builder b;
    b.model.processes = {2, 4};
    const NodeId loop = b.loop(0, 500);
    using C = CallClass;
    if (blocking) {
      b.message(loop, "MPI_Send", C::send, PeerRelation::offset_ring, {1}, 500, 4096);
      b.message(loop, "MPI_Recv", C::receive, PeerRelation::offset_ring, {-1}, 500, 4096);
    } else {
      b.message(loop, "MPI_Irecv", C::start_receive, PeerRelation::offset_ring, {-1}, 500, 4096);
      b.message(loop, "MPI_Isend", C::start_send, PeerRelation::offset_ring, {1}, 500, 4096);
      b.message(loop, "MPI_Waitall", C::wait, PeerRelation::offset_ring, {-1}, 500, 4096);
    }
    return predict(b.model, paper_machine(), ask(8)).seconds.value;
  };
  const double once = 500 * (2 * kOverhead + kLatency + 4096 * kGap);
  EXPECT_NEAR(seconds(true), once, 1e-14);
  EXPECT_NEAR(seconds(false), once, 1e-14);
}

TEST(Equation, MessagesThatWaitsInARowCompleteAreUnderWayTogether) {
  const auto seconds = [](bool in_a_row) {
    Builder b;
    b.model.processes = {2, 4};
    const NodeId loop = b.loop(0, 500);
    using C = CallClass;
    b.message(loop, "MPI_Irecv", C::start_receive, PeerRelation::offset_ring, {-1}, 1500, 4096);
    b.message(loop, "MPI_Send", C::send, PeerRelation::offset_ring, {1}, 1500, 4096);
    const NodeId wait = b.message(loop, "MPI_Wait", C::wait, PeerRelation::offset_ring, {-1}, 1500, 4096);
    if (in_a_row) b.segment(loop, wait, wait, 1000, proportional(Expression(1), 0));
    return predict(b.model, paper_machine(), ask(8)).seconds.value;
  };
  const double overheads = 1500 * (2 * kOverhead + 4096 * kGap);
  EXPECT_NEAR(seconds(false), overheads + 1500 * kLatency, 1e-14);
  EXPECT_NEAR(seconds(true), overheads + 500 * kLatency, 1e-14);
}

TEST(Equation, GaussianEliminationIsTheSumOverPivotsOfBroadcastAndUpdate) {
  // Pivot k: broadcast of a row of n values from rank k mod p, update of the rows of the slowest rank: ceil(n
  // / p).
  Builder b("ge");
  b.add_parameter("n", {100, 200, 400});
  b.model.processes = {1, 2, 4};
  const Expression n = parameter("n");
  const NodeId loop = b.loop(0, n);
  const NodeId broadcast =
      b.collective(loop, "MPI_Bcast", Pattern::broadcast, Synchronisation::from_root, n, 8 * n);
  b.node(broadcast).relation = PeerRelation::cyclic_root;
  b.node(broadcast).amounts = {0};
  b.segment(loop, broadcast, broadcast, n, proportional(n * ceil((n - r()) / p()), 1e-9));
  for (const int processes : {2, 7, 16}) {
    const Prediction p = predict(b.model, paper_machine(), ask(processes, {{"n", 1000}}));
    const double rounds = std::ceil(std::log2(processes));
    EXPECT_NEAR(p.seconds.value / (1000 * (1e-9 * 1000 * std::ceil(1000.0 / processes) + 1e-6 +
                                           2e-6 * rounds + 8000 * (1e-10 + 5e-10 * rounds))),
                1, 1e-12)
        << processes;
    expect_consistent(p);
  }
}

TEST(Equation, APersistentImbalanceIsWaitingAndThereIsNoneAlone) {
  Builder b = bulk_synchronous();
  b.model.segments[0].cost.imbalance = 0.2;
  const Prediction p = predict(b.model, paper_machine(), ask(4, {{"n", 512}, {"steps", 10}}));
  EXPECT_NEAR(p.parts.wait.value, 0.2 * p.parts.compute.value, 1e-15);
  EXPECT_EQ(predict(b.model, paper_machine(), ask(1, {{"n", 512}, {"steps", 10}})).parts.wait.value, 0);
}

TEST(Equation, AFirstExecutionThatStandsOutCountsOnce) {
  Builder b = bulk_synchronous();
  b.model.segments[0].cost.first_excess = 4;
  const Prediction p = predict(b.model, paper_machine(), ask(2, {{"n", 512}, {"steps", 10}}));
  EXPECT_NEAR(p.parts.compute.value, (10 + 4) * 512.0 * 512 / 2 * kSecondsPerPoint, 1e-15);
}

TEST(Equation, TablesThatEndBelowTheQuestionAreSaid) {
  machine::Machine m = paper_machine();
  m.patterns[0].points = {{2, 8, 1e-5, 0, 10}, {16, 8, 1e-5, 0, 10}};
  const auto codes = [&](int processes) {
    std::string all;
    for (const Warning& w :
         predict(bulk_synchronous().model, m, ask(processes, {{"n", 512}, {"steps", 10}})).warnings)
      all += w.code + " ";
    return all;
  };
  EXPECT_THAT(codes(64), testing::HasSubstr("beyond-table"));
  EXPECT_THAT(codes(16), testing::Not(testing::HasSubstr("beyond-table")));
  EXPECT_THAT(codes(16), testing::Not(testing::HasSubstr("no-table")));
}

TEST(Equation, NoisyIterationsWaitForTheLastOfTheRanks) {
  Builder b = bulk_synchronous();
  b.model.segments[0].cost.iteration_noise.noise = 0.1;
  const Prediction p = predict(b.model, paper_machine(), ask(4, {{"n", 512}, {"steps", 50}}));
  // The expected largest of four standard normals is 1.02938.
  EXPECT_NEAR(p.parts.wait.value / (0.1 * 1.0293753730039641 * p.parts.compute.value), 1, 2e-4);
  expect_consistent(p);
  // Twice the noise between calls of all, half as often: the variance of the time in between counts.
  Builder c("two");
  c.model.processes = {2, 4};
  const NodeId loop = c.loop(0, 100);
  const NodeId barrier = c.collective(loop, "MPI_Barrier", Pattern::barrier, Synchronisation::global, 100, 0);
  const std::size_t s = c.segment(loop, barrier, barrier, 400, proportional(Expression(1), 1e-3));
  c.model.segments[s].cost.iteration_noise.noise = 0.1;
  EXPECT_NEAR(predict(c.model, paper_machine(), ask(4)).parts.wait.value,
              100 * 1.0293753730039641 * std::sqrt(4) * 1e-4, 1e-5);
}

/// A hundred barriers. Between them are some executions of so many seconds, which vary by a tenth.
Builder noisy_barriers(double seconds, std::int64_t executions) {
  Builder b("noisy");
  b.model.processes = {2, 4};
  const NodeId loop = b.loop(0, 100);
  const NodeId barrier = b.collective(loop, "MPI_Barrier", Pattern::barrier, Synchronisation::global, 100, 0);
  const std::size_t s = b.segment(loop, barrier, barrier, executions, proportional(Expression(1), seconds));
  b.model.segments[s].cost.iteration_noise.noise = 0.1;
  return b;
}

// A call that closes 100 intervals, of which three have computing: three waits, each e(4) x 10 % of 1 ms.
TEST(Equation, NoiseIsInAsManyIntervalsAsItsSegmentIsExecuted) {
  const Builder b = noisy_barriers(1e-3, 3);
  EXPECT_NEAR(predict(b.model, paper_machine(), ask(4)).parts.wait.value, 3 * 1.0293753730039641 * 1e-4,
              1e-7);
}

// 20 % of 4 ms, falling with the root of the duration: 10 % of 16 ms; of 1 ms no more than the 30 % recorded.
TEST(Equation, NoiseFallsWithTheDurationOfAnExecution) {
  const auto waiting = [](double seconds) {
    Builder b = noisy_barriers(seconds, 100);
    b.model.segments.back().cost.iteration_noise = {0.2, 4e-3, 0.5, 0.3};
    return predict(b.model, paper_machine(), ask(4)).parts.wait.value;
  };
  EXPECT_NEAR(waiting(4e-3), 100 * 1.0293753730039641 * 0.2 * 4e-3, 1e-5);
  EXPECT_NEAR(waiting(16e-3), 100 * 1.0293753730039641 * 0.1 * 16e-3, 1e-5);
  EXPECT_NEAR(waiting(1e-3), 100 * 1.0293753730039641 * 0.3 * 1e-3, 1e-5);
}

// Of 100 waits of 0.1029 ms each, a process with a quarter of a core saves three quarters of a period of
// 0.04 ms, or three quarters of the millisecond that it works before.
TEST(Equation, ASharedCoreMakesUpForUnevenIterations) {
  const auto waiting = [](double period) {
    const Builder b = noisy_barriers(1e-3, 100);
    machine::Machine machine = paper_machine();
    machine.core_share = {0.25, 0, 9, Origin::measured};
    machine.share_period = {period, 0, 9, Origin::measured};
    return predict(b.model, machine, ask(4)).parts.wait.value;
  };
  EXPECT_NEAR(waiting(4e-5), 100 * (1.0293753730039641 * 1e-4 - 0.75 * 4e-5), 1e-6);
  EXPECT_NEAR(waiting(1e-2), 0, 1e-12);
}

TEST(Equation, SlowPhasesOutlastIntervalsAndHoldAllAtThePaceOfTheSlowest) {
  constexpr double kLargestOfFour = 1.0293753730039641;  // of standard normals, expected
  const auto waiting = [&](Synchronisation kind, program::PeerRelation relation, double iteration_noise) {
    Builder b("spells");
    b.model.processes = {2, 4};
    const NodeId loop = b.loop(0, 100);
    const NodeId call = b.collective(loop, "MPI_Bcast", Pattern::barrier, kind, 100, 0);
    b.node(call).relation = relation;
    // Two pieces of 1 ms before each call, both slow during the slow phase.
    for (int i = 0; i < 2; ++i) {
      const std::size_t s = b.segment(loop, call, call, 100, proportional(Expression(1), 1e-3));
      b.model.segments[s].cost.slow_phase_noise = 0.2;
      b.model.segments[s].cost.iteration_noise.noise = iteration_noise;
    }
    const Prediction p = predict(b.model, paper_machine(), ask(4));
    expect_consistent(p);
    return p.parts.wait.value;
  };
  using program::PeerRelation;
  EXPECT_NEAR(waiting(Synchronisation::global, PeerRelation::none, 0), kLargestOfFour * 100 * 0.2 * 2e-3,
              1e-5);
  EXPECT_NEAR(waiting(Synchronisation::from_root, PeerRelation::cyclic_root, 0),
              kLargestOfFour * 100 * 0.2 * 2e-3, 1e-5);
  // A fixed root holds back no other rank: its slow phases and those of the others are over when they meet at
  // the end.
  EXPECT_EQ(waiting(Synchronisation::from_root, PeerRelation::fixed, 0), 0);
  // The same from iteration to iteration: 0.742 - 1.2 / 16 standard deviations per call
  // (docs/models/dependence.md).
  EXPECT_NEAR(waiting(Synchronisation::from_root, PeerRelation::cyclic_root, 0.3),
              100 * std::hypot(kLargestOfFour * 0.4, (0.742 - 1.2 / 16) * std::sqrt(2.0) * 0.3) * 1e-3, 1e-5);
  // Per interval, the variances of both: 0.4 ms for slow phases, sqrt(2) 0.3 ms from iteration to iteration.
  EXPECT_NEAR(waiting(Synchronisation::global, PeerRelation::none, 0.3),
              kLargestOfFour * 100 * std::sqrt(0.4 * 0.4 + 2 * 0.3 * 0.3) * 1e-3, 1e-5);
}

TEST(Equation, TheRankWithTheLargestBlockIsCritical) {
  Builder b("blocks");
  b.add_parameter("n", {100, 200, 300});
  b.model.processes = {1, 2, 4};
  const Expression n = parameter("n");
  const Expression rows = ceil((n - program::coordinate_symbol(2, 0)) / program::extent_symbol(2, 0));
  const Expression columns = ceil((n - program::coordinate_symbol(2, 1)) / program::extent_symbol(2, 1));
  const NodeId loop = b.loop(0, 10);
  const NodeId reduce =
      b.collective(loop, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, 10, 8);
  b.segment(loop, reduce, reduce, 10, proportional(rows * columns, 1e-6));
  for (const int processes : {6, 12, 144, 10'000}) {
    const auto grid = program::balanced_dimensions(processes, 2);
    const Prediction p = predict(b.model, paper_machine(), ask(processes, {{"n", 1001}}));
    EXPECT_NEAR(p.parts.compute.value / (1e-5 * std::ceil(1001.0 / grid[0]) * std::ceil(1001.0 / grid[1])), 1,
                1e-12);
    const auto equation = build_equation(b.model, paper_machine(), ask(processes, {{"n", 1001}}));
    ASSERT_TRUE(equation.ok());
    for (const auto& symbol : free_symbols(equation->seconds))
      EXPECT_NE(symbol.kind(), symbolic::SymbolKind::rank);
    EXPECT_NEAR(symbolic::evaluate(equation->seconds, equation->binding).value() / p.seconds.value, 1, 1e-12);
  }
}

TEST(Equation, ComputingScalesWithTheSpeedOfTheCores) {
  machine::Machine slow = paper_machine();
  slow.core_speed = measured(1e9);
  slow.name = "slow";
  machine::Machine fast = slow;
  fast.core_speed = measured(4e9);
  fast.name = "fast";
  Question q = ask(4, {{"n", 512}, {"steps", 10}});
  const program::Model model = bulk_synchronous().model;
  const double here = predict(model, slow, q).parts.compute.value;
  EXPECT_DOUBLE_EQ(predict(model, fast, q).parts.compute.value, here);
  q.recorded_machine = std::make_shared<machine::Machine>(slow);
  EXPECT_NEAR(predict(model, fast, q).parts.compute.value, here / 4, 1e-15);
  EXPECT_NEAR(predict(model, slow, q).parts.compute.value, here, 1e-15);
}

// A single process never waits, whatever the processor's speed. The derivative of the waiting's root is 0 / 0
// there.
// `machine new core=here` takes over a core: what is uncertain about it is the same in both times.
TEST(Equation, TheErrorOfACoreThatWasTakenOverCancels) {
  const Builder b = bulk_synchronous();
  machine::Machine here = paper_machine();
  here.core_speed.value = 2e9, here.core_speed.standard_error = 1e9;
  machine::Machine cluster = here;
  cluster.name = "cluster";
  Question q = ask(16, {{"n", 512}, {"steps", 10}});
  const Estimate as_recorded = predict(b.model, here, q).seconds;
  q.recorded_machine = std::make_shared<machine::Machine>(here);
  const Estimate taken_over = predict(b.model, cluster, q).seconds;
  EXPECT_DOUBLE_EQ(taken_over.low, as_recorded.low);
  EXPECT_DOUBLE_EQ(taken_over.high, as_recorded.high);
  cluster.core_speed.value = 2.1e9;
  EXPECT_GT(predict(b.model, cluster, q).seconds.high, 1.5 * as_recorded.high);
}

TEST(Equation, SensitivitiesOnOneProcess) {
  Builder b = bulk_synchronous();
  for (program::Segment& segment : b.model.segments)
    segment.cost.iteration_noise.noise = 0.1, segment.cost.slow_phase_noise = 0.05;
  machine::Machine m = paper_machine();
  m.core_speed.value = 2e9;
  Question q = ask(1, {{"n", 512}, {"steps", 10}});
  q.recorded_machine = std::make_shared<machine::Machine>(m);
  const auto found = sensitivities(b.model, m, q);
  ASSERT_TRUE(found) << to_string(found.error());
  const auto speed = std::ranges::find(*found, "core_speed", &Sensitivity::parameter);
  ASSERT_NE(speed, found->end());
  const double seconds = predict(b.model, m, q).parts.compute.value;
  EXPECT_NEAR(speed->derivative, -seconds / 2e9, 1e-12 * seconds / 2e9);  // T = W / speed
}

// In doubles 98 * (1/49) is less than 2.
TEST(Equation, SensitivitiesRoundAsTheTimeDoes) {
  Builder b("parts");
  b.add_parameter("n", {49, 98});
  b.add_parameter("steps", {10, 20});
  b.model.processes = {1, 49};
  const Expression part = floor(parameter("n") / p()), steps = parameter("steps");
  const NodeId loop = b.loop(0, steps);
  const NodeId reduce =
      b.collective(loop, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, steps, 8);
  b.segment(loop, reduce, reduce, steps, proportional(part, 1e-3));
  machine::Machine m = paper_machine();
  m.core_speed.value = 2e9;
  Question q = ask(49, {{"n", 98}, {"steps", 10}});
  q.recorded_machine = std::make_shared<machine::Machine>(m);
  const auto found = sensitivities(b.model, m, q);
  ASSERT_TRUE(found) << to_string(found.error());
  const auto speed = std::ranges::find(*found, "core_speed", &Sensitivity::parameter);
  ASSERT_NE(speed, found->end());
  EXPECT_NEAR(speed->derivative, -10 * 2 * 1e-3 / 2e9, 1e-12 / 2e9);  // ten steps of two parts of 1 ms
}

TEST(Equation, ScalingTheUnitOfTimeScalesTheAnswer) {
  Builder b = bulk_synchronous();
  b.model.segments[0].cost.imbalance = 0.1;
  b.model.segments[0].cost.iteration_noise.noise = 0.05;
  machine::Machine m = paper_machine();
  const Question q = ask(32, {{"n", 512}, {"steps", 10}});
  const double seconds = predict(b.model, m, q).seconds.value;
  for (const machine::NamedParameter& named : machine::parameters(m)) named.parameter->value *= 1000;
  statistics::GrowthModel slower = b.model.segments[0].cost.growth;
  slower.hypotheses[0].terms[0].coefficient *= 1000;
  b.model.segments[0].cost.growth = slower;
  EXPECT_NEAR(predict(b.model, m, q).seconds.value / seconds, 1000, 1e-9);
}

// A random model with every kind of call.
Builder random_model(statistics::Random& random) {
  Builder b("random");
  b.add_parameter("n", {32, 64, 128});
  b.model.processes = {1, 2, 4};
  const Expression n = parameter("n");
  NodeId parent = 0;
  Expression executions = 1;
  for (std::uint64_t depth = 0; depth < 1 + random.below(2); ++depth) {
    executions = executions * Expression(static_cast<std::int64_t>(2 + random.below(20)));
    parent = b.loop(parent, executions);
    NodeId last = kNone;
    for (std::uint64_t i = 0; i < 1 + random.below(4); ++i) {
      NodeId call = kNone;
      const Expression bytes = 8 * n;
      switch (random.below(4)) {
        case 0:
          call = b.collective(parent, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global,
                              executions, bytes);
          break;
        case 1:
          call = b.message(parent, "MPI_Sendrecv", CallClass::send_receive, PeerRelation::offset_ring, {1},
                           executions, bytes);
          break;
        case 2:
          call = b.collective(parent, "MPI_Bcast", Pattern::broadcast, Synchronisation::from_root, executions,
                              bytes);
          break;
        default:
          b.message(parent, "MPI_Isend", CallClass::start_send, PeerRelation::grid_shift, {0, 1, 2, 0},
                    executions * min(program::coordinate_symbol(2, 0), 1), bytes);
          call = b.message(parent, "MPI_Recv", CallClass::receive, PeerRelation::grid_shift, {0, -1, 2, 0},
                           executions, bytes);
      }
      const std::size_t s = b.segment(
          parent, last, call, executions,
          proportional(n * ceil((n - r()) / p()), 1e-9 * static_cast<double>(1 + random.below(100))));
      b.model.segments[s].cost.imbalance = random.uniform() * 0.2;
      b.model.segments[s].cost.iteration_noise.noise = random.uniform() * 0.1;
      last = call;
    }
  }
  return b;
}

TEST(Equation, PartsRegionsAndCoverageSumOnRandomModels) {
  statistics::Random random(1);
  for (int i = 0; i < 25; ++i)
    expect_consistent(predict(
        random_model(random).model, paper_machine(),
        ask(static_cast<int>(1 + random.below(40)), {{"n", static_cast<double>(16 + random.below(200))}})));
}

TEST(Equation, MoreBandwidthAndLessLatencyAreNeverSlower) {
  statistics::Random random(2);
  for (int i = 0; i < 25; ++i) {
    const program::Model model = random_model(random).model;
    const Question q =
        ask(static_cast<int>(1 + random.below(40)), {{"n", static_cast<double>(16 + random.below(200))}});
    machine::Machine m = paper_machine();
    const double before = predict(model, m, q).seconds.value;
    auto all = machine::parameters(m);
    all[random.below(all.size())].parameter->value *= 0.5;
    EXPECT_LE(predict(model, m, q).seconds.value, before * (1 + 1e-12));
  }
}

TEST(Equation, SensitivitiesEqualFiniteDifferencesAndTheStartupsIsLinearInNAndLogarithmicInP) {
  Builder b("ge");
  b.add_parameter("n", {100, 200, 400});
  b.model.processes = {1, 2, 4};
  const Expression n = parameter("n");
  const NodeId loop = b.loop(0, n);
  const NodeId broadcast =
      b.collective(loop, "MPI_Bcast", Pattern::broadcast, Synchronisation::from_root, n, 8 * n);
  b.segment(loop, broadcast, broadcast, n, proportional(n * n / p(), 1e-9));
  const machine::Machine m = paper_machine();
  const Question q = ask(16, {{"n", 500}});
  const auto found = sensitivities(b.model, m, q);
  ASSERT_TRUE(found.ok());
  const double total = predict(b.model, m, q).seconds.value;
  double growth = 0;
  double elasticities = 0;
  for (const Sensitivity& s : *found) {
    machine::Machine up = m;
    machine::Machine down = m;
    const double step = 1e-4 * s.value;
    for (const auto& named : machine::parameters(up))
      if (named.name == s.parameter) named.parameter->value += step;
    for (const auto& named : machine::parameters(down))
      if (named.name == s.parameter) named.parameter->value -= step;
    const double difference =
        (predict(b.model, up, q).seconds.value - predict(b.model, down, q).seconds.value) / (2 * step);
    EXPECT_NEAR(s.derivative / difference, 1, 1e-6) << s.parameter;
    EXPECT_NEAR(s.elasticity, s.derivative * s.value / total, 1e-12);
    elasticities += s.elasticity;
    if (s.parameter == "patterns.broadcast.0.startup_growth") growth = s.derivative;
  }
  EXPECT_NEAR(growth, 500 * 4, 1e-9);
  const Prediction p = predict(b.model, m, q);
  EXPECT_NEAR(elasticities, 1 - p.parts.compute.value / total, 1e-12);
}

TEST(Equation, ASweepGivesWhatSinglePredictionsGive) {
  statistics::Random random(4);
  for (int i = 0; i < 6; ++i) {
    const program::Model model = random_model(random).model;
    std::vector<Question> questions;
    for (int k = 0; k < 20; ++k)
      questions.push_back(ask(static_cast<int>(1 + random.below(100)),
                              {{"n", static_cast<double>(16 + random.below(2000))}}));
    const auto swept = sweep(model, paper_machine(), questions);
    ASSERT_TRUE(swept.ok());
    for (std::size_t k = 0; k < questions.size(); ++k)
      EXPECT_NEAR((*swept)[k] / predict(model, paper_machine(), questions[k]).seconds.value, 1, 1e-12);
  }
}

TEST(Equation, ASweepBelowTheRecordingsKeepsTheMeaningOfCountsToo) {
  // n - 20 executions of 1 ms, recorded from n = 32 on: none at n = 8.
  Builder b;
  b.add_parameter("n", {32, 64});
  b.model.processes = {1, 2};
  b.segment(0, kNone, kNone, parameter("n") - Expression(20), proportional(Expression(1), 1e-3));
  b.segment(0, kNone, kNone, 1, proportional(Expression(1), 1e-3));
  const std::vector<Question> questions{ask(1, {{"n", 8}}), ask(1, {{"n", 25}}), ask(1, {{"n", 64}})};
  const auto swept = sweep(b.model, paper_machine(), questions);
  ASSERT_TRUE(swept.ok());
  EXPECT_NEAR((*swept)[0], 1e-3, 1e-12);
  EXPECT_NEAR((*swept)[1], 6e-3, 1e-12);
  EXPECT_NEAR((*swept)[2], 45e-3, 1e-12);
}

TEST(Equation, ACollectiveIsAsSureAsWhoTakesPart) {
  Builder b = bulk_synchronous();
  const Question q = ask(4, {{"n", 512}, {"steps", 10}});
  EXPECT_EQ(predict(b.model, paper_machine(), q).coverage.at(Origin::ambiguous), 0);
  const auto call = std::find_if(b.model.nodes.begin(), b.model.nodes.end(),
                                 [](const auto& n) { return n.pattern == Pattern::allreduce; });
  call->members.origin = Origin::ambiguous;
  const Prediction p = predict(b.model, paper_machine(), q);
  EXPECT_NEAR(p.coverage.at(Origin::ambiguous),
              (p.parts.message_startup.value + p.parts.transfer.value) / p.seconds.value, 1e-9);
  EXPECT_GT(p.coverage.at(Origin::ambiguous), 0);
}

TEST(Equation, ProbabilityOfTheLimitIsAHalfAtTheValueAndGrows) {
  Builder b = bulk_synchronous();
  machine::Machine m = paper_machine();
  m.noise = measured(0.05);
  Question q = ask(4, {{"n", 512}, {"steps", 10}});
  const double seconds = predict(b.model, m, q).seconds.value;
  const auto within = [&](double limit) {
    q.limit = limit;
    return predict(b.model, m, q).within_limit.value();
  };
  EXPECT_NEAR(within(seconds), 0.5, 1e-9);
  EXPECT_NEAR(within(predict(b.model, m, q).seconds.high), 0.95, 1e-9);
  EXPECT_LT(within(0.5 * seconds), 1e-3);
  EXPECT_GT(within(2 * seconds), 0.999);
}

TEST(Equation, JustBelowAValueWhoseIntervalReachesNothingALimitIsHalfLikely) {
  Builder b = bulk_synchronous();
  Question q = ask(4, {{"n", 512}, {"steps", 10}});
  Estimate wide;
  wide.value = 1, wide.low = 0, wide.high = 2, wide.level = 0.9;
  const auto within = [&](double limit) {
    q.limit = limit;
    return answer_of("equation", b.model, paper_machine(), q, wide).within_limit.value();
  };
  EXPECT_NEAR(within(0.999), 0.5, 1e-3);
  EXPECT_NEAR(within(1e-6), 0.05, 1e-9);  // the end of the interval
}

TEST(Equation, TheIdealMachineLeavesComputing) {
  const Prediction p =
      predict(bulk_synchronous().model, machine::ideal_machine(), ask(16, {{"n", 512}, {"steps", 10}}));
  EXPECT_NEAR(p.seconds.value, 10 * 512.0 * 512 / 16 * kSecondsPerPoint, 1e-15);
  for (const Warning& w : p.warnings) EXPECT_NE(w.code, "compute-not-scaled");
}

}  // namespace
}  // namespace parcast::predict
