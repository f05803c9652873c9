// SPDX-License-Identifier: Apache-2.0
#include "build_model/loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "observations/testing/synthetic_runs.h"

namespace parcast::program {
namespace {

using Walk = std::vector<std::int32_t>;

// The graph of a process that visits these nodes in this order, and the traversals of each arc.
struct Walked {
  Graph graph;
  std::map<std::int32_t, std::int64_t> traversals;  // by arc id
};
Walked walked(const Walk& walk) {
  Walked out;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> known;
  std::set<std::int32_t> seen;
  std::int32_t previous = -1;
  for (const std::int32_t node : walk) {
    const auto id = static_cast<std::int32_t>(known.size());
    const auto [at, is_new] = known.emplace(std::pair{previous, node}, id);
    if (is_new) out.graph.arcs.push_back({previous, node, id});
    ++out.traversals[at->second];
    if (seen.insert(node).second) out.graph.visits.push_back(node);
    previous = node;
  }
  return out;
}

// Returns a text such as "0 (1 2 (3)) 4".
std::string text(const std::vector<Piece>& pieces) {
  std::string out;
  for (const Piece& piece : pieces) {
    if (!out.empty()) out += " ";
    out += piece.node >= 0 ? std::to_string(piece.node) : "(" + text(piece.children) + ")";
  }
  return out;
}

std::int32_t count_of(const Walk& walk) {
  return *std::max_element(walk.begin(), walk.end()) + 1;
}

std::string folded(const Walk& walk) {
  return text(nest_loops(count_of(walk), {walked(walk).graph}));
}

std::int64_t iterations(const Piece& loop, const Walked& process, std::size_t graph = 0) {
  std::int64_t sum = 0;
  for (const std::int32_t id : loop.iterations[graph]) sum += process.traversals.at(id);
  return sum;
}

// A program of calls and loops; each call has its own place.
struct Block {
  std::int32_t call = -1;  // -1: a loop
  std::vector<Block> body{};
  std::int64_t iterations = 0;  // iterations executed so far
};

// Every body begins with a call: a loop that begins with a loop shares its header with it. No order of calls
// distinguishes the two from one loop with a branch.
std::vector<Block> random_blocks(testing::Numbers& numbers, int depth, std::int32_t& next) {
  std::vector<Block> blocks{{next++}};
  const int more = static_cast<int>(numbers.uniform() * 4);
  for (int i = 0; i < more; ++i) {
    if (depth > 0 && numbers.uniform() < 0.5)
      blocks.push_back({-1, random_blocks(numbers, depth - 1, next)});
    else
      blocks.push_back({next++});
  }
  return blocks;
}

std::string text(const std::vector<Block>& blocks) {
  std::string out;
  for (const Block& block : blocks) {
    if (!out.empty()) out += " ";
    out += block.call >= 0 ? std::to_string(block.call) : "(" + text(block.body) + ")";
  }
  return out;
}

void run(std::vector<Block>& blocks, const std::function<int()>& times, Walk& walk) {
  for (Block& block : blocks) {
    if (block.call >= 0) {
      walk.push_back(block.call);
      continue;
    }
    const int n = times();
    block.iterations += n;
    for (int i = 0; i < n; ++i) run(block.body, times, walk);
  }
}

void expect_iterations(const std::vector<Block>& blocks, const std::vector<Piece>& pieces,
                       const Walked& process, std::size_t graph) {
  ASSERT_EQ(blocks.size(), pieces.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].call >= 0) continue;
    EXPECT_EQ(iterations(pieces[i], process, graph), blocks[i].iterations);
    expect_iterations(blocks[i].body, pieces[i].children, process, graph);
  }
}

void forget(std::vector<Block>& blocks) {
  for (Block& block : blocks) {
    block.iterations = 0;
    forget(block.body);
  }
}

void collect(const std::vector<Piece>& pieces, bool in_loop, std::map<std::int32_t, int>& occurrences,
             std::set<std::int32_t>& looped) {
  for (const Piece& piece : pieces) {
    if (piece.node < 0) {
      collect(piece.children, true, occurrences, looped);
      continue;
    }
    ++occurrences[piece.node];
    if (in_loop) looped.insert(piece.node);
  }
}

TEST(Loops, ASequenceWithoutRepetitionHasNoLoop) {
  EXPECT_EQ(folded({0, 1, 2, 3}), "0 1 2 3");
}

TEST(Loops, ACallThatFollowsItselfIsALoopOfItsOwn) {
  EXPECT_EQ(folded({0, 1, 1, 1, 2}), "0 (1) 2");
}

TEST(Loops, ALoopWithinALoopKeepsItsPlace) {
  EXPECT_EQ(folded({0, 1, 2, 2, 3, 1, 2, 2, 3, 4}), "0 (1 (2) 3) 4");
}

TEST(Loops, ABranchTakenInSomeIterationsStaysInTheLoopInItsOrder) {
  EXPECT_EQ(folded({0, 1, 2, 0, 2, 0, 1, 2}), "(0 1 2)");
}

TEST(Loops, NothingGivesNothing) {
  EXPECT_TRUE(nest_loops(0, {}).empty());
  EXPECT_EQ(text(nest_loops(2, {})), "0 1");  // nodes that no process visits
}

TEST(Loops, ProcessesThatAlternateInOppositeOrderAreNoLoop) {
  const Walked even = walked({0, 1}), odd = walked({1, 0});  // send then receive, receive then send
  EXPECT_EQ(text(nest_loops(2, {even.graph, odd.graph})), "0 1");
}

TEST(Loops, EachProcessBeginsItsIterationsWhereItEnteredTheLoop) {
  const Walked even = walked({0, 1, 2, 1, 2, 1, 2, 3}), odd = walked({0, 2, 1, 2, 1, 3});
  const auto pieces = nest_loops(4, {even.graph, odd.graph});
  ASSERT_EQ(text(pieces), "0 (1 2) 3");
  EXPECT_EQ(iterations(pieces[1], even, 0), 3);
  EXPECT_EQ(iterations(pieces[1], odd, 1), 2);
}

TEST(Loops, IterationsOfANestAreCountedPerLevel) {
  Walk walk;
  for (int i = 0; i < 5; ++i) {
    walk.push_back(0);
    for (int j = 0; j < 7; ++j) walk.push_back(1);
  }
  const Walked process = walked(walk);
  const auto pieces = nest_loops(2, {process.graph});
  ASSERT_EQ(text(pieces), "(0 (1))");
  EXPECT_EQ(iterations(pieces[0], process), 5);
  EXPECT_EQ(iterations(pieces[0].children[1], process), 35);
}

TEST(Loops, RandomProgramsGetTheirOwnNestAndIterationCountsBack) {
  testing::Numbers numbers(11);
  int loops = 0;
  for (int round = 0; round < 400; ++round) {
    std::int32_t count = 0;
    std::vector<Block> program = random_blocks(numbers, 4, count);
    Walk walk;
    run(
        program, [&] { return 2 + static_cast<int>(numbers.uniform() * 2); }, walk);
    if (walk.size() > 200'000) continue;
    const Walked process = walked(walk);
    const auto pieces = nest_loops(count, {process.graph});
    ASSERT_EQ(text(pieces), text(program));
    expect_iterations(program, pieces, process, 0);
    loops += text(program).find('(') != std::string::npos;
  }
  EXPECT_GT(loops, 100);
}

TEST(Loops, ProcessesWithOtherIterationCountsShareOneNest) {
  testing::Numbers numbers(5);
  for (int round = 0; round < 100; ++round) {
    std::int32_t count = 0;
    std::vector<Block> program = random_blocks(numbers, 2, count);
    std::vector<Walked> processes;
    std::vector<Graph> graphs;
    std::vector<std::vector<Block>> ran;
    for (int rank = 0; rank < 4; ++rank) {
      Walk walk;
      forget(program);
      // The first process enters every loop; others may skip some.
      run(
          program, [&] { return rank == 0 ? 2 : static_cast<int>(numbers.uniform() * 4); }, walk);
      processes.push_back(walked(walk));
      graphs.push_back(processes.back().graph);
      ran.push_back(program);
    }
    const auto pieces = nest_loops(count, graphs);
    ASSERT_EQ(text(pieces), text(program));
    for (std::size_t rank = 0; rank < ran.size(); ++rank)
      expect_iterations(ran[rank], pieces, processes[rank], rank);
  }
}

TEST(Loops, OfAnyWalkEveryNodeOccursOnceAndWhatRepeatsIsInALoop) {
  testing::Numbers numbers(3);
  for (int round = 0; round < 500; ++round) {
    const auto alphabet = 1 + static_cast<std::int32_t>(numbers.uniform() * 12);
    const int length = 1 + static_cast<int>(numbers.uniform() * 60);
    Walk raw, walk;
    std::map<std::int32_t, std::int32_t> number;
    for (int i = 0; i < length; ++i)
      raw.push_back(static_cast<std::int32_t>(numbers.uniform() * static_cast<double>(alphabet)));
    std::map<std::int32_t, int> executions;
    for (const std::int32_t node : raw) {
      walk.push_back(number.emplace(node, static_cast<std::int32_t>(number.size())).first->second);
      ++executions[walk.back()];
    }
    const auto pieces = nest_loops(count_of(walk), {walked(walk).graph});
    std::map<std::int32_t, int> occurrences;
    std::set<std::int32_t> looped;
    collect(pieces, false, occurrences, looped);
    ASSERT_EQ(occurrences.size(), number.size());
    for (const auto& [node, times] : occurrences) ASSERT_EQ(times, 1);
    for (const auto& [node, times] : executions)
      if (times > 1) ASSERT_TRUE(looped.contains(node)) << "node " << node << " of " << text(pieces);
    EXPECT_EQ(text(nest_loops(count_of(walk), {walked(walk).graph})), text(pieces));
  }
}

TEST(Loops, AHundredLoopsWithinEachOtherAreUnfolded) {
  // Node k heads the loop of depth k; every loop executes its body once more after the inner loops end.
  constexpr std::int32_t kDepth = 100;
  Walk walk;
  for (std::int32_t k = 0; k < kDepth; ++k) walk.push_back(k);
  for (std::int32_t k = kDepth; k-- > 0;)
    for (std::int32_t j = k; j < kDepth; ++j) walk.push_back(j);
  std::string expected;
  for (std::int32_t k = 0; k < kDepth; ++k) expected += (k > 0 ? " (" : "(") + std::to_string(k);
  expected += std::string(kDepth, ')');
  EXPECT_EQ(folded(walk), expected);
}

double seconds_to_nest(std::int32_t count) {
  Walk walk;
  for (std::int32_t node = 0; node < count; ++node) walk.insert(walk.end(), {node, node});
  const Walked process = walked(walk);
  double least = 1e9;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const std::clock_t start = std::clock();
    const auto pieces = nest_loops(count, {process.graph});
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    EXPECT_EQ(pieces.size(), static_cast<std::size_t>(count));
  }
  return least;
}

TEST(Loops, TheTimeForALongProgramIsNotQuadratic) {
  const double few = std::max(seconds_to_nest(2'000), 1e-4);
  EXPECT_LT(seconds_to_nest(32'000),
            80 * few);  // 16 x n log n takes about 22 times as long, 16 x squared 256 times
}

}  // namespace
}  // namespace parcast::program
