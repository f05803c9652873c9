// SPDX-License-Identifier: Apache-2.0
#include "trace/builder.h"

#include <gtest/gtest.h>

#include <random>

#include "trace/folding.h"

namespace parcast::trace {
namespace {

using Words = std::vector<std::uint64_t>;

Item operation(std::uint32_t index) {
  return Item::operation(index);
}

/// Unrolls a sequence by the definition of loops.
void unroll(const Sequence& sequence, std::size_t from, std::size_t to, Words& into) {
  for (std::size_t i = from; i < to; ++i) {
    const Item item = sequence[i];
    if (item.what() == Item::What::compute) into.push_back(item.word());
    if (item.what() == Item::What::operation)
      into.insert(into.end(), item.times(), operation(item.index()).word());
    if (item.what() != Item::What::loop) continue;
    for (std::uint32_t round = 0; round < item.times(); ++round)
      unroll(sequence, i + 1, i + 1 + item.words(), into);
    i += item.words();
  }
}

Words unrolled(const Sequence& sequence) {
  Words words;
  unroll(sequence, 0, sequence.size(), words);
  return words;
}

int depth_of(const Sequence& sequence, std::size_t from, std::size_t to) {
  int deepest = 0;
  for (std::size_t i = from; i < to; ++i) {
    if (sequence[i].what() != Item::What::loop) continue;
    deepest = std::max(deepest, 1 + depth_of(sequence, i + 1, i + 1 + sequence[i].words()));
    i += sequence[i].words();
  }
  return deepest;
}

Sequence folded(const Words& words, Folding::Limits limits = {}) {
  Folding folding(limits);
  for (const std::uint64_t word : words) folding.add(Item::from_word(word));
  return folding.finish();
}

/// Generates nested loops of few operations and computing words; some rounds differ.
void generate(std::mt19937& random, int depth, std::size_t most, Words& into) {
  for (std::size_t pieces = 1 + random() % 5; pieces > 0 && into.size() < most; --pieces) {
    if (depth > 0 && random() % 2) {
      Words body;
      generate(random, depth - 1, most / 4 + 1, body);
      for (std::size_t rounds = 1 + random() % 9; rounds > 0 && into.size() < most; --rounds)
        into.insert(into.end(), body.begin(), body.end());
    } else {
      if (random() % 2) into.push_back(Item::compute(static_cast<Time>(1 + random() % 3)).word());
      const std::uint32_t index = random() % 4;
      for (std::size_t times = random() % 3 ? 1 : 1 + random() % 6; times > 0; --times)
        into.push_back(operation(index).word());
    }
  }
}

TEST(Folding, GivesBackWordForWord) {
  std::mt19937 random(17);
  for (int trial = 0; trial < 3000; ++trial) {
    Words words;
    generate(random, 1 + static_cast<int>(random() % 5), 3000, words);
    if (random() % 2)
      for (std::size_t i = 0; i < words.size() / 60 + 1; ++i)
        words[random() % words.size()] = operation(random() % 6).word();
    Folding::Limits limits;
    if (random() % 2) limits.reach = 4 + random() % 30;
    if (random() % 3 == 0) limits.rounds = 2 + random() % 6;
    const Sequence sequence = folded(words, limits);
    ASSERT_EQ(unrolled(sequence), words) << "trial " << trial;
    ASSERT_LE(depth_of(sequence, 0, sequence.size()), kDeepest);
    for (const Item item : sequence)
      ASSERT_TRUE(item.what() == Item::What::compute || item.times() <= limits.rounds);
  }
}

TEST(Folding, AWalkerMeetsTheSameWords) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    Words words, met;
    generate(random, 4, 2000, words);
    const Sequence sequence = folded(words);
    for (Walker walker(sequence); walker.next();)
      met.push_back(walker.item().what() == Item::What::compute ? walker.item().word()
                                                                : operation(walker.item().index()).word());
    ASSERT_EQ(met, words);
  }
}

/// Adds rounds of (a b b b c) x 7 d e e.
void nested(Folding& folding, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    for (int j = 0; j < 7; ++j)
      for (const std::uint32_t index : {0u, 1u, 1u, 1u, 2u}) folding.add(operation(index));
    for (const std::uint32_t index : {3u, 4u, 4u}) folding.add(operation(index));
  }
}

TEST(Folding, LoopsInLoopsAreFound) {
  Folding folding;
  nested(folding, 1000);
  const Sequence sequence = folding.finish();
  const Words expected{Item::loop(6, 1000).word(),   Item::loop(3, 7).word(), operation(0).word(),
                       Item::operation(1, 3).word(), operation(2).word(),     operation(3).word(),
                       Item::operation(4, 2).word()};
  Words words;
  for (const Item item : sequence) words.push_back(item.word());
  EXPECT_EQ(words, expected);
}

TEST(Folding, WhatRepeatsItselfTakesNoMoreMemory) {
  Folding folding;
  std::size_t most = 0;
  for (int i = 0; i < 200; ++i) {
    nested(folding, 500);
    most = std::max(most, folding.held());
  }
  EXPECT_LT(most, 100u);
  EXPECT_LT(folding.finish().size(), 20u);
}

TEST(Folding, LongBodiesAreFound) {
  constexpr std::uint32_t kBody = 9000;
  Folding folding;
  for (int round = 0; round < 20; ++round)
    for (std::uint32_t i = 0; i < kBody; ++i) folding.add(operation(i % 3 ? i : 7));
  const Sequence sequence = folding.finish();
  EXPECT_LT(sequence.size(), 2 * kBody);
  EXPECT_EQ(unrolled(sequence).size(), 20u * kBody);
}

TEST(Folding, WhatNeverRepeatsItselfIsKeptAsItIs) {
  std::mt19937 random(3);
  Words words;
  for (int i = 0; i < 300000; ++i) words.push_back(operation(random() & 0xfffffff).word());
  Folding folding;
  for (const std::uint64_t word : words) folding.add(Item::from_word(word));
  EXPECT_EQ(folding.held(), words.size());
  EXPECT_EQ(unrolled(folding.finish()), words);
}

TEST(Folding, MoreRoundsThanAWordHoldsAreALoopOfLoops) {
  const Words words(17, operation(5).word());
  const Sequence sequence = folded(words, {.rounds = 4});
  ASSERT_EQ(sequence.size(), 3u);
  EXPECT_EQ(sequence[0].word(), Item::loop(1, 4).word());
  EXPECT_EQ(sequence[1].word(), Item::operation(5, 4).word());
  EXPECT_EQ(sequence[2].word(), operation(5).word());
}

TEST(Folding, LoopsNestNoDeeperThanTheyMay) {
  Words words{operation(0).word(), operation(1).word()};
  for (std::uint32_t level = 0; level < 11; ++level) {
    const Words body = words;
    for (int round = 0; round < 2; ++round) words.insert(words.end(), body.begin(), body.end());
    words.push_back(operation(2 + level).word());
  }
  const Sequence sequence = folded(words);
  EXPECT_EQ(depth_of(sequence, 0, sequence.size()), kDeepest);
  EXPECT_EQ(unrolled(sequence), words);
}

Operation send_to(std::int32_t peer) {
  return {.kind = Kind::send, .peer = peer, .bytes = 8};
}

TEST(Builder, WhatIsEqualIsStoredOnce) {
  Builder builder("halo", 3);
  EXPECT_EQ(builder.operation(send_to(1)), 0u);
  EXPECT_EQ(builder.operation(send_to(2)), 1u);
  EXPECT_EQ(builder.operation(send_to(1)), 0u);
  EXPECT_EQ(builder.place({"main", "f", "f.c", 3, "MPI_Send"}), 0u);
  EXPECT_EQ(builder.place({"main", "f", "f.c", 4, "MPI_Send"}), 1u);
  EXPECT_EQ(builder.place({"main", "f", "f.c", 3, "MPI_Send"}), 0u);
  EXPECT_EQ(builder.request_set({3, 1}), 0u);
  EXPECT_EQ(builder.request_set({1, 3, 3}), 0u);
  EXPECT_EQ(builder.communicator({0, 1}), 1u);
  EXPECT_EQ(builder.communicator({0, 1}), 2u);  // a duplicate is a different communicator
  const Trace trace = builder.finish();
  EXPECT_EQ(trace.operations, (std::vector<Operation>{send_to(1), send_to(2)}));
  EXPECT_EQ(trace.request_sets, (std::vector<std::vector<std::uint32_t>>{{1, 3}}));
  EXPECT_EQ(trace.places.size(), 2u);
  EXPECT_TRUE(check(trace));
}

TEST(Builder, RanksThatDoTheSameShareTheirSequence) {
  Builder builder("ring", 4);
  for (const std::int32_t rank : {0, 1, 3}) {
    RankBuilder words(builder, rank);
    words.add_compute(rank == 3 ? 7 : 5);
    words.add({.kind = Kind::collective, .pattern = recording::Pattern::barrier});
    ASSERT_TRUE(words.finish());
  }
  const Trace trace = builder.finish();
  EXPECT_TRUE(check(trace));
  EXPECT_EQ(trace.sequence_of, (std::vector<std::uint32_t>{0, 0, 2, 1}));  // rank 2 does nothing
  EXPECT_TRUE(trace.sequences[2].empty());
}

TEST(Builder, ComputesInARowAreAddedAndOperationsCounted) {
  Builder builder("x", 2);
  RankBuilder words(builder, 0);
  words.add_compute(3);
  words.add_compute(0);
  words.add_compute(4);
  for (int i = 0; i < 5; ++i) words.add(send_to(1));
  words.add_compute(0);
  words.add(send_to(1));
  words.add_compute(2);
  ASSERT_TRUE(words.finish());
  const Trace trace = builder.finish();
  ASSERT_EQ(trace.sequences[0].size(), 3u);
  EXPECT_EQ(trace.sequences[0][0].time(), 7);
  EXPECT_EQ(trace.sequences[0][1].word(), Item::operation(0, 6).word());
  EXPECT_EQ(trace.sequences[0][2].time(), 2);
}

TEST(Builder, WaitsNameRequestsByHowManyWereBegunSince) {
  Builder builder("x", 2);
  RankBuilder words(builder, 0);
  words.add({.kind = Kind::start_receive, .peer = 1});
  words.add({.kind = Kind::start_send, .peer = 1});
  words.add(send_to(1));
  words.add({.kind = Kind::start_send, .peer = 1});
  words.add_wait({}, kNowhere);
  words.add_wait(std::vector<std::uint64_t>{1, 3}, kNowhere);
  words.add_wait(std::vector<std::uint64_t>{2}, kNowhere);
  ASSERT_TRUE(words.finish());
  const Trace trace = builder.finish();
  EXPECT_EQ(trace.request_sets, (std::vector<std::vector<std::uint32_t>>{{1, 3}, {2}}));
  EXPECT_EQ(size_of(trace.sequences[0]).operations, 6u);
}

TEST(Builder, ComputingForLongerThanASimulationLastsIsRefused) {
  Builder builder("x", 1);
  RankBuilder words(builder, 0);
  words.add_compute(kLongest);
  words.add(send_to(0));
  words.add_compute(1);
  const auto result = words.finish();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where, "rank 0");
}

}  // namespace
}  // namespace parcast::trace
