// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "machine/cost.h"

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
  for (int pattern = static_cast<int>(Pattern::barrier); pattern <= static_cast<int>(Pattern::scan);
       ++pattern)
    for (const Algorithm algorithm : machine::algorithms_of(static_cast<Pattern>(pattern)))
      cases.push_back({static_cast<Pattern>(pattern), algorithm});
  return cases;
}

struct Sent {
  std::set<std::int32_t> heard;  // members whose contribution the sender had received
  std::uint64_t bytes = 0;
  std::int32_t round = 0;  // in which it was sent
};

/// Executes all members' steps, each as far as possible, and records the contributions that reach each
/// member. Every message must meet a receive of the same size.
class Play {
 public:
  Play(const Case& of, std::int32_t members, std::int32_t root, std::uint64_t each)
      : step_(static_cast<std::size_t>(members)),
        round_(step_.size()),
        posted_(step_.size()),
        heard(step_.size()) {
    for (std::int32_t rank = 0; rank < members; ++rank) {
      calls_.push_back({of.pattern, of.algorithm, members, rank, root, each});
      heard[static_cast<std::size_t>(rank)] = {rank};
    }
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int32_t rank = 0; rank < members; ++rank)
        while (go(rank)) moved = true;
    }
    for (std::int32_t rank = 0; rank < members; ++rank)
      finished = finished &&
                 step_[static_cast<std::size_t>(rank)] == steps_of(calls_[static_cast<std::size_t>(rank)]);
    for (const auto& [pair, queue] : wire_) empty = empty && queue.empty();
    rounds = *std::max_element(round_.begin(), round_.end());
  }
  bool finished = true, empty = true;
  std::uint64_t bytes = 0;
  std::int64_t messages = 0;
  std::int32_t rounds = 0;  // in which each member sends at most one message and receives at most one

 private:
  bool go(std::int32_t rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (step_[at] == steps_of(calls_[at])) return false;
    const CollectiveStep step = step_of(calls_[at], step_[at]);
    if (!posted_[at]) {
      posted_[at] = true;
      if (step.to >= 0)
        wire_[{rank, step.to}].push_back({heard[at], step.sent, round_[at] + 1}), bytes += step.sent,
            ++messages;
    }
    if (step.from >= 0) {
      auto& queue = wire_[{step.from, rank}];
      if (queue.empty()) return false;
      EXPECT_EQ(queue.front().bytes, step.received) << rank << " from " << step.from;
      heard[at].insert(queue.front().heard.begin(), queue.front().heard.end());
      round_[at] = std::max(round_[at] + 1, queue.front().round);
      queue.pop_front();
    } else if (step.to >= 0) {
      ++round_[at];
    }
    posted_[at] = false;
    ++step_[at];
    return true;
  }
  std::vector<CollectiveCall> calls_;
  std::vector<std::int32_t> step_, round_;
  std::vector<bool> posted_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::deque<Sent>> wire_;

 public:
  std::vector<std::set<std::int32_t>> heard;
};

bool all_hear_all(Pattern pattern) {
  return pattern == Pattern::barrier || pattern == Pattern::allreduce || pattern == Pattern::allgather ||
         pattern == Pattern::alltoall || pattern == Pattern::reduce_scatter;
}

TEST(Collectives, EverybodyHearsOfWhomItMust) {
  for (const Case& of : all_cases())
    for (std::int32_t members = 1; members <= 65; ++members)
      for (const std::int32_t root : {0, members / 2, members - 1}) {
        const Play play(of, members, root, 1000);
        SCOPED_TRACE(std::to_string(static_cast<int>(of.pattern)) + " by " +
                     std::string(machine::algorithm_name(of.algorithm)) + " of " + std::to_string(members) +
                     " root " + std::to_string(root));
        ASSERT_TRUE(play.finished);
        EXPECT_TRUE(play.empty);
        for (std::int32_t rank = 0; rank < members; ++rank) {
          const auto& heard = play.heard[static_cast<std::size_t>(rank)];
          if (all_hear_all(of.pattern)) {
            EXPECT_EQ(heard.size(), static_cast<std::size_t>(members));
          }
          if (of.pattern == Pattern::broadcast || of.pattern == Pattern::scatter) {
            EXPECT_TRUE(heard.contains(root));
          }
          if ((of.pattern == Pattern::reduce || of.pattern == Pattern::gather) && rank == root) {
            EXPECT_EQ(heard.size(), static_cast<std::size_t>(members));
          }
          if (of.pattern == Pattern::scan) {
            EXPECT_EQ(heard.size(), static_cast<std::size_t>(rank + 1));
          }
        }
      }
}

/// Total bytes sent, from the literature on the algorithms (Thakur, Rabenseifner, Gropp 2005; Bruck et al.
/// 1997).
TEST(Collectives, MoveAsManyBytesAsTheirAlgorithms) {
  const auto bytes = [](Pattern pattern, Algorithm algorithm, std::int32_t members, std::uint64_t each) {
    return Play({pattern, algorithm}, members, 0, each).bytes;
  };
  EXPECT_EQ(bytes(Pattern::broadcast, Algorithm::binomial, 13, 100), 12u * 100);
  EXPECT_EQ(bytes(Pattern::reduce, Algorithm::binomial, 13, 100), 12u * 100);
  EXPECT_EQ(bytes(Pattern::allreduce, Algorithm::recursive_doubling, 16, 100), 16u * 4 * 100);
  EXPECT_EQ(bytes(Pattern::allreduce, Algorithm::recursive_doubling, 13, 100), (8u * 3 + 2 * 5) * 100);
  EXPECT_EQ(bytes(Pattern::allreduce, Algorithm::ring, 13, 1001), 2u * 12 * 1001);
  // (p - 1) / p of the vector out and in, for each of the eight; five others give away theirs and receive the
  // result.
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
  // With eight shares of 100: the tree carries 4 + 2 x 2 + 4 x 1, then each of 8 sends 7.
  EXPECT_EQ(bytes(Pattern::broadcast, Algorithm::scatter_allgather, 8, 800),
            (4u + 2 * 2 + 4 * 1) * 100 + 8 * 7 * 100);
}

/// Messages and rounds of an algorithm, by executing the description of its authors on the sets of known
/// contributions.
struct Counted {
  std::int64_t messages = 0;
  std::int32_t rounds = 0;
  Counted& operator+=(const Counted& other) {
    return messages += other.messages, rounds += other.rounds, *this;
  }
  bool operator==(const Counted&) const = default;
};

/// One member has the value; in each round every member with the value sends it to one without. The reverse
/// gathers.
Counted tree(int members) {
  Counted out;
  for (int knowing = 1; knowing < members; ++out.rounds) {
    const int given = std::min(knowing, members - knowing);
    knowing += given, out.messages += given;
  }
  return out;
}

/// Each sends its contributions to the member at distance 1, 2, 4, ..., until all have those of all.
Counted doubled_distances(int members) {
  Counted out;
  std::vector<std::set<int>> heard;
  for (int i = 0; i < members; ++i) heard.push_back({i});
  const auto all_know = [&] {
    return std::all_of(heard.begin(), heard.end(),
                       [&](const auto& each) { return static_cast<int>(each.size()) == members; });
  };
  for (int distance = 1; !all_know(); distance *= 2, ++out.rounds) {
    const auto before = heard;
    for (int i = 0; i < members; ++i, ++out.messages)
      heard[static_cast<std::size_t>((i + distance) % members)].insert(
          before[static_cast<std::size_t>(i)].begin(), before[static_cast<std::size_t>(i)].end());
  }
  return out;
}

/// Members beyond the largest power of two first give theirs to a partner and finally receive the result. The
/// others exchange with the member that differs in one bit, once or (vectors halved, then combined) twice for
/// each bit.
Counted hypercube(int members, int times) {
  int power = 1;
  while (2 * power <= members) power *= 2;
  Counted out;
  const int extra = members - power;
  if (extra > 0) out += {2 * extra, 2};
  for (int bit = 1; bit < power; bit *= 2)
    for (int time = 0; time < times; ++time, ++out.rounds)
      for (int i = 0; i < power; ++i) out.messages += (i ^ bit) < power;
  return out;
}

/// In each of members - 1 rounds each member sends one message.
Counted all_others(int members) {
  Counted out;
  for (int round = 1; round < members; ++round, ++out.rounds)
    for (int i = 0; i < members; ++i) ++out.messages;
  return out;
}

Counted one_by_one(int members) {
  return {members - 1, members - 1};
}

/// Scan: to the member 1, 2, 4, ... above, where there is one.
Counted upwards(int members) {
  Counted out;
  for (int distance = 1; distance < members; distance *= 2, ++out.rounds)
    for (int i = 0; i + distance < members; ++i) ++out.messages;
  return out;
}

Counted by_hand(const Case& of, int members) {
  const bool both_ways = of.pattern == Pattern::barrier || of.pattern == Pattern::allreduce ||
                         of.pattern == Pattern::allgather || of.pattern == Pattern::reduce_scatter;
  Counted out;
  switch (of.algorithm) {
    case Algorithm::dissemination:
    case Algorithm::bruck:
      return doubled_distances(members);
    case Algorithm::binomial:
      for (int way = 0; way <= both_ways; ++way) out += tree(members);
      return out;
    case Algorithm::recursive_doubling:
      return of.pattern == Pattern::scan ? upwards(members) : hypercube(members, 1);
    case Algorithm::rabenseifner:
      return hypercube(members, 2);
    case Algorithm::ring:
      for (int way = 0; way <= (of.pattern == Pattern::allreduce); ++way) out += all_others(members);
      return out;
    case Algorithm::pairwise:
      return all_others(members);
    case Algorithm::linear:
      for (int way = 0; way <= both_ways; ++way) out += one_by_one(members);
      return out;
    case Algorithm::scatter_allgather:
      out += tree(members);
      return out += all_others(members);
  }
  return out;
}

TEST(Collectives, SendAsManyMessagesInAsManyRoundsAsTheirAlgorithms) {
  for (const Case& of : all_cases())
    for (int members = 1; members <= 65; ++members) {
      SCOPED_TRACE(std::to_string(static_cast<int>(of.pattern)) + " by " +
                   std::string(machine::algorithm_name(of.algorithm)) + " of " + std::to_string(members));
      const Play play(of, members, 0, 1000);
      const Counted counted = by_hand(of, members);
      EXPECT_EQ(play.messages, counted.messages);
      EXPECT_EQ(play.rounds, counted.rounds);
    }
}

/// With messages of one second each, whatever their size, a collective without a table costs its number of
/// rounds.
TEST(Collectives, CostAsManyMessagesAsTheirSchedulesHaveRounds) {
  machine::Machine machine;
  machine.name = "X", machine.nodes = 100;
  machine.links["network"].latency = {.value = 1, .origin = Origin::measured};
  machine.links["network"].gap_per_byte = {.value = 0, .origin = Origin::measured};
  const auto binding = machine::cost_binding(machine);
  for (const Pattern pattern :
       {Pattern::barrier, Pattern::broadcast, Pattern::reduce, Pattern::allreduce, Pattern::gather,
        Pattern::scatter, Pattern::allgather, Pattern::alltoall, Pattern::scan})
    for (std::int32_t members = 1; members <= 65; ++members) {
      const auto cost = machine::collective(machine, pattern, 1, 0, members);
      const auto seconds = symbolic::evaluate(cost.startup + cost.transfer, binding);
      ASSERT_TRUE(seconds);
      EXPECT_EQ(*seconds, by_hand({pattern, machine::algorithms_of(pattern)[0]}, members).rounds)
          << machine::pattern_name(pattern) << " of " << members;
    }
}

}  // namespace
}  // namespace parcast::simulate
