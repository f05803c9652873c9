// SPDX-License-Identifier: Apache-2.0
#include "trace/operation_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

namespace parcast::trace {
namespace {

using Kind = GraphOperation::Kind;

GraphOperation compute(std::uint64_t time, std::uint8_t cpu = 0) {
  return {.kind = Kind::compute, .cpu = cpu, .amount = time};
}
GraphOperation send(std::int32_t peer) {
  return {.kind = Kind::send, .peer = peer, .amount = 8};
}

/// Returns the same graph with its operations and dependencies in a different order.
RankGraph shuffled(const RankGraph& graph, std::mt19937& random) {
  std::vector<std::uint32_t> number(graph.operations.size());
  std::iota(number.begin(), number.end(), 0u);
  std::shuffle(number.begin(), number.end(), random);
  RankGraph out{std::vector<GraphOperation>(graph.operations.size()), graph.dependencies};
  for (std::size_t i = 0; i < number.size(); ++i) out.operations[number[i]] = graph.operations[i];
  for (GraphDependency& each : out.dependencies)
    each = {number[each.later], number[each.earlier], each.on_start};
  std::shuffle(out.dependencies.begin(), out.dependencies.end(), random);
  return out;
}

RankGraph in_order(RankGraph graph) {
  put_in_canonical_order(graph);
  return graph;
}

void expect_same_in_any_order(const RankGraph& graph, std::mt19937& random, int times) {
  const RankGraph expected = in_order(graph);
  for (int round = 0; round < times; ++round) {
    const RankGraph got = in_order(shuffled(graph, random));
    ASSERT_EQ(got.operations, expected.operations);
    ASSERT_EQ(got.dependencies, expected.dependencies);
  }
}

TEST(OperationGraph, IsOrderedByWhatOperationsDo) {
  const GraphOperation receive{.kind = Kind::receive, .peer = 1};
  const RankGraph graph =
      in_order({{compute(7), compute(5), receive, send(3), send(2)}, {{0, 1, false}, {3, 0, true}}});
  EXPECT_EQ(graph.operations, (std::vector{send(2), send(3), receive, compute(5), compute(7)}));
  EXPECT_EQ(graph.dependencies, (std::vector<GraphDependency>{{1, 4, true}, {4, 3, false}}));
}

TEST(OperationGraph, IsOrderedByWhatRequiresEqualOperations) {
  // Two equal computings; a send requires one of them.
  const RankGraph one = in_order({{compute(5), compute(5), send(1)}, {{2, 0, false}}});
  const RankGraph other = in_order({{compute(5), compute(5), send(1)}, {{2, 1, false}}});
  EXPECT_EQ(one.dependencies, other.dependencies);
  // The difference is far away: chains of equal computings that differ only at their ends.
  std::mt19937 random(1);
  RankGraph chains;
  for (int chain = 0; chain < 6; ++chain)
    for (std::uint32_t i = 0; i < 10; ++i) {
      chains.operations.push_back(i == 9 ? send(chain / 2) : compute(5));
      const auto last = static_cast<std::uint32_t>(chains.operations.size() - 1);
      if (i > 0) chains.dependencies.push_back({last, last - 1, chain % 2 == 1});
    }
  expect_same_in_any_order(chains, random, 20);
}

/// a and a' are on one cpu, b and b' on another. c requires a and b, c' requires a' and b'. Either of each
/// pair may come first, but the pairs must agree.
TEST(OperationGraph, KeepsWhatBelongsTogetherTogether) {
  const RankGraph pairs{{compute(1, 0), compute(1, 0), compute(1, 1), compute(1, 1), compute(2), compute(2)},
                        {{4, 0, false}, {4, 2, false}, {5, 1, false}, {5, 3, false}}};
  std::mt19937 random(2);
  expect_same_in_any_order(pairs, random, 50);
  const RankGraph ordered = in_order(pairs);
  EXPECT_EQ(ordered.dependencies,
            (std::vector<GraphDependency>{{2, 0, false}, {2, 4, false}, {3, 1, false}, {3, 5, false}}));
}

TEST(OperationGraph, IsTheSameInAnyOrderOfRandomGraphs) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    RankGraph graph;
    const unsigned operations = 1 + random() % 40, sorts = 1 + random() % 3;
    for (unsigned i = 0; i < operations; ++i) {
      graph.operations.push_back(random() % 2 ? compute(random() % sorts)
                                              : send(static_cast<std::int32_t>(random() % sorts)));
      for (unsigned k = random() % 3; i > 0 && k > 0; --k)
        graph.dependencies.push_back({i, static_cast<std::uint32_t>(random() % i), random() % 3 == 0});
    }
    expect_same_in_any_order(graph, random, 3);
  }
}

/// A thousand equal operations between two joins, a hundred times: giving one its own class must not touch
/// all.
TEST(OperationGraph, TakesStepsInProportionToItsSizeWhereManyAreAlike) {
  RankGraph graph;
  for (std::uint32_t round = 0; round < 100; ++round) {
    const auto join = static_cast<std::uint32_t>(graph.operations.size());
    graph.operations.push_back(compute(0));
    for (std::uint32_t i = 1; i <= 1000; ++i) {
      graph.operations.push_back(send(1));
      graph.dependencies.push_back({join + i, join, false});
      graph.dependencies.push_back({join + 1001, join + i, false});
    }
  }
  graph.operations.push_back(compute(0));
  const auto begin = std::chrono::steady_clock::now();
  put_in_canonical_order(graph);
  // takes about a fifth of a second
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(graph.operations.front(), send(1));
}

}  // namespace
}  // namespace parcast::trace
