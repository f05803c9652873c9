// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/collectives.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

namespace parcast::simulate {
namespace {

using recording::Pattern;

struct Case {
  Pattern pattern;
  Algorithm algorithm;
};

/// Every pattern with each of its algorithms.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (int pattern = static_cast<int>(Pattern::barrier); pattern <= static_cast<int>(Pattern::scan); ++pattern)
    for (const Algorithm algorithm : machine::algorithms_of(static_cast<Pattern>(pattern))) cases.push_back({static_cast<Pattern>(pattern), algorithm});
  return cases;
}

struct Sent {
  std::set<std::int32_t> heard;  // whose contribution the sender knew of
  std::uint64_t bytes = 0;
};

/// All members' steps, each as far as it can go; what each has heard of in the end. Every message must meet a receive of as
/// many bytes.
class Play {
 public:
  Play(const Case& of, std::int32_t members, std::int32_t root, std::uint64_t each) : step_(static_cast<std::size_t>(members)), posted_(step_.size()), heard(step_.size()) {
    for (std::int32_t rank = 0; rank < members; ++rank) {
      calls_.push_back({of.pattern, of.algorithm, members, rank, root, each});
      heard[static_cast<std::size_t>(rank)] = {rank};
    }
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int32_t rank = 0; rank < members; ++rank)
        while (go(rank)) moved = true;
    }
    for (std::int32_t rank = 0; rank < members; ++rank) finished = finished && step_[static_cast<std::size_t>(rank)] == steps_of(calls_[static_cast<std::size_t>(rank)]);
    for (const auto& [pair, queue] : wire_) empty = empty && queue.empty();
  }
  bool finished = true, empty = true;
  std::uint64_t bytes = 0;

 private:
  bool go(std::int32_t rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (step_[at] == steps_of(calls_[at])) return false;
    const CollectiveStep step = step_of(calls_[at], step_[at]);
    if (!posted_[at]) {
      posted_[at] = true;
      if (step.to >= 0) wire_[{rank, step.to}].push_back({heard[at], step.sent}), bytes += step.sent;
    }
    if (step.from >= 0) {
      auto& queue = wire_[{step.from, rank}];
      if (queue.empty()) return false;
      EXPECT_EQ(queue.front().bytes, step.received) << rank << " from " << step.from;
      heard[at].insert(queue.front().heard.begin(), queue.front().heard.end());
      queue.pop_front();
    }
    posted_[at] = false;
    ++step_[at];
    return true;
  }
  std::vector<CollectiveCall> calls_;
  std::vector<std::int32_t> step_;
  std::vector<bool> posted_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::deque<Sent>> wire_;

 public:
  std::vector<std::set<std::int32_t>> heard;
};

bool all_hear_all(Pattern pattern) {
  return pattern == Pattern::barrier || pattern == Pattern::allreduce || pattern == Pattern::allgather || pattern == Pattern::alltoall || pattern == Pattern::reduce_scatter;
}

TEST(Collectives, EverybodyHearsOfWhomItMust) {
  for (const Case& of : all_cases())
    for (std::int32_t members = 1; members <= 33; ++members)
      for (const std::int32_t root : {0, members / 2, members - 1}) {
        const Play play(of, members, root, 1000);
        SCOPED_TRACE(std::to_string(static_cast<int>(of.pattern)) + " by " + std::string(machine::algorithm_name(of.algorithm)) + " of " + std::to_string(members) + " root " + std::to_string(root));
        ASSERT_TRUE(play.finished);
        EXPECT_TRUE(play.empty);
        for (std::int32_t rank = 0; rank < members; ++rank) {
          const auto& heard = play.heard[static_cast<std::size_t>(rank)];
          if (all_hear_all(of.pattern)) { EXPECT_EQ(heard.size(), static_cast<std::size_t>(members)); }
          if (of.pattern == Pattern::broadcast || of.pattern == Pattern::scatter) { EXPECT_TRUE(heard.contains(root)); }
          if ((of.pattern == Pattern::reduce || of.pattern == Pattern::gather) && rank == root) { EXPECT_EQ(heard.size(), static_cast<std::size_t>(members)); }
          if (of.pattern == Pattern::scan) { EXPECT_EQ(heard.size(), static_cast<std::size_t>(rank + 1)); }
        }
      }
}

/// Bytes on the wire, from what the algorithms are known to move (Thakur, Rabenseifner, Gropp 2005; Bruck et al. 1997).
TEST(Collectives, MoveAsManyBytesAsTheirAlgorithms) {
  const auto bytes = [](Pattern pattern, Algorithm algorithm, std::int32_t members, std::uint64_t each) { return Play({pattern, algorithm}, members, 0, each).bytes; };
  EXPECT_EQ(bytes(Pattern::broadcast, Algorithm::binomial, 13, 100), 12u * 100);
  EXPECT_EQ(bytes(Pattern::reduce, Algorithm::binomial, 13, 100), 12u * 100);
  EXPECT_EQ(bytes(Pattern::allreduce, Algorithm::recursive_doubling, 16, 100), 16u * 4 * 100);
  EXPECT_EQ(bytes(Pattern::allreduce, Algorithm::recursive_doubling, 13, 100), (8u * 3 + 2 * 5) * 100);
  EXPECT_EQ(bytes(Pattern::allreduce, Algorithm::ring, 13, 1001), 2u * 12 * 1001);
  // (p - 1) / p of the vector out and in, of each of the eight; five more give it away and get it back.
  EXPECT_EQ(bytes(Pattern::allreduce, Algorithm::rabenseifner, 8, 801), 2u * 7 * 801);
  EXPECT_EQ(bytes(Pattern::allreduce, Algorithm::rabenseifner, 13, 801), (2u * 7 + 2 * 5) * 801);
  EXPECT_EQ(bytes(Pattern::allgather, Algorithm::bruck, 13, 100), 13u * 12 * 100);
  EXPECT_EQ(bytes(Pattern::allgather, Algorithm::ring, 13, 100), 13u * 12 * 100);
  EXPECT_EQ(bytes(Pattern::alltoall, Algorithm::pairwise, 10, 1000), 10u * 9 * 100);
  EXPECT_EQ(bytes(Pattern::alltoall, Algorithm::bruck, 8, 800), 8u * 3 * 400);
  EXPECT_EQ(bytes(Pattern::gather, Algorithm::binomial, 8, 100), (4u * 1 + 2 * 2 + 1 * 4) * 100);
  EXPECT_EQ(bytes(Pattern::scatter, Algorithm::binomial, 8, 100), (4u * 1 + 2 * 2 + 1 * 4) * 100);
  EXPECT_EQ(bytes(Pattern::barrier, Algorithm::linear, 13, 100), 0u);
  EXPECT_EQ(bytes(Pattern::broadcast, Algorithm::linear, 13, 100), 12u * 100);
  EXPECT_EQ(bytes(Pattern::scatter, Algorithm::linear, 8, 100), 7u * 100);
  EXPECT_EQ(bytes(Pattern::gather, Algorithm::linear, 8, 100), 7u * 100);
  EXPECT_EQ(bytes(Pattern::allreduce, Algorithm::linear, 13, 100), 2u * 12 * 100);
  EXPECT_EQ(bytes(Pattern::allreduce, Algorithm::binomial, 13, 100), 2u * 12 * 100);
  EXPECT_EQ(bytes(Pattern::allgather, Algorithm::linear, 13, 100), 12u * 100 + 12 * 1300);
  EXPECT_EQ(bytes(Pattern::reduce_scatter, Algorithm::linear, 10, 1000), 9u * 1000 + 9 * 100);
  EXPECT_EQ(bytes(Pattern::scan, Algorithm::linear, 13, 100), 12u * 100);
  // Of eight shares of 100: the tree carries 4 + 2 x 2 + 4 x 1, then each of 8 sends 7.
  EXPECT_EQ(bytes(Pattern::broadcast, Algorithm::scatter_allgather, 8, 800), (4u + 2 * 2 + 4 * 1) * 100 + 8 * 7 * 100);
}

}  // namespace
}  // namespace parcast::simulate
