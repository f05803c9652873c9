// SPDX-License-Identifier: Apache-2.0
#include "source/counts/function_flows.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "statistics/random.h"

namespace parcast::program {
namespace {

using Ways = FunctionFlows::Ways;

facts::Point begin_of(int block) {
  return 2 * block + 1;
}
facts::Point end_of(int block) {
  return 2 * block + 2;
}

/// A function of `blocks` blocks, each in a loop or in none, with edges between them. The last block leaves
/// it.
struct Graph {
  facts::Function function;
  std::vector<std::vector<int>> next;

  Graph(int blocks, const std::vector<std::pair<int, int>>& edges) : next(static_cast<std::size_t>(blocks)) {
    function.name = "walked";
    function.blocks.resize(static_cast<std::size_t>(blocks));
    for (int b = 0; b < blocks; ++b) add(begin_of(b), end_of(b));
    add(0, 1);
    add(end_of(blocks - 1), 0);
    for (const auto& [from, to] : edges) {
      add(end_of(from), begin_of(to));
      next[static_cast<std::size_t>(from)].push_back(to);
    }
    function.counters.resize(function.arcs.size());
  }
  void add(facts::Point from, facts::Point to) {
    facts::Arc arc;
    arc.from = from;
    arc.to = to;
    function.arcs.push_back(arc);
  }
  std::size_t arc(facts::Point from, facts::Point to) const {
    for (std::size_t a = 0; a < function.arcs.size(); ++a)
      if (function.arcs[a].from == from && function.arcs[a].to == to) return a;
    return 0;
  }
  /// Returns the flows of one call that takes each way out of a block with equal probability.
  Flows walk(statistics::Random& random) const {
    Flows flows(function.arcs.size(), 0);
    const auto pass = [&](facts::Point from, facts::Point to) { ++*flows[arc(from, to)]; };
    pass(0, 1);
    for (int b = 0;;) {
      pass(begin_of(b), end_of(b));
      const std::vector<int>& ways = next[static_cast<std::size_t>(b)];
      if (ways.empty()) break;
      const int to = ways[static_cast<std::size_t>(random.uniform() * static_cast<double>(ways.size()))];
      pass(end_of(b), begin_of(to));
      b = to;
    }
    pass(end_of(static_cast<int>(next.size()) - 1), 0);
    return flows;
  }
};

struct Walked {
  std::vector<facts::Module> modules;
  std::unique_ptr<facts::LinkedProgram> program;
  std::unique_ptr<FunctionFlows> flows;

  Walked(const Graph& graph, std::vector<Flows> measured) {
    modules.push_back({});
    modules[0].functions.push_back(graph.function);
    program = std::make_unique<facts::LinkedProgram>(modules);
    flows = std::make_unique<FunctionFlows>(*program, facts::FunctionPlace{0, 0}, std::move(measured));
  }
  std::vector<int> equal(Ways ways) const {
    std::vector<int> all;
    for (int b = 0; b < static_cast<int>(modules[0].functions[0].blocks.size()); ++b)
      all.push_back(flows->as_often_as(b, ways));
    return all;
  }
};

TEST(FunctionFlows, BehindABranchItGoesOnAsBefore) {
  // 0 -> 1 or 2 -> 3
  const Graph graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  statistics::Random random(1);
  std::vector<Flows> many;
  for (int k = 0; k < 20; ++k) many.push_back(graph.walk(random));
  const Walked walked(graph, many);
  EXPECT_THAT(walked.equal(Ways::possible), ::testing::ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(walked.equal(Ways::taken), ::testing::ElementsAre(0, 1, 2, 0));
}

TEST(FunctionFlows, WhatWasNeverTakenMayBeTakenElsewhere) {
  const Graph graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  Flows left(graph.function.arcs.size(), 0);  // 0 -> 1 -> 3 each time
  for (const auto& [from, to] : std::vector<std::pair<facts::Point, facts::Point>>{{0, 1},
                                                                                   {begin_of(0), end_of(0)},
                                                                                   {end_of(0), begin_of(1)},
                                                                                   {begin_of(1), end_of(1)},
                                                                                   {end_of(1), begin_of(3)},
                                                                                   {begin_of(3), end_of(3)},
                                                                                   {end_of(3), 0}})
    left[graph.arc(from, to)] = 5;
  const Walked walked(graph, {left});
  EXPECT_THAT(walked.equal(Ways::possible), ::testing::ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(walked.equal(Ways::taken), ::testing::ElementsAre(0, 0, 2, 0));
}

TEST(FunctionFlows, AWayToAHandlerIsNoneWhereTheCallThrowsNothing) {
  const auto equal = [](const std::string& callee) {
    Graph graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});  // handler of the call in 0
    const std::size_t to_handler = graph.arc(end_of(0), begin_of(2));
    graph.function.arcs[to_handler].countable = false;
    graph.function.invoked[to_handler] = 0;
    graph.function.blocks[2].takes = facts::Types{{}, true};
    graph.function.calls.push_back({0, {}, callee, {}, std::nullopt});
    Flows through(graph.function.arcs.size(), 0);
    for (const auto& [from, to] : std::vector<std::pair<facts::Point, facts::Point>>{{0, 1},
                                                                                     {begin_of(0), end_of(0)},
                                                                                     {end_of(0), begin_of(1)},
                                                                                     {begin_of(1), end_of(1)},
                                                                                     {end_of(1), begin_of(3)},
                                                                                     {begin_of(3), end_of(3)},
                                                                                     {end_of(3), 0}})
      through[graph.arc(from, to)] = 5;
    const Walked walked(graph, {through});
    return walked.equal(Ways::possible);
  };
  EXPECT_THAT(equal("MPI_Barrier"), ::testing::ElementsAre(0, 0, 2, 0));
  EXPECT_THAT(equal("__cxa_throw"), ::testing::ElementsAre(0, 1, 2, 0));
}

TEST(FunctionFlows, BehindALoopItGoesOnAsBefore) {
  // 0 -> (1 -> 2 or 3 -> 4 -> 1 or out) -> 5; the loop contains 1 to 4
  Graph graph(6, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}});
  graph.function.loops.resize(1);
  graph.function.loops[0].head = 1;
  for (int b = 1; b <= 4; ++b) graph.function.blocks[static_cast<std::size_t>(b)].loop = 0;
  statistics::Random random(2);
  std::vector<Flows> many;
  for (int k = 0; k < 50; ++k) many.push_back(graph.walk(random));
  const Walked walked(graph, many);
  EXPECT_THAT(walked.equal(Ways::possible), ::testing::ElementsAre(0, 1, 2, 3, 1, 0));
}

// Two blocks are reported as equally frequent if and only if they are so in each of 200 random walks.
TEST(FunctionFlows, WhatIsEquallyOftenIsFoundInGraphsMadeByChance) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    statistics::Random random(seed);
    const int blocks = 3 + static_cast<int>(random.uniform() * 8);
    std::set<std::pair<int, int>> edges;
    for (int b = 0; b + 1 < blocks; ++b) {
      const int ways = 1 + static_cast<int>(random.uniform() * 2.5);
      for (int k = 0; k < ways; ++k)
        edges.emplace(b, b + 1 + static_cast<int>(random.uniform() * (blocks - b - 1)));
    }
    const Graph graph(blocks, {edges.begin(), edges.end()});
    std::vector<Flows> many;
    for (int k = 0; k < 400; ++k) many.push_back(graph.walk(random));
    const Walked walked(graph, many);
    for (int b = 0; b < blocks; ++b) {
      if (!walked.flows->seen(b)) continue;
      int first = b;
      for (int other = b - 1; other >= 0; --other) {
        bool same = true;
        for (std::size_t o = 0; o < many.size(); ++o)
          same = same && walked.flows->executions(o, b) == walked.flows->executions(o, other);
        if (same) first = other;
      }
      EXPECT_EQ(walked.flows->as_often_as(b, Ways::taken), first) << "seed " << seed << ", block " << b;
    }
  }
}

}  // namespace
}  // namespace parcast::program
