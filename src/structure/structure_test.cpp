// SPDX-License-Identifier: Apache-2.0
// Models of small runs generate, at 64 processes and more, the trace that the program itself gives there.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <bit>
#include <random>

#include "model/binding.h"
#include "model/model_file.h"
#include "observations/grid_candidates.h"
#include "structure/find.h"
#include "structure/generate.h"
#include "structure/testing/test_programs.h"

namespace parcast::program {
namespace {

using recording::Pattern;
using ::testing::HasSubstr;
using testing::Program;
using testing::TestGrid;
using testing::TracedRank;
using testing::Values;

constexpr double kNear = 0.01;

std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

/// Returns points with n varied alone at the smallest p, p varied alone, both crossed, and steps varied in
/// the same way.
std::vector<std::pair<std::int32_t, Values>> points(const std::vector<std::int32_t>& processes) {
  std::vector<std::pair<std::int32_t, Values>> all;
  for (const std::int32_t p : processes) all.push_back({p, {{"n", 96}, {"steps", 10}}});
  for (const std::int64_t n : {145, 201}) all.push_back({processes[0], {{"n", n}, {"steps", 10}}});
  all.push_back({processes[1], {{"n", 145}, {"steps", 10}}});
  for (const std::int64_t steps : {17, 31}) all.push_back({processes[0], {{"n", 96}, {"steps", steps}}});
  all.push_back({processes[1], {{"n", 96}, {"steps", 17}}});
  all.push_back({processes[0], {{"n", 145}, {"steps", 17}}});
  return all;
}

Result<Model> model_of(const Program& program, const std::vector<std::pair<std::int32_t, Values>>& at) {
  Model model;
  model.program = "test";
  for (const std::string& name : names_of(at.front().second)) model.parameters.push_back({name, {}});
  PARCAST_ASSIGN(model.structure,
                 find_structure(testing::runs_of(program, at), names_of(at.front().second), {}));
  return model;
}

Result<trace::Trace> generated(const Program& program, const std::vector<std::pair<std::int32_t, Values>>& at,
                               std::int32_t processes, const Values& values) {
  PARCAST_ASSIGN(const Model model, model_of(program, at));
  Point point{{}, processes};
  for (const auto& [name, value] : values) point.parameters[name] = static_cast<double>(value);
  return generate(model, point);
}

void expect_generated(const Program& program, const std::vector<std::pair<std::int32_t, Values>>& at,
                      std::int32_t processes, const Values& values) {
  const auto made = generated(program, at, processes, values);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(testing::difference(testing::trace_of(program, processes, values), *made, kNear), "");
}

/// Expects correct traces for several numbers of steps, from one model.
void expect_generated_steps(const Program& program, const std::vector<std::pair<std::int32_t, Values>>& at,
                            const std::vector<std::int64_t>& steps) {
  const auto model = model_of(program, at);
  ASSERT_TRUE(model) << to_string(model.error());
  for (const std::int64_t each : steps) {
    const auto made = generate(*model, {{{"n", 402}, {"steps", static_cast<double>(each)}}, 16});
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(
        testing::difference(testing::trace_of(program, 16, {{"n", 402}, {"steps", each}}), *made, kNear), "")
        << each;
  }
}

const std::vector<std::int32_t> kPowers{4, 8, 16}, kSquares{4, 9, 16};
const Values kLarger{{"n", 402}, {"steps", 100}};

void ring(TracedRank& rank) {
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.compute(1e-6 * static_cast<double>(rank["n"]));
    for (std::int64_t k = 1; k < rank.p; ++k)
      rank.exchange(10, (rank.r + 1) % rank.p, (rank.r + rank.p - 1) % rank.p, 8 * rank["n"]);
    rank.collective(11, Pattern::allreduce, 8);
  }
}

TEST(Structure, RingOfAsManyRoundsAsRanks) {
  expect_generated(ring, points(kPowers), 64, kLarger);
  expect_generated(ring, points(kSquares), 61, kLarger);
}

/// A distributed product: each rank gets the block of every other one, in order.
void blocks_of_others(TracedRank& rank) {
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.compute(1e-6 * static_cast<double>(rank["n"]));
    for (std::int64_t owner = 0; owner < rank.p; ++owner)
      if (owner != rank.r) rank.get(15, owner, 8 * rank["n"]);
    rank.collective(17, Pattern::barrier, 0);
  }
}

TEST(Structure, RemoteReadsOfAllOthers) {
  expect_generated(blocks_of_others, points(kPowers), 64, kLarger);
}

/// The halo of a distributed grid: one read of each neighbour over edges, in order of their ranks.
void halo_by_reads(TracedRank& rank) {
  const TestGrid grid(rank.p, 2, false);
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    for (const std::vector<int>& shift : {std::vector{-1, 0}, {0, -1}, {0, 1}, {1, 0}})
      if (const std::int64_t owner = grid.neighbour(rank.r, shift); owner >= 0)
        rank.get(16, owner, 8 * rank["n"]);
    rank.collective(18, Pattern::barrier, 0);
    rank.compute(2e-9 * static_cast<double>(rank["n"] * rank["n"]) / static_cast<double>(rank.p));
  }
}

TEST(Structure, RemoteReadsOfNeighbours) {
  expect_generated(halo_by_reads, points(kPowers), 64, kLarger);
}

/// Receives from and sends to neighbours, then one wait for all. Each direction has its own call, or all
/// share one.
Program halo(int dimensions, bool periodic, bool one_site) {
  return [=](TracedRank& rank) {
    const TestGrid grid(rank.p, dimensions, periodic);
    for (std::int64_t step = 0; step < rank["steps"]; ++step) {
      int line = 20;
      for (const bool sends : {false, true}) {
        line = sends ? 40 : 20;
        for (int k = 0; k < dimensions; ++k)
          for (const int by : {-1, 1}) {
            std::vector<int> shift(static_cast<std::size_t>(dimensions));
            shift[static_cast<std::size_t>(k)] = by;
            const std::int64_t other = grid.neighbour(rank.r, shift);
            const int site = one_site ? line : line++;
            if (other < 0) continue;
            if (sends)
              rank.start_send(site, other, 8 * rank["n"], 3);
            else
              rank.start_receive(site, other, 8 * rank["n"], 3);
          }
      }
      rank.wait_all(60);
      rank.compute(2e-9 * static_cast<double>(rank["n"] * rank["n"]) / static_cast<double>(rank.p));
    }
  };
}

TEST(Structure, HaloOfTwoDimensions) {
  for (const bool one_site : {false, true}) {
    SCOPED_TRACE(one_site);
    expect_generated(halo(2, false, one_site), points(kPowers), 64, kLarger);
    expect_generated(halo(2, true, one_site), points({6, 9, 16}), 64, kLarger);
    expect_generated(halo(2, true, one_site), points(kSquares), 60, kLarger);
  }
}

TEST(Structure, HaloOfThreeDimensions) {
  for (const bool one_site : {false, true}) {
    SCOPED_TRACE(one_site);
    expect_generated(halo(3, false, one_site), points({8, 18, 27}), 64, kLarger);
    expect_generated(halo(3, true, one_site), points({8, 18, 27}), 64, kLarger);
  }
}

TEST(Structure, HaloOfThreeDimensionsFromPowersOfTwo) {
  expect_generated(halo(3, false, false), points(kPowers), 64, kLarger);
}

/// All neighbours of a box over sides, edges and corners, each with its own call and wait. A reduction
/// precedes each step except the first.
void waits_of_a_box(TracedRank& rank) {
  const TestGrid grid(rank.p, 3, false);
  std::vector<std::int64_t> others;
  for (const int z : {-1, 0, 1})
    for (const int y : {-1, 0, 1})
      for (const int x : {-1, 0, 1})
        if (x != 0 || y != 0 || z != 0) others.push_back(grid.neighbour(rank.r, {z, y, x}));
  const auto messages = static_cast<std::uint64_t>(
      std::ranges::count_if(others, [](std::int64_t other) { return other >= 0; }));
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    if (step > 0) rank.collective(10, Pattern::allreduce, 8);
    rank.compute(1e-9 * static_cast<double>(rank["n"] * rank["n"]));
    for (std::size_t i = 0; i < others.size(); ++i)
      if (others[i] >= 0) rank.start_receive(100 + static_cast<int>(i), others[i], 8 * rank["n"]);
    for (std::size_t i = 0; i < others.size(); ++i)
      if (others[i] >= 0) rank.start_send(200 + static_cast<int>(i), others[i], 8 * rank["n"]);
    std::uint64_t ago = 2 * messages;
    for (std::size_t i = 0; i < others.size(); ++i)
      if (others[i] >= 0) rank.wait_for(300 + static_cast<int>(i), ago--);
    rank.wait_all(400);
  }
}

TEST(Structure, AWaitForANeighbourOverAnEdgeIsOfThoseWhoHaveOne) {
  std::vector<std::pair<std::int32_t, Values>> at;  // only p = 27 has ranks inside the box
  for (const std::int32_t p : {8, 27})
    for (const std::int64_t n : {96, 145, 201}) at.push_back({p, {{"n", n}, {"steps", 10}}});
  for (const std::int64_t steps : {17, 31}) at.push_back({8, {{"n", 96}, {"steps", steps}}});
  at.push_back({27, {{"n", 145}, {"steps", 17}}});
  expect_generated(waits_of_a_box, at, 64, kLarger);
}

/// A chain whose ranks receive from each side where there is one, and wait for one request after the other at
/// one place: a rank at an end waits first for what another one waits for second.
void waits_in_the_order_of_requests(TracedRank& rank) {
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.compute(1e-9 * static_cast<double>(rank["n"] * rank["n"]));
    std::vector<std::int64_t> others;
    for (const std::int64_t other : {rank.r - 1, rank.r + 1})
      if (other >= 0 && other < rank.p) others.push_back(other);
    for (const std::int64_t other : others) rank.start_receive(100, other, 8 * rank["n"]);
    for (const std::int64_t other : others) rank.send(200, other, 8 * rank["n"]);
    for (std::size_t i = others.size(); i > 0; --i) rank.wait_for(300, i);
    rank.collective(10, Pattern::allreduce, 8);
  }
}

TEST(Structure, AWaitForTheFirstOpenRequestIsARule) {
  std::vector<std::pair<std::int32_t, Values>> at;
  for (const std::int32_t p : {2, 4})
    for (const std::int64_t n : {96, 145, 201}) at.push_back({p, {{"n", n}, {"steps", 10}}});
  for (const std::int64_t steps : {17, 31}) at.push_back({4, {{"n", 96}, {"steps", steps}}});
  expect_generated(waits_in_the_order_of_requests, at, 16, kLarger);
}

/// A pipeline over a chain, whose messages have the number of the line as their tag. The last rank ends each
/// sweep with a message to the first, and all meet after the first sweep.
void pipeline_with_a_corner(TracedRank& rank) {
  for (std::int64_t step = 0; step <= rank["steps"]; ++step) {
    if (step == 1) rank.collective(10, Pattern::barrier, 0);
    for (int line = 1; line < rank["n"]; ++line) {
      if (rank.r > 0) rank.receive(20, rank.r - 1, 8, line);
      rank.compute(1e-6 * static_cast<double>(rank["n"]) / rank.p);
      if (rank.r < rank.p - 1) rank.send(30, rank.r + 1, 8, line);
    }
    if (rank.r == rank.p - 1) rank.send(40, 0, 8, 888);
    if (rank.r == 0) rank.receive(50, rank.p - 1, 8, 888);
  }
}

TEST(Structure, ThePipelineOfAChainHasRoundsThatItsEndsHaveInPart) {
  std::vector<std::pair<std::int32_t, Values>> at;
  for (const std::int32_t p : {2, 4})
    for (const std::int64_t n : {20, 30, 45}) at.push_back({p, {{"n", n}, {"steps", 5}}});
  for (const std::int64_t steps : {7, 11}) at.push_back({4, {{"n", 20}, {"steps", steps}}});
  expect_generated(pipeline_with_a_corner, at, 16, {{"n", 64}, {"steps", 9}});
}

/// All ranks compute n / p x 1 us, up to 10 % more or less by chance, before the same call. At both ends of
/// the chain it has one neighbour.
void chain_with_noise(TracedRank& rank) {
  std::mt19937 random(static_cast<unsigned>(1000 * rank["n"] + 10 * rank.p + rank.r));
  const double chance = std::uniform_real_distribution(0.9, 1.1)(random);
  const std::int64_t up = rank.r - 1, down = rank.r < rank.p - 1 ? rank.r + 1 : -1;
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.compute(1e-6 * chance * static_cast<double>(rank["n"]) / rank.p);
    rank.exchange(10, up, down, 8 * rank["n"]);
    rank.exchange(10, down, up, 8 * rank["n"]);
    rank.collective(15, Pattern::allreduce, 8);
  }
}

TEST(Structure, RanksThatExecuteTheSameCodeDoNotPartBeyondTheRecordings) {
  const auto made = generated(chain_with_noise, points({2, 4}), 8, {{"n", 1600}, {"steps", 20}});
  ASSERT_TRUE(made) << to_string(made.error());
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const std::uint32_t sequence : made->sequence_of) {
    double sum = 0;
    for (trace::Walker walker(made->sequences[sequence]); walker.next();)
      if (walker.item().what() == trace::Item::What::compute)
        sum += static_cast<double>(walker.item().time());
    least = std::min(least, sum), most = std::max(most, sum);
  }
  EXPECT_LT(most / least, 1.12);
}

/// Exchanges along x, then along y, in an open grid of `columns` columns; ranks are numbered along x.
void exchange_in_rows(TracedRank& rank, std::int64_t columns) {
  const std::int64_t rows = rank.p / columns, x = rank.r % columns, y = rank.r / columns;
  const auto there = [&](std::int64_t c, std::int64_t r) {
    return c >= 0 && c < columns && r >= 0 && r < rows ? r * columns + c : -1;
  };
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.exchange(10, there(x - 1, y), there(x + 1, y), 8 * rank["n"]);
    rank.exchange(11, there(x + 1, y), there(x - 1, y), 8 * rank["n"]);
    rank.exchange(12, there(x, y - 1), there(x, y + 1), 16 * rank["n"]);
    rank.exchange(13, there(x, y + 1), there(x, y - 1), 16 * rank["n"]);
  }
}

Result<Model> model_on_grids(const Program& program, const std::vector<std::pair<std::int32_t, Values>>& at) {
  Model model;
  model.program = "test";
  for (const std::string& name : names_of(at.front().second)) model.parameters.push_back({name, {}});
  auto traced = testing::runs_of(program, at);
  std::vector<Run> runs;
  for (const TracedRun& run : traced) runs.push_back(run.run);
  PARCAST_ASSIGN(auto found, find_structure_and_grids(std::move(traced), names_of(at.front().second),
                                                      grid_candidates(runs, {})));
  model.structure = std::move(found.structure), model.grids = std::move(found.grids);
  return model;
}

Point point_of(std::int32_t processes, const Values& values) {
  Point point{{}, processes};
  for (const auto& [name, value] : values) point.parameters[name] = static_cast<double>(value);
  return point;
}

/// The most even extents, the larger one along x: MPI_Dims_create puts it first.
const Program kLargerExtentLast = [](TracedRank& rank) {
  exchange_in_rows(rank, balanced_dimensions(static_cast<std::int32_t>(rank.p), 2)[0]);
};

TEST(Structure, TheLargerExtentMayBeTheLast) {
  const Program& program = kLargerExtentLast;
  const auto model = model_on_grids(program, points({2, 6, 12}));
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_TRUE(model->structure->found()) << to_string(model->structure->missing);
  for (const std::int32_t p : {8, 20, 64}) {
    const auto made = generate(*model, point_of(p, kLarger));
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(testing::difference(testing::trace_of(program, p, kLarger), *made, kNear), "") << p;
    EXPECT_THAT(made->assumptions,
                ::testing::Contains(HasSubstr("process grids are taken to have their largest extent last")));
  }
}

/// Rows are split before columns but at p = 2: as MPI_Dims_create makes grids, with one exception.
/// Three times in each step, all neighbours in an open grid are exchanged with by the same calls, first along
/// x, then along y.
void exchange_three_times(TracedRank& rank) {
  const std::int64_t columns = balanced_dimensions(static_cast<std::int32_t>(rank.p), 2)[0];
  const std::int64_t rows = rank.p / columns, x = rank.r % columns, y = rank.r / columns;
  const auto exchange = [&](int line, std::int64_t other, bool exists, std::int64_t bytes, int tag) {
    if (!exists) return;
    rank.start_send(line, other, bytes, tag);
    rank.start_receive(line + 1, other, bytes, tag ^ 1);
  };
  for (std::int64_t step = 0; step < rank["steps"]; ++step)
    for (int k = 0; k < 3; ++k) {
      rank.compute(1e-8 * static_cast<double>(rank["n"]));
      exchange(10, rank.r - 1, x > 0, 8 * rank["n"], 0);
      exchange(12, rank.r + 1, x + 1 < columns, 8 * rank["n"], 1);
      rank.wait_all(20);
      exchange(14, rank.r - columns, y > 0, 16 * rank["n"], 2);
      exchange(16, rank.r + columns, y + 1 < rows, 16 * rank["n"], 3);
      rank.wait_all(20);
      if (k == 1) rank.collective(30, Pattern::allreduce, 8);
    }
}

// On two processes nobody has a neighbour along y, so r + 2 is no distance of the program, and a second
// exchange by the same calls is with the same neighbours.
TEST(Structure, RepeatedExchangesInAnOpenGridAreFoundFromTwoProcessCounts) {
  const auto model = model_on_grids(exchange_three_times, points({2, 4}));
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_TRUE(model->structure->found()) << to_string(model->structure->missing);
  for (const std::int32_t p : {6, 12, 16}) {
    const auto made = generate(*model, point_of(p, kLarger));
    ASSERT_TRUE(made) << to_string(made.error());
    constexpr double kAnyComputing = 1;  // two process counts do not show before which call ranks compute
    EXPECT_EQ(testing::difference(testing::trace_of(exchange_three_times, p, kLarger), *made, kAnyComputing),
              "")
        << p;
  }
}

TEST(Structure, ExtentsAreInferredFromPartners) {
  const Program program = [](TracedRank& rank) {
    exchange_in_rows(rank, rank.p == 2 ? 2 : balanced_dimensions(static_cast<std::int32_t>(rank.p), 2)[1]);
  };
  const auto model = model_on_grids(program, points({2, 4, 6, 8, 12}));
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_TRUE(model->structure->found()) << to_string(model->structure->missing);
  EXPECT_EQ(model->grids.at(0).recorded.at(2), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(model->grids.at(0).recorded.at(8), (std::vector<std::int32_t>{4, 2}));
  for (const std::int32_t p : {16, 20, 64}) {
    const auto made = generate(*model, point_of(p, kLarger));
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(testing::difference(testing::trace_of(program, p, kLarger), *made, kNear), "") << p;
    EXPECT_THAT(made->assumptions,
                ::testing::Contains(HasSubstr("inferred from the partners of messages: 1 x 2 at p = 2")));
  }
}

/// A user gives the process grid: -i 2 -j 3 along x and y.
const Program kGridOfParameters = [](TracedRank& rank) { exchange_in_rows(rank, rank["i"]); };

std::vector<std::pair<std::int32_t, Values>> points_of_grids() {
  std::vector<std::pair<std::int32_t, Values>> at;
  for (const auto& [i, j] : {std::pair{2, 1}, {2, 2}, {3, 2}, {1, 4}, {2, 4}, {3, 3}})
    for (const std::int64_t n : {96, 145, 201})
      at.push_back({i * j, {{"i", i}, {"j", j}, {"n", n}, {"steps", 10}}});
  at.push_back({4, {{"i", 2}, {"j", 2}, {"n", 96}, {"steps", 17}}});
  at.push_back({6, {{"i", 3}, {"j", 2}, {"n", 145}, {"steps", 31}}});
  return at;
}

TEST(Structure, ParametersThatMultiplyToPAreAGrid) {
  const Program& program = kGridOfParameters;
  const auto model = model_on_grids(program, points_of_grids());
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_TRUE(model->structure->found()) << to_string(model->structure->missing);
  for (const auto& [i, j] : {std::pair{4, 2}, {2, 8}, {5, 3}}) {
    const Values values{{"i", i}, {"j", j}, {"n", 402}, {"steps", 100}};
    const auto made = generate(*model, point_of(i * j, values));
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(testing::difference(testing::trace_of(program, i * j, values), *made, kNear), "")
        << i << " x " << j;
    EXPECT_THAT(made->assumptions, ::testing::Contains(HasSubstr("taken to form a grid of j x i")));
  }
  const auto other = generate(*model, point_of(9, {{"i", 4}, {"j", 2}, {"n", 402}, {"steps", 100}}));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("a grid of j x i, but 2 x 4 is not p = 9"));
}

/// With two ranks along a dimension, one call for both directions may also be a periodic exchange.
TEST(Structure, OneCallForBothDirectionsOfTwoRanksIsTakenAsOneAndSaid) {
  const auto made = generated(halo(3, false, true), points(kPowers), 64, kLarger);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_THAT(
      made->assumptions,
      ::testing::Contains(HasSubstr("MPI_Isend (test.cpp:40, in main) is taken to be with the grid's (0, ")));
}

/// Each call is assumed to exchange with another neighbour, and each send has a receive, as in the program.
TEST(Structure, NeighboursThatAreOneInAllRunsAreTakenInTurnAndSaid) {
  const auto made = generated(halo(3, true, false), points(kPowers), 64, kLarger);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(testing::difference(testing::trace_of(halo(3, true, false), 64, kLarger), *made, kNear), "");
  EXPECT_THAT(
      made->assumptions,
      ::testing::Contains(::testing::AllOf(
          HasSubstr("MPI_Irecv (test.cpp:22, in main) is taken to be with the grid's (0, -1 around, 0)"),
          HasSubstr("recordings; the grid's (0, +1 around, 0) holds for them as well"),
          HasSubstr("a recording at p = 9 would decide"))));
}

/// Neighbours in a line, as in most programs without a Cartesian communicator.
void line(TracedRank& rank) {
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.exchange(10, rank.r > 0 ? rank.r - 1 : -1, rank.r < rank.p - 1 ? rank.r + 1 : -1, 8 * rank["n"]);
    rank.exchange(11, rank.r < rank.p - 1 ? rank.r + 1 : -1, rank.r > 0 ? rank.r - 1 : -1, 8 * rank["n"]);
  }
}

// At p = 2, 3 and 5 each grid is a line.
TEST(Structure, ALineComesBeforeAGridThatNobodyMade) {
  const auto made = generated(line, points({2, 3, 5}), 16, kLarger);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(testing::difference(testing::trace_of(line, 16, kLarger), *made, kNear), "");
  EXPECT_THAT(made->assumptions,
              ::testing::Contains(::testing::AllOf(HasSubstr("is taken to be with rank (r + 1) mod p"),
                                                   HasSubstr("the grid's ("),
                                                   HasSubstr("a recording at p = 4 would decide"))));
}

// At p = 7 each grid is a line as well, so all rules are equal.
TEST(Structure, RulesThatDifferNowhereInTheRunAreNotSaid) {
  const auto made = generated(line, points({2, 3, 5}), 7, kLarger);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(testing::difference(testing::trace_of(line, 7, kLarger), *made, kNear), "");
  EXPECT_THAT(made->assumptions, ::testing::Not(::testing::Contains(HasSubstr("is taken to be with"))));
}

/// Blocks of unequal size: the bytes sent depend on a rank's coordinates.
void uneven_halo(TracedRank& rank) {
  const TestGrid grid(rank.p, 2, false);
  const auto at = grid.at(rank.r);
  const auto block = [](std::int64_t n, std::int64_t parts, std::int64_t c) {
    return n / parts + (c < n % parts);
  };
  const std::int64_t rows = block(rank["n"], grid.extents[0], at[0]),
                     columns = block(rank["n"], grid.extents[1], at[1]);
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.exchange(10, grid.neighbour(rank.r, {-1, 0}), grid.neighbour(rank.r, {1, 0}), 8 * columns);
    rank.exchange(11, grid.neighbour(rank.r, {1, 0}), grid.neighbour(rank.r, {-1, 0}), 8 * columns);
    rank.exchange(12, grid.neighbour(rank.r, {0, -1}), grid.neighbour(rank.r, {0, 1}), 8 * rows);
    rank.exchange(13, grid.neighbour(rank.r, {0, 1}), grid.neighbour(rank.r, {0, -1}), 8 * rows);
    rank.compute(1e-9 * static_cast<double>(rows * columns));
  }
}

TEST(Structure, BytesOfUnequalBlocks) {
  auto at = points({4, 6, 16});
  at.push_back({12, {{"n", 96}, {"steps", 10}}});
  at.push_back({9, {{"n", 145}, {"steps", 10}}});
  expect_generated(uneven_halo, at, 64, kLarger);
}

void recursive_doubling(TracedRank& rank) {
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.compute(3e-6);
    for (std::int64_t bit = 1; bit < rank.p; bit *= 2)
      rank.exchange(10, rank.r ^ bit, rank.r ^ bit, 16 * rank["n"]);
  }
}

/// Of 6 ranks rank 5 has partners in rounds 0 and 2 only.
void doubling_where_there_is_a_rank(TracedRank& rank) {
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.compute(3e-6);
    for (std::int64_t bit = 1; bit < rank.p; bit *= 2)
      if ((rank.r ^ bit) < rank.p) rank.exchange(10, rank.r ^ bit, rank.r ^ bit, 16 * rank["n"]);
  }
}

void recursive_halving(TracedRank& rank) {
  std::int64_t bytes = 1024 * rank["n"];
  for (std::int64_t bit = rank.p / 2; bit > 0; bit /= 2)
    rank.exchange(10, rank.r ^ bit, rank.r ^ bit, bytes /= 2);
}

void dissemination(TracedRank& rank) {
  int round = 0;
  for (std::int64_t far = 1; far < rank.p; far *= 2, ++round)
    rank.exchange(10, (rank.r + far) % rank.p, (rank.r - far + rank.p) % rank.p, 4, 100 + round);
}

TEST(Structure, RoundsThatDoubleTheDistance) {
  expect_generated(recursive_doubling, points(kPowers), 64, kLarger);
  expect_generated(doubling_where_there_is_a_rank, points({3, 6, 12}), 20, kLarger);
  expect_generated(dissemination, points(kPowers), 64, kLarger);
  expect_generated(dissemination, points({3, 5, 9, 12}), 64, kLarger);
}

TEST(Structure, BytesThatHalveFromRoundToRound) {
  // 1024 n / 2, / 4, ... : the last round moves 1024 n / p.
  expect_generated(recursive_halving, points(kPowers), 64, kLarger);
}

void master_and_workers(TracedRank& rank) {
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    if (rank.r == 0) {
      for (std::int64_t worker = 1; worker < rank.p; ++worker) rank.send(10, worker, 8 * rank["n"], 1);
      for (std::int64_t worker = 1; worker < rank.p; ++worker)
        rank.receive(11, worker, 8, static_cast<int>(worker));
    } else {
      rank.receive(20, 0, 8 * rank["n"], 1);
      rank.compute(1e-8 * static_cast<double>(rank["n"]));
      rank.send(21, 0, 8, static_cast<int>(rank.r));
    }
  }
}

TEST(Structure, MasterServesWorkersInTurn) {
  expect_generated(master_and_workers, points(kPowers), 64, kLarger);
}

/// The nodes communicate among themselves, and the first of them answers for all.
void host_and_nodes(TracedRank& rank) {
  std::vector<std::int32_t> nodes;
  for (std::int32_t node = 1; node < rank.p; ++node) nodes.push_back(node);
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.collective(rank.r == 0 ? 10 : 20, Pattern::broadcast, 24);
    if (rank.r == 0) {
      rank.receive(11, 1, 8);
    } else {
      rank.compute(1e-8 * static_cast<double>(rank["n"]));
      rank.collective(21, Pattern::allreduce, 8, 0, nodes);
      if (rank.r == 1) rank.send(22, 0, 8);
    }
  }
}

TEST(Structure, HostAndNodes) {
  expect_generated(host_and_nodes, points({3, 4, 5}), 64, kLarger);
  expect_generated(host_and_nodes, points({2, 3, 4}), 64, kLarger);  // one node alone
}

void pipeline(TracedRank& rank) {
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    if (rank.r > 0) rank.receive(10, rank.r - 1, 4 * rank["n"]);
    rank.compute(5e-9 * static_cast<double>(rank["n"]));
    if (rank.r < rank.p - 1) rank.send(11, rank.r + 1, 4 * rank["n"]);
  }
}

TEST(Structure, PipelineWithTwoEnds) {
  expect_generated(pipeline, points(kPowers), 64, kLarger);
}

void collectives(TracedRank& rank) {
  rank.compute(1e-3);
  rank.collective(10, Pattern::broadcast, 8 * rank["n"]);
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.compute(1e-9 * static_cast<double>(rank["n"] * rank["n"]));
    rank.collective(11, Pattern::allreduce, 24);
  }
  rank.collective(12, Pattern::gather, 8 * rank["n"], rank.p - 1);
  rank.compute(2e-3);
}

TEST(Structure, CollectivesAndTheirRoots) {
  expect_generated(collectives, points(kPowers), 64, kLarger);
}

/// Like Gaussian elimination: the root moves, and its messages shrink.
void elimination(TracedRank& rank) {
  for (std::int64_t k = 0; k < rank["n"]; ++k) {
    rank.compute(1e-7);
    rank.collective(10, Pattern::broadcast, 8 * (rank["n"] - k), k % rank.p);
  }
  for (std::int64_t k = rank["n"] - 1; k >= 0; --k) rank.collective(11, Pattern::broadcast, 8, k % rank.p);
}

TEST(Structure, RootThatGoesRoundAndBytesThatShrink) {
  expect_generated(elimination, points(kPowers), 64, kLarger);
}

/// Every twentieth step has an additional reduction.
void checked_steps(TracedRank& rank) {
  for (std::int64_t step = 1; step <= rank["steps"]; ++step) {
    rank.exchange(10, (rank.r + 1) % rank.p, (rank.r + rank.p - 1) % rank.p, 8 * rank["n"]);
    rank.compute(1e-8 * static_cast<double>(rank["n"]));
    if (step % 20 == 0) rank.collective(11, Pattern::allreduce, 8);
  }
  rank.collective(12, Pattern::reduce, 16);
}

TEST(Structure, StepsThatHaveMoreNowAndThen) {
  std::vector<std::pair<std::int32_t, Values>> at;
  for (const std::int32_t p : {3, 4, 8}) at.push_back({p, {{"n", 96}, {"steps", 20}}});
  for (const std::int64_t steps : {15, 31, 57, 95, 200}) at.push_back({3, {{"n", 96}, {"steps", steps}}});
  for (const std::int64_t n : {145, 201}) at.push_back({3, {{"n", n}, {"steps", 20}}});
  at.push_back({4, {{"n", 145}, {"steps", 20}}});
  at.push_back({4, {{"n", 96}, {"steps", 57}}});
  at.push_back({3, {{"n", 145}, {"steps", 57}}});
  expect_generated(checked_steps, at, 64, {{"n", 402}, {"steps", 333}});
}

/// Messages that a rank sends.
struct Sizes {
  std::int64_t messages = 0;
  double bytes = 0;
};
Sizes sizes_of(const trace::Trace& trace, std::size_t rank) {
  Sizes out;
  for (trace::Walker walker(trace.sequences[trace.sequence_of[rank]]); walker.next();) {
    if (walker.item().what() != trace::Item::What::operation) continue;
    const trace::Operation& of = trace.operations[walker.item().index()];
    if (of.kind != trace::Kind::send && of.kind != trace::Kind::start_send) continue;
    ++out.messages;
    out.bytes += static_cast<double>(of.bytes);
  }
  return out;
}

/// Every tenth iteration ends with a reduction; `offset` 9: the tenth one is the first of them.
Program every_tenth(std::int64_t offset, bool in_one_call) {
  return [=](TracedRank& rank) {
    const std::int64_t up = rank.r - 1, down = rank.r < rank.p - 1 ? rank.r + 1 : -1;
    for (std::int64_t step = 0; step < rank["steps"]; ++step) {
      rank.compute(1e-8 * static_cast<double>(rank["n"]));
      if (in_one_call) {
        rank.exchange(10, up, down, 40);
      } else {
        if (up >= 0) rank.start_receive(10, up, 40, 0);
        if (down >= 0) rank.start_receive(11, down, 40, 1);
        if (down >= 0) rank.start_send(12, down, 40, 0);
        if (up >= 0) rank.start_send(13, up, 40, 1);
        rank.wait_all(14);
      }
      if (step % 10 == offset) rank.collective(15, Pattern::allreduce, 8);
    }
  };
}

/// Returns points whose numbers of steps are multiples of ten, except one.
std::vector<std::pair<std::int32_t, Values>> few_points(std::int64_t odd) {
  return {{2, {{"n", 96}, {"steps", 20}}},  {4, {{"n", 96}, {"steps", 20}}},
          {2, {{"n", 96}, {"steps", 40}}},  {4, {{"n", 145}, {"steps", 40}}},
          {2, {{"n", 201}, {"steps", 60}}}, {2, {{"n", 145}, {"steps", 20}}},
          {8, {{"n", 96}, {"steps", 20}}},  {4, {{"n", 96}, {"steps", odd}}}};
}

TEST(Structure, EveryTenthIterationHasMore) {
  for (const bool in_one_call : {true, false})
    for (const std::int64_t odd : {100, 105, 5}) {  // 5: without a reduction
      SCOPED_TRACE(::testing::Message() << in_one_call << ", " << odd);
      expect_generated_steps(every_tenth(9, in_one_call), few_points(odd), {1000, 333, 7, 1});
    }
}

TEST(Structure, EveryTenthIterationIsOneStepInALoop) {
  const auto model = model_of(every_tenth(9, false), few_points(105));
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_EQ(model->structure->steps.size(), 1u);
  const Step& loop = model->structure->steps[0];
  EXPECT_EQ(symbolic::to_text(loop.rounds.expression), "steps");
  ASSERT_EQ(loop.body.back().kind, Step::Kind::every);
  EXPECT_EQ(loop.body.back().every, 10);
  EXPECT_EQ(loop.body.back().offset, 9);
}

// The first iteration has the reduction as well, and then every tenth.
TEST(Structure, EveryTenthIterationFromTheFirstOn) {
  expect_generated_steps(every_tenth(0, true), few_points(105), {1000, 333, 12});
}

/// A reduction every few steps, whose number is a parameter: at the end of a period, or in its first step.
Program every_few(bool at_end) {
  return [=](TracedRank& rank) {
    for (std::int64_t step = 0; step < rank["steps"]; ++step) {
      rank.compute(1e-8 * static_cast<double>(rank["n"]));
      rank.exchange(10, rank.r - 1, rank.r < rank.p - 1 ? rank.r + 1 : -1, 40);
      if ((step + (at_end ? 1 : 0)) % rank["output"] == 0) rank.collective(15, Pattern::reduce, 8);
    }
  };
}

TEST(Structure, AParameterIsThePeriodOfWhatStepsDoNowAndThen) {
  const std::vector<std::pair<std::int32_t, Values>> at{
      {2, {{"n", 96}, {"output", 5}, {"steps", 20}}},  {4, {{"n", 96}, {"output", 5}, {"steps", 33}}},
      {2, {{"n", 145}, {"output", 8}, {"steps", 40}}}, {4, {{"n", 145}, {"output", 8}, {"steps", 51}}},
      {2, {{"n", 201}, {"output", 8}, {"steps", 33}}}, {8, {{"n", 96}, {"output", 13}, {"steps", 40}}},
      {4, {{"n", 201}, {"output", 13}, {"steps", 7}}}};
  for (const bool at_end : {true, false}) {
    SCOPED_TRACE(at_end);
    const auto model = model_of(every_few(at_end), at);
    ASSERT_TRUE(model) << to_string(model.error());
    const Step& last = model->structure->steps.at(0).body.back();
    ASSERT_EQ(last.kind, Step::Kind::every);
    EXPECT_EQ(last.every_of, "output");
    EXPECT_EQ(last.offset, at_end ? -1 : 0);
    for (const auto& [output, steps] : {std::pair{7, 100}, {1, 10}, {50, 49}, {200, 1000}}) {
      const Values values{{"n", 402}, {"output", output}, {"steps", steps}};
      const auto made = generate(
          *model,
          {{{"n", 402}, {"output", static_cast<double>(output)}, {"steps", static_cast<double>(steps)}}, 16});
      ASSERT_TRUE(made) << to_string(made.error());
      EXPECT_EQ(testing::difference(testing::trace_of(every_few(at_end), 16, values), *made, kNear), "")
          << output << " " << steps;
    }
    EXPECT_THAT(to_string(generate(*model, {{{"n", 402}, {"output", 0}, {"steps", 10}}, 16}).error()),
                HasSubstr("output is the number of iterations between two operations, and 0 is none"));
  }
}

/// Every tenth step ends with two reductions, and so does the run, as in programs that write at the end what
/// they write now and then.
void also_at_the_end(TracedRank& rank) {
  const auto write = [&] {
    for (int field = 0; field < 2; ++field) rank.collective(15, Pattern::reduce, 8);
  };
  for (std::int64_t step = 1; step <= rank["steps"]; ++step) {
    rank.compute(1e-8 * static_cast<double>(rank["n"]));
    rank.exchange(10, (rank.r + 1) % rank.p, (rank.r + rank.p - 1) % rank.p, 40);
    if (step % 10 == 0) write();
  }
  write();
  rank.collective(16, Pattern::barrier, 0);
}

TEST(Structure, WhatStepsDoNowAndThenIsDoneAfterThemToo) {
  for (const std::int64_t odd : {100, 105, 5}) {
    SCOPED_TRACE(odd);
    expect_generated_steps(also_at_the_end, few_points(odd), {1000, 333, 7, 1});
  }
}

/// The sizes of messages depend on data: they vary by a tenth from step to step, by no rule.
void particles(TracedRank& rank) {
  std::uint64_t random = static_cast<std::uint64_t>(17 + rank["n"]);  // the same numbers on all ranks
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const std::int64_t bytes = 8 * (10 * rank["n"] + static_cast<std::int64_t>((random >> 40) % 97));
    rank.exchange(10, (rank.r + 1) % rank.p, (rank.r + rank.p - 1) % rank.p, bytes);
    rank.compute(1e-8 * static_cast<double>(rank["n"]));
    rank.collective(11, Pattern::allreduce, 8);
  }
}

TEST(Structure, MessagesWhoseSizesDependOnDataHaveTheirMeanSize) {
  const auto model = model_on_grids(particles, few_points(105));
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_TRUE(model->structure->found()) << model->structure->missing.what;
  ASSERT_EQ(model->structure->steps.size(), 1u);
  EXPECT_EQ(symbolic::to_text(model->structure->steps[0].rounds.expression), "steps");
  EXPECT_EQ(
      model->structure->assumptions,
      std::vector<std::string>{"data decide the sizes of messages of MPI_Sendrecv (test.cpp:10, in main): "
                               "each has its mean size"});
  const auto trace = generate(*model, {{{"n", 201}, {"steps", 200}}, 16});
  ASSERT_TRUE(trace) << to_string(trace.error());
  const Sizes sizes = sizes_of(*trace, 0);
  EXPECT_EQ(sizes.messages, 200);
  // by hand: 8 (10 n + 48), the mean of 0 .. 96 being 48
  EXPECT_NEAR(sizes.bytes / 200, 8 * (10 * 201 + 48), 0.05 * 8 * 2058);
}

/// In the middle of an iteration: every fifth has a gather by messages, every twentieth a file.
void now_and_then(TracedRank& rank) {
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.exchange(10, (rank.r + 1) % rank.p, (rank.r + rank.p - 1) % rank.p, 8 * rank["n"]);
    if (step % 5 == 2) {
      if (rank.r > 0) rank.send(20, 0, 16);
      for (std::int64_t other = 1; rank.r == 0 && other < rank.p; ++other) rank.receive(21, other, 16);
    }
    if (step % 20 == 2) rank.collective(22, Pattern::barrier, 0);
    rank.compute(1e-6);
    rank.collective(11, Pattern::allreduce, 8);
  }
}

TEST(Structure, SeveralThingsNowAndThen) {
  std::vector<std::pair<std::int32_t, Values>> at{
      {3, {{"n", 96}, {"steps", 50}}},  {5, {{"n", 96}, {"steps", 50}}},  {8, {{"n", 96}, {"steps", 50}}},
      {3, {{"n", 145}, {"steps", 50}}}, {3, {{"n", 201}, {"steps", 64}}}, {5, {{"n", 145}, {"steps", 2}}}};
  expect_generated_steps(now_and_then, at, {333, 41, 3, 2});
}

/// Ten sweeps in each step, whatever the number of steps.
void sweeps(TracedRank& rank) {
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    for (int sweep = 0; sweep < 10; ++sweep)
      rank.exchange(10, (rank.r + 1) % rank.p, (rank.r + rank.p - 1) % rank.p, 8 * rank["n"]);
    rank.collective(11, Pattern::allreduce, 8);
  }
}

TEST(Structure, ALoopInALoopStaysOne) {
  const auto model = model_of(sweeps, points({3, 4, 8}));
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_EQ(model->structure->steps.size(), 1u);
  EXPECT_EQ(symbolic::to_text(model->structure->steps[0].rounds.expression), "steps");
  EXPECT_EQ(model->structure->steps[0].body[0].kind, Step::Kind::loop);
  expect_generated(sweeps, points({3, 4, 8}), 16, kLarger);
}

std::vector<std::int32_t> line_of(const TracedRank& rank, std::size_t kept) {
  const TestGrid grid(rank.p, 2, false);
  std::vector<std::int32_t> members;
  for (std::int32_t other = 0; other < rank.p; ++other)
    if (grid.at(other)[1 - kept] == grid.at(rank.r)[1 - kept]) members.push_back(other);
  return members;
}

void rows_and_columns(TracedRank& rank) {
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.collective(10, Pattern::broadcast, 8 * rank["n"], 0, line_of(rank, 1));
    rank.collective(11, Pattern::allreduce, 8 * rank["n"], 0, line_of(rank, 0));
  }
}

TEST(Structure, CommunicatorsOfRowsAndColumns) {
  expect_generated(rows_and_columns, points(kSquares), 64, kLarger);
  expect_generated(rows_and_columns, points({2, 4, 9}), 64, kLarger);  // 2 x 1: each rank alone in its row
}

/// The next receive is posted before the wait for the last one.
void two_buffers(TracedRank& rank) {
  const std::int64_t left = (rank.r + rank.p - 1) % rank.p, right = (rank.r + 1) % rank.p;
  rank.start_receive(10, left, 8 * rank["n"]);
  for (std::int64_t step = 0; step < rank["steps"]; ++step) {
    rank.start_receive(11, left, 8 * rank["n"]);
    rank.send(12, right, 8 * rank["n"]);
    rank.wait_for(13, 2);
    rank.compute(1e-6);
  }
  rank.wait_for(14, 1);
}

TEST(Structure, RequestsThatOutlastARound) {
  expect_generated(two_buffers, points(kPowers), 64, kLarger);
}

TEST(Structure, GeneratedTracesAreFoldedAndShareSequences) {
  const auto model = model_of(halo(2, true, false), points({6, 9, 16}));
  ASSERT_TRUE(model) << to_string(model.error());
  const auto made = generate(*model, {{{"n", 96}, {"steps", 1000000}}, 1024});
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->sequences.size(), 9u);  // interior, four edges, four corners
  for (const auto& sequence : made->sequences) EXPECT_LT(sequence.size(), 32u);
}

TEST(Structure, AMillionRanks) {
  const auto model = model_of(halo(2, false, false), points(kPowers));
  ASSERT_TRUE(model) << to_string(model.error());
  const auto made = generate(*model, {{{"n", 4000}, {"steps", 1000}}, 1 << 20});
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->sequences.size(), 9u);
  EXPECT_EQ(made->sequence_of.size(), std::size_t{1} << 20);
  EXPECT_LT(made->operations.size(), 64u);
}

/// Returns the model with what its file requires.
Model whole(Model model) {
  Node root;
  root.id = 0;
  root.label = model.program;
  root.executions.expression = 1;
  root.executions.origin = Origin::exact;
  model.nodes = {root};
  model.processes = model.structure->processes;
  for (Parameter& parameter : model.parameters) parameter.values = {1};
  return model;
}

TEST(Structure, IsTheSameFromItsFile) {
  const std::vector<std::pair<Program, std::vector<std::int32_t>>> programs{
      {halo(3, true, false), {8, 18, 27}},
      {master_and_workers, kPowers},
      {elimination, kPowers},
      {dissemination, kPowers},
      {rows_and_columns, kSquares},
      {two_buffers, kPowers},
      {every_tenth(9, false), {2, 4, 8}},
      {waits_of_a_box, {8, 27}}};
  for (const auto& [program, processes] : programs) {
    auto model = model_of(program, points(processes));
    ASSERT_TRUE(model) << to_string(model.error());
    const Model made = whole(*model);
    const std::string written = to_json(made);
    const auto read = model_from_json(written, "test.model.json");
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(to_json(*read), written);
    const Point point{{{"n", 402}, {"steps", 100}}, 64};
    const auto before = generate(made, point), after = generate(*read, point);
    ASSERT_TRUE(before) << to_string(before.error());
    ASSERT_TRUE(after) << to_string(after.error());
    EXPECT_EQ(testing::difference(*before, *after, 0), "");
  }
}

TEST(Structure, GridsAreTheSameFromTheFile) {
  auto ascending = model_on_grids(kLargerExtentLast, points({2, 6, 12})),
       given = model_on_grids(kGridOfParameters, points_of_grids());
  ASSERT_TRUE(ascending && given);
  const Values values{{"i", 4}, {"j", 2}, {"n", 402}, {"steps", 100}};
  for (const auto& [model, point] :
       {std::pair{&*ascending, point_of(12, kLarger)}, {&*given, point_of(8, values)}}) {
    const Model made = whole(*model);
    const auto read = model_from_json(to_json(made), "test.model.json");
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(to_json(*read), to_json(made));
    const auto before = generate(made, point), after = generate(*read, point);
    ASSERT_TRUE(before && after);
    EXPECT_EQ(testing::difference(*before, *after, 0), "");
  }
  std::string json = to_json(whole(*given));
  json.replace(json.find("\"j\"", json.find("\"grids\"")), 3, "\"q\"");
  const auto wrong = model_from_json(json, "test.model.json");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().what, HasSubstr("is no parameter of the model"));
}

TEST(Structure, FilesWithIterationsThatCannotBeAreRefused) {
  auto model = model_of(every_tenth(9, true), few_points(105));
  ASSERT_TRUE(model) << to_string(model.error());
  std::string json = to_json(whole(*model));
  json.replace(json.find("\"offset\": 9"), 11, "\"offset\": 10");
  const auto wrong = model_from_json(json, "test.model.json");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().what, HasSubstr(".offset"));
}

// One process.

/// Returns the picoseconds that the only rank computes.
double computing_of(const trace::Trace& trace) {
  double sum = 0;
  for (trace::Walker walker(trace.sequences[trace.sequence_of[0]]); walker.next();)
    if (walker.item().what() == trace::Item::What::compute) sum += static_cast<double>(walker.item().time());
  return sum;
}

std::uint64_t operations_of(const trace::Trace& trace) {
  return trace::size_of(trace.sequences[trace.sequence_of[0]]).operations;
}

TEST(Structure, OneProcessComputesAndExchangesNothing) {
  const auto made = generated(every_tenth(9, false), few_points(105), 1, {{"n", 402}, {"steps", 333}});
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(operations_of(*made), 0u);
  EXPECT_NEAR(computing_of(*made), 333 * 402 * 1e-8 * 1e12, kNear * 333 * 402 * 1e4);
}

/// The segments give 5 s of computing in all, whatever the structure has.
TEST(Structure, OneProcessComputesWhatTheSegmentsGive) {
  auto model = model_of(every_tenth(9, false), few_points(105));
  ASSERT_TRUE(model) << to_string(model.error());
  Segment segment;
  segment.executions.expression = parameter_symbol("steps");
  segment.executions.origin = Origin::exact;
  segment.cost.growth = statistics::GrowthModel{.hypotheses = {{.terms = {{.coefficient = 0.05}}}}};
  model->segments.push_back(segment);
  const auto made = generate(*model, {{{"n", 402}, {"steps", 100}}, 1});
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_NEAR(computing_of(*made), 5e12, 1e6);
  model->structure->missing = {"ranks do other things", "", "record again"};
  const auto without = generate(*model, {{{"n", 402}, {"steps", 100}}, 1});
  ASSERT_TRUE(without) << to_string(without.error());
  EXPECT_NEAR(computing_of(*without), 5e12, 1);
  EXPECT_THAT(without->assumptions, ::testing::Contains(HasSubstr("one process alone is taken to compute")));
  EXPECT_FALSE(generate(*model, {{{"n", 402}, {"steps", 100}}, 2}));
}

/// A ring of one rank sends to itself. Its messages are kept if the counts have messages of one process.
TEST(Structure, MessagesOfOneProcessToItselfAreAsManyAsTheCountsHave) {
  const auto around = [](TracedRank& rank) {
    for (std::int64_t step = 0; step < rank["steps"]; ++step)
      rank.exchange(10, (rank.r + 1) % rank.p, (rank.r + rank.p - 1) % rank.p, 8);
  };
  auto model = model_of(around, points({2, 3, 5}));
  ASSERT_TRUE(model) << to_string(model.error());
  Node call;
  call.kind = NodeKind::call;
  call.label = "MPI_Sendrecv";
  call.executions.expression = call.messages.expression = parameter_symbol("steps");
  model->nodes = {call};
  const Point point{{{"n", 96}, {"steps", 10}}, 1};
  const auto made = generate(*model, point);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(testing::difference(testing::trace_of(around, 1, {{"n", 96}, {"steps", 10}}), *made, kNear), "");
  model->nodes[0].messages.expression = 0;
  const auto silent = generate(*model, point);
  ASSERT_TRUE(silent) << to_string(silent.error());
  EXPECT_EQ(operations_of(*silent), 0u);
}

TEST(Structure, FilesWithoutOneOrWithWrongOnesAreRefused) {
  auto model = model_of(halo(2, false, false), points(kPowers));
  ASSERT_TRUE(model) << to_string(model.error());
  Model made = whole(*model);
  std::string json = to_json(made);
  json.replace(json.find("\"grid\""), 6, "\"grit\"");
  const auto wrong = model_from_json(json, "test.model.json");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().what, HasSubstr("structure.steps[0].body[0].partner.kind \"grit\" is not known"));
  made.structure.reset();
  const auto older = model_from_json(to_json(made), "test.model.json");
  ASSERT_TRUE(older);
  const auto none = generate(*older, {{{"n", 1}, {"steps", 1}}, 4});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().hint, HasSubstr("parcast model"));
  made.structure.emplace().missing = {"this", "there", "that"};
  const auto missing = model_from_json(to_json(made), "test.model.json");
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->structure->missing.hint, "that");
}

TEST(Structure, PartnersWithoutARuleAreNamed) {
  const auto irregular = [](TracedRank& rank) {
    const std::int64_t other = (rank.r * 5 + 3 + rank.p / 3) % rank.p;
    rank.send(77, other, 8);
    rank.collective(78, Pattern::barrier, 0);
  };
  const auto made = generated(irregular, points(kPowers), 64, kLarger);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("MPI_Send (test.cpp:77, in main) to rank"));
}

TEST(Structure, OneProcessCountTellsNothingOfOthers) {
  const std::vector<std::pair<std::int32_t, Values>> at{{4, {{"n", 96}, {"steps", 10}}},
                                                        {4, {{"n", 145}, {"steps", 10}}}};
  const auto made = generated(ring, at, 64, kLarger);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("all runs had p = 4"));
}

TEST(Structure, TwoProcessCountsAreSaid) {
  const std::vector<std::pair<std::int32_t, Values>> at{{4, {{"n", 96}, {"steps", 10}}},
                                                        {8, {{"n", 96}, {"steps", 10}}}};
  const auto made = generated(pipeline, at, 64, {{"n", 96}, {"steps", 10}});
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_THAT(made->assumptions, ::testing::Contains(HasSubstr("rests on 2 process counts")));
}

TEST(Structure, WhatRunsRestedOnIsSaidOnceWithoutNumbers) {
  auto runs = testing::runs_of(ring, {{2, {{"n", 96}, {"steps", 10}}}, {4, {{"n", 96}, {"steps", 10}}}});
  runs[0].trace.assumptions = {"12 receives are taken as sends",
                               "6e-05 s of all ranks are taken as computing"};
  runs[0].uncounted = runs[1].uncounted = {"some receives are taken as sends",
                                           "some seconds of all ranks are taken as computing"};
  const auto found = find_structure(runs, {"n", "steps"}, {});
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_THAT(found->assumptions,
              ::testing::IsSupersetOf(
                  {"some receives are taken as sends", "some seconds of all ranks are taken as computing"}));
  EXPECT_EQ(std::ranges::count(found->assumptions, "some receives are taken as sends"), 1);
  EXPECT_THAT(found->assumptions, ::testing::Not(::testing::Contains(HasSubstr("e-05"))));
}

TEST(Structure, CollectivesThatOnlyOneRankCallsForItselfInAllRunsAreSaid) {
  const Values values{{"n", 96}, {"steps", 10}};
  auto runs = testing::runs_of(ring, {{4, values}, {8, values}, {16, values}});
  trace::Place rows{.region = "main", .file = "rows.c", .line = 7, .call = "MPI_Allreduce"}, known;
  for (TracedRun& run : runs) {
    const auto& operations = run.trace.operations;
    known =
        run.trace
            .places[std::ranges::find(operations, trace::Kind::collective, &trace::Operation::kind)->place];
    run.alone = {rows, known};
  }
  const auto found = find_structure(runs, {"n", "steps"}, {});
  ASSERT_TRUE(found) << to_string(found.error());
  const auto of_one = [](const std::string& sentence) {
    return sentence.find("communicator of one rank in all recordings") != std::string::npos;
  };
  // other ranks call that of the ring as well
  EXPECT_EQ(std::ranges::count_if(found->assumptions, of_one), 1);
  EXPECT_THAT(found->assumptions, ::testing::Contains(HasSubstr("MPI_Allreduce (rows.c:7")));
}

TEST(Structure, WhatGrowsWithoutARuleIsNotTakenAsItWas) {
  // Distances 1, 2, 4, 7 follow no rule. A step that the smaller runs lack must not represent all larger
  // ones.
  const auto odd = [](TracedRank& rank) {
    for (const std::int64_t far : {1, 2, 4, 7, 12, 20, 33})
      if (far < rank.p) rank.exchange(10, (rank.r + far) % rank.p, (rank.r - far + rank.p) % rank.p, 8);
  };
  const auto made = generated(odd, points(kPowers), 64, kLarger);
  EXPECT_FALSE(made);
}

/// All ranks draw the same calls at random.
Program by_lot(std::int64_t calls) {
  return [=](TracedRank& rank) {
    std::mt19937_64 draw(static_cast<std::uint64_t>(rank["n"]));
    for (std::int64_t call = 0; call < calls; ++call) {
      const auto drawn = static_cast<int>(draw() % 4);
      if (drawn < 2)
        rank.exchange(10 + drawn, (rank.r + 1) % rank.p, (rank.r + rank.p - 1) % rank.p, 8);
      else
        rank.collective(10 + drawn, Pattern::broadcast, 8);
    }
  };
}

double mebibytes_at_most() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Eight ranks with 20,000 calls each: if each of 2,000 attempts held a copy of the remaining operations, they
// would need 2.5 GiB.
TEST(Structure, AnOrderByLotIsGivenUpWithoutHoldingItOnceForEachAttempt) {
  auto runs = testing::runs_of(by_lot(20000), {{2, {{"n", 1}}}, {6, {{"n", 1}}}});
  const double before = mebibytes_at_most();
  const auto found = find_structure(std::move(runs), {"n"}, {});
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_TRUE(found->gave_up);
  EXPECT_FALSE(found->found());
  EXPECT_THAT(found->missing.what, HasSubstr("in 2,000 attempts, which came to MPI_"));
  EXPECT_LT(mebibytes_at_most() - before, 256);
}

TEST(Structure, WhereTheSearchComesNoFartherTheCallIsNamedAtWhichItEnds) {
  const auto found = find_structure(
      testing::runs_of(by_lot(20), {{2, {{"n", 1}}}, {2, {{"n", 2}}}, {4, {{"n", 3}}}}), {"n"}, {});
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_TRUE(found->gave_up);
  EXPECT_THAT(found->missing.what, HasSubstr("and no rule says which ranks do that next"));
}

/// The second of two ranks answers in one run only.
TEST(Structure, AShortOrderWithoutARuleIsNotGivenUp) {
  const auto once = [](TracedRank& rank) {
    if (rank["n"] == 1 && rank.r == 0) rank.send(10, 1, 8);
    if (rank["n"] == 1 && rank.r == 1) rank.receive(11, 0, 8);
    rank.collective(12, Pattern::broadcast, 8);
  };
  const auto found =
      find_structure(testing::runs_of(once, {{2, {{"n", 1}}}, {2, {{"n", 2}}}, {4, {{"n", 1}}}}), {"n"}, {});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().what, HasSubstr("no rule was found for the order of operations"));
}

/// Every row is one shorter and comes from the next root: no two operations are equal.
void broadcasts_by_row(TracedRank& rank) {
  for (std::int64_t row = 0; row < rank["n"]; ++row)
    rank.collective(10, Pattern::broadcast, 8 * (rank["n"] - row), row % rank.p);
}

TEST(Structure, RoundsMayBeMany) {
  const auto found = find_structure(testing::runs_of(broadcasts_by_row, {{2, {{"n", 30000}}},
                                                                         {3, {{"n", 20000}}},
                                                                         {4, {{"n", 10000}}},
                                                                         {2, {{"n", 10000}}},
                                                                         {4, {{"n", 30001}}}}),
                                    {"n"}, {});
  ASSERT_TRUE(found) << to_string(found.error());
  ASSERT_EQ(found->steps.size(), 1u);
  EXPECT_EQ(found->steps[0].kind, Step::Kind::rounds);
}

// A broadcast, nine rounds of two, and another broadcast. Folded: a word, a loop of two words, and a word.
// Both ranks are equal.
TEST(Structure, TheBudgetCountsWhatIsLeftWhenRepetitionsAreFolded) {
  const auto trace = testing::trace_of(
      [](TracedRank& rank) {
        rank.collective(10, Pattern::broadcast, 8);
        for (int step = 0; step < 9; ++step) {
          rank.compute(1e-6 * step);
          rank.collective(11, Pattern::broadcast, 8);
          rank.collective(12, Pattern::broadcast, 8);
        }
        rank.collective(13, Pattern::broadcast, 8);
      },
      2, {});
  TokenBudget ten(10), nine(9);
  EXPECT_TRUE(ten.add(trace));   // 5 words
  EXPECT_TRUE(ten.add(trace));   // 10
  EXPECT_FALSE(ten.add(trace));  // 15
  EXPECT_TRUE(nine.add(trace));
  const auto beyond = nine.add(trace);
  ASSERT_FALSE(beyond);
  EXPECT_THAT(beyond.error().what, HasSubstr("longer than the 9 operations and loops"));
}

}  // namespace
}  // namespace parcast::program
