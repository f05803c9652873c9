// SPDX-License-Identifier: Apache-2.0
#include "source/counts/block_counts.h"

#include <gmock/gmock.h>

#include <cmath>
#include <deque>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>

#include "model/binding.h"

namespace parcast::program {
namespace {

using facts::Input;
using facts::InputKind;
using symbolic::Expression;
using symbolic::SymbolKind;

std::optional<Expression> symbol_of(const Input& input) {
  switch (input.kind) {
    case InputKind::word:
      if (input.index == 1) return symbolic::symbol("n", SymbolKind::parameter);
      if (input.index == 2) return symbolic::symbol("steps", SymbolKind::parameter);
      return std::nullopt;
    case InputKind::words:
      return Expression(3);
    case InputKind::rank:
      return rank_symbol();
    case InputKind::processes:
      return processes_symbol();
    default:
      return std::nullopt;
  }
}

struct CountedRun {
  double n = 0, steps = 0, p = 0, r = 0;
  ModuleCounts counts;
};

// The program tests/pass/fixtures/rows.c: facts of its compilation, and counters of real runs of it
// (tests/pass/print_counters.c). Each line is one process: n, steps, p, r, the numbers of counters and
// probes, and their words.
class OfARealProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(PARCAST_SOURCE_DIR "/tests/pass/fixtures/rows.facts", std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    auto read = facts::read_facts(text.str(), "rows.facts");
    ASSERT_TRUE(read) << to_string(read.error());
    modules = *std::move(read);
    std::ifstream counted(PARCAST_SOURCE_DIR "/tests/pass/fixtures/rows.counts");
    for (std::string line; std::getline(counted, line);) {
      std::istringstream words(line);
      CountedRun run;
      std::size_t counters = 0, probes = 0;
      words >> run.n >> run.steps >> run.p >> run.r >> counters >> probes;
      run.counts.counters.resize(counters);
      run.counts.probes.resize(probes);
      for (auto& counter : run.counts.counters) words >> counter;
      for (auto& probe : run.counts.probes)
        for (auto& word : probe) words >> word;
      ASSERT_TRUE(words) << line;
      runs.push_back(std::move(run));
    }
    ASSERT_EQ(runs.size(), 12u);
  }

  Sighting sighting(const CountedRun& run) const {
    return {
        1, {{"n", run.n}, {"steps", run.steps}, {"p", run.p}, {"r", run.r}}, {{modules[0].id, &run.counts}}};
  }
  std::vector<Sighting> of(double n, double p) const {
    std::vector<Sighting> some;
    for (const CountedRun& run : runs)
      if (run.n == n && run.p == p) some.push_back(sighting(run));
    return some;
  }
  std::uint64_t executions(const CountedRun& run, const BlockCount& block) const {
    return facts::block_executions(modules[0].functions[block.function.function],
                                   run.counts.counters)[block.block];
  }

  std::vector<facts::Module> modules;
  std::vector<CountedRun> runs;
};

TEST_F(OfARealProgram, AllCountsOfLargerRunsFollowFromOneRun) {
  const std::vector<Sighting> seen = of(20, 2);
  ASSERT_EQ(seen.size(), 2u);
  const std::vector<BlockCount> blocks = BlockCounts(modules, seen, symbol_of).at(seen).blocks;
  ASSERT_GT(blocks.size(), 15u);
  for (const CountedRun& run : runs)
    for (const BlockCount& block : blocks) {
      const auto predicted = symbolic::evaluate(block.per_visit, sighting(run).values);
      ASSERT_TRUE(predicted);
      EXPECT_EQ(*predicted, static_cast<double>(executions(run, block)))
          << modules[0].functions[block.function.function].name << " block " << block.block
          << " at n = " << run.n << ", p = " << run.p << ", r = " << run.r << ": "
          << symbolic::to_text(block.per_visit);
      EXPECT_NE(block.tier, CountTier::measured);
      EXPECT_FALSE(block.ambiguous);
    }
  const auto symbolic = std::count_if(blocks.begin(), blocks.end(),
                                      [](const BlockCount& b) { return b.tier == CountTier::symbolic; });
  EXPECT_GE(symbolic, 6);  // the blocks inside the four loops
}

TEST_F(OfARealProgram, OperationsOfTheInnermostLoopAreTheTriangleOfRows) {
  const std::vector<Sighting> seen = of(20, 2);
  const auto operations =
      operations_per_visit(modules, BlockCounts(modules, seen, symbol_of).at(seen).blocks);
  for (const auto& [n, steps, p, r, counts] : runs) {
    // s += x[j] for each of the first rows of a process, from the row to n
    const double rows = std::floor(n / p) + (r < std::fmod(n, p));
    const double triangle = steps * (rows * n - rows * (rows - 1) / 2);
    const auto loads =
        symbolic::evaluate(operations.at("double_add"), {{"n", n}, {"steps", steps}, {"p", p}, {"r", r}});
    ASSERT_TRUE(loads);
    EXPECT_GE(*loads, triangle);  // plus the conversions of the loop that fills x
    EXPECT_LE(*loads, triangle + n + 5);
  }
}

TEST_F(OfARealProgram, PortionsOfArraysFollowFromOneRun) {
  // work traverses x from each of its rows on, `steps` times; the first row covers all of x. main fills it.
  const std::vector<Sighting> seen = of(20, 2);
  const std::vector<Sweep> sweeps = BlockCounts(modules, seen, symbol_of).at(seen).sweeps;
  // the loops over steps, rows and elements, and the one that fills x
  ASSERT_EQ(sweeps.size(), 4u);
  for (const CountedRun& run : runs) {
    const auto values = sighting(run).values;
    const double rows = std::floor(run.n / run.p) + (run.r < std::fmod(run.n, run.p));
    const double triangle = rows * run.n - rows * (rows - 1) / 2;
    std::multiset<double> bytes;
    for (const Sweep& sweep : sweeps) {
      EXPECT_EQ(symbolic::evaluate(sweep.portion, values).value(), 8 * run.n)
          << symbolic::to_text(sweep.portion);
      bytes.insert(symbolic::evaluate(sweep.bytes, values).value());
    }
    // The loop over elements is entered per row, and the loop over rows per step.
    EXPECT_EQ(bytes,
              (std::multiset<double>{8 * run.n, 8 * run.n, run.steps * 8 * run.n, run.steps * 8 * triangle}));
  }
}

TEST_F(OfARealProgram, ACountThatNoFormulaGivesIsNotCalledSymbolic) {
  // One counter of a loop is changed, as if another thread had changed its bound. No formula that does not
  // give the counter may be called symbolic.
  std::vector<CountedRun> changed;
  for (const CountedRun& run : runs)
    if (run.n == 20 && run.p == 2) changed.push_back(run);
  const facts::Function* work = nullptr;
  for (const facts::Function& function : modules[0].functions)
    if (function.name == "work") work = &function;
  ASSERT_TRUE(work);
  std::size_t largest = 0;
  for (std::size_t arc = 0; arc < work->arcs.size(); ++arc)
    if (work->counters[arc] &&
        (!work->counters[largest] || changed[0].counts.counters[*work->counters[arc]] >
                                         changed[0].counts.counters[*work->counters[largest]]))
      largest = arc;
  for (CountedRun& run : changed) run.counts.counters[*work->counters[largest]] += 3;
  std::vector<Sighting> seen;
  for (const CountedRun& run : changed) seen.push_back(sighting(run));
  for (const BlockCount& block : BlockCounts(modules, seen, symbol_of).at(seen).blocks)
    for (const CountedRun& run : changed)
      if (block.tier != CountTier::measured) {
        const auto value = symbolic::evaluate(block.per_visit, sighting(run).values);
        ASSERT_TRUE(value);
        EXPECT_NEAR(*value, static_cast<double>(executions(run, block)), 1e-9);
      }
}

TEST_F(OfARealProgram, WithoutNamesOfInputsNothingDependsOnThem) {
  const std::vector<Sighting> seen = of(20, 2);
  for (const BlockCount& block :
       BlockCounts(modules, seen, [](const Input&) -> std::optional<Expression> { return std::nullopt; })
           .at(seen)
           .blocks)
    EXPECT_THAT(symbolic::free_symbols(block.per_visit), ::testing::IsEmpty());
}

// The facts of this program contain only its graph: 0 -> 1 -> 2 -> 2 -> 1 -> 3 -> 5, or 3 -> 4 -> 4 -> 5. The
// loops are at 1, at 2 inside it, and at 4.
class OfUntoldLoops : public ::testing::Test {
 protected:
  static constexpr int kBlocks = 6;
  OfUntoldLoops() : modules(1) {
    modules[0].id = 7;
    facts::Function function;
    function.name = "main";
    function.blocks.resize(kBlocks);
    function.blocks[1].loop = 0;
    function.blocks[2].loop = 1;
    function.blocks[4].loop = 2;
    function.loops.resize(3);
    function.loops[0].head = 1;
    function.loops[1].head = 2;
    function.loops[1].in = 0;
    function.loops[2].head = 4;
    const auto add = [&](facts::Point from, facts::Point to) {
      facts::Arc arc;
      arc.from = from;
      arc.to = to;
      function.counters.emplace_back(function.arcs.size());
      function.arcs.push_back(arc);
    };
    for (int block = 0; block < kBlocks; ++block) add(2 * block + 1, 2 * block + 2);
    add(0, 1);
    for (const auto& [from, to] :
         {std::pair{0, 1}, {1, 2}, {2, 2}, {2, 1}, {1, 3}, {3, 4}, {4, 4}, {4, 5}, {3, 5}})
      add(2 * from + 2, 2 * to + 1);
    add(2 * kBlocks, 0);
    modules[0].counters = function.arcs.size();
    modules[0].functions.push_back(std::move(function));
  }
  /// Counts of one process: entries of the inner loop, its rounds in total, rounds of the last loop (0: not
  /// entered), and calls of the function.
  void run(double n, double p, double r, std::uint64_t entries, std::uint64_t rounds, std::uint64_t last,
           std::uint64_t calls = 1) {
    const std::uint64_t entered = last > 0 ? 1 : 0;
    counts.push_back(
        {{calls, entries + calls, rounds, calls, last, calls, calls, calls, entries, rounds - entries,
          entries, calls, entered, last - entered, entered, calls - entered, calls},
         {}});
    where.push_back({{"N", n}, {"p", p}, {"r", r}});
  }
  PlaceCounts found() const {
    std::vector<Sighting> seen;
    for (std::size_t k = 0; k < counts.size(); ++k) seen.push_back({1, where[k], {{7, &counts[k]}}});
    return BlockCounts(modules, seen, [](const Input&) -> std::optional<Expression> { return std::nullopt; },
                       {"N"})
        .at(seen);
  }
  CountTier tier_of(int block) const {
    const PlaceCounts all = found();
    return std::ranges::find(all.blocks, block, &BlockCount::block)->tier;
  }
  /// Returns the executions of a block in all processes of a run.
  double at(int block, double n, int p) {
    double sum = 0;
    for (const BlockCount& each : found().blocks)
      for (int r = 0; r < p && each.block == block; ++r)
        sum += symbolic::evaluate(each.per_visit,
                                  {{"N", n}, {"p", static_cast<double>(p)}, {"r", static_cast<double>(r)}})
                   .value();
    return sum;
  }
  std::vector<facts::Module> modules;
  std::deque<ModuleCounts> counts;
  std::vector<symbolic::Binding> where;
};

TEST_F(OfUntoldLoops, WhatLargerSizesBroughtAboutGrowsAsTheProgramDoes) {
  for (const auto& [n, p] : {std::pair{50, 2}, {80, 2}, {50, 4}})
    for (int r = 0; r < p; ++r) {
      const auto squares = static_cast<std::uint64_t>(1000 * n * n / p + 37 * r);
      run(n, p, r, squares / 7, squares, n == 80 && r == 0 ? 7777 : 0);
    }
  EXPECT_NEAR(at(4, 80, 2), 7777, 0.02 * 7777);
  EXPECT_NEAR(at(4, 200, 8), 7777 * 6.25, 0.02 * 7777 * 6.25);
}

TEST_F(OfUntoldLoops, WhatIsThereInSomeSmallerRunIsAsAtTheLargest) {
  for (const auto& [n, p] : {std::pair{50, 2}, {80, 2}, {50, 4}})
    for (int r = 0; r < p; ++r) {
      const auto squares = static_cast<std::uint64_t>(1000 * n * n / p + 37 * r);
      run(n, p, r, squares / 7, squares, p == 4 ? 0 : 7777);
    }
  EXPECT_NEAR(at(4, 200, 8), 8 * 7777, 0.01 * 8 * 7777);  // nothing shows that it grows
}

// The inner loop polls: fewest times in the run of the largest size, but thousands of times more than the
// other work.
TEST_F(OfUntoldLoops, WhatPollsIsNoMeasureForOthers) {
  for (const auto& [n, p, polls] : {std::tuple{50, 2, 70'000'000}, {80, 2, 9'000'000}, {50, 4, 50'000'000}})
    for (int r = 0; r < p; ++r)
      run(n, p, r, static_cast<std::uint64_t>(1000 * n * n / p + 37 * r),
          static_cast<std::uint64_t>(polls + 1000 * r), n == 80 && r == 0 ? 7777 : 0);
  modules[0].functions[0].calls.push_back({2, {}, "compute", {}, {}});
  EXPECT_GT(std::abs(at(4, 200, 8) / (7777 * 6.25) - 1), 0.5) << "as all rounds together grow";
  modules[0].functions[0].calls.back().to = "MPI_Test";
  EXPECT_NEAR(at(4, 200, 8), 7777 * 6.25, 0.02 * 7777 * 6.25);
  for (const BlockCount& each : found().blocks) {
    EXPECT_EQ(each.polling, each.block == 2) << each.block;
    if (each.polling) EXPECT_EQ(each.tier, CountTier::measured);
  }
}

TEST_F(OfUntoldLoops, PollsThatWereAsManyEachTimeAreNoConstant) {
  for (const auto& [n, p] : {std::pair{50, 2}, {80, 2}, {50, 4}})
    for (int r = 0; r < p; ++r) run(n, p, r, 6, 6, 9);
  EXPECT_LT(tier_of(2), CountTier::measured);
  modules[0].functions[0].calls.push_back({2, {}, "PMPI_Iprobe", {}, {}});
  EXPECT_EQ(tier_of(2), CountTier::measured);
  EXPECT_LT(tier_of(1), CountTier::measured);
}

// The number of rounds up to a tolerance may be equal in all small runs, but it is not a constant of the
// program.
TEST_F(OfUntoldLoops, WhatDataDecideIsNoConstantOfTheProgram) {
  constexpr int kEntries = 6, kRounds = 17;
  for (const auto& [n, p] : {std::pair{50, 2}, {80, 2}, {50, 4}})
    for (int r = 0; r < p; ++r) run(n, p, r, kEntries, kEntries * kRounds, 9);
  const auto data_decide = [&](std::set<int> blocks) -> std::set<int>& {
    return modules[0].functions[0].by_data = std::move(blocks);
  };
  // the inner loop ends at 2, the outer one at 1
  EXPECT_EQ(tier_of(2), CountTier::recognised);
  EXPECT_EQ(tier_of(1), CountTier::recognised);
  data_decide({2});
  EXPECT_EQ(tier_of(2), CountTier::constant);
  EXPECT_EQ(tier_of(1), CountTier::recognised);
  EXPECT_EQ(tier_of(4), CountTier::as_seen);
  // it is still the best estimate
  EXPECT_NEAR(at(2, 400, 8), 8 * kEntries * kRounds, 1e-6);
  data_decide({1});
  EXPECT_EQ(tier_of(1), CountTier::constant);
  EXPECT_EQ(tier_of(2), CountTier::constant);  // as often as the enclosing loop iterates
  data_decide({3});                            // which always continued to 4
  EXPECT_EQ(tier_of(1), CountTier::recognised);
  EXPECT_EQ(tier_of(4), CountTier::as_seen);
  data_decide({4});
  EXPECT_EQ(tier_of(4), CountTier::constant);
  EXPECT_EQ(tier_of(5), CountTier::symbolic);  // all ways lead there
}

// Where calls, entries and rounds per entry fit no form, their product is less certain than the count on its
// own.
TEST_F(OfUntoldLoops, ACountGrowsByItselfWherePartsTellLess) {
  modules[0].functions[0].name = "called";  // without known callers
  const std::vector<CountGrowth::Run> small{{2, {50}}, {2, {80}}, {4, {50}}};
  // by run
  const std::vector<double> calls{1038, 7498, 2156}, entries{103859, 149831, 21566},
      rounds{1000000, 1412171, 4742446};
  for (std::size_t k = 0; k < small.size(); ++k)
    for (int r = 0; r < small[k].processes; ++r) {
      const auto part = [&](const std::vector<double>& all) {
        return static_cast<std::uint64_t>(all[k] / small[k].processes) + static_cast<std::uint64_t>(3 * r);
      };
      run(small[k].parameters[0], small[k].processes, r, part(entries), part(rounds), 0, part(calls));
    }
  const auto alone = CountGrowth({"N"}, small).of(rounds, {2, 2, 4});
  ASSERT_TRUE(alone);
  const double expected = 8 * symbolic::evaluate(alone->ratio, {{"N", 200}, {"p", 8}}).value();
  EXPECT_NEAR(at(2, 200, 8), expected, 0.01 * expected);
}

}  // namespace
}  // namespace parcast::program
