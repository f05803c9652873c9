// SPDX-License-Identifier: Apache-2.0
#include "recording/sequence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace parcast::recording {
namespace {

using Values = std::vector<std::int64_t>;

/// A sequence with its memory, and the values that were added.
class Folding {
 public:
  Folding() = default;
  ~Folding() { parcast_room_clear(&room_); }
  Folding(const Folding&) = delete;
  Folding& operator=(const Folding&) = delete;

  void add(std::int64_t value) { parcast_sequence_add(&sequence_, &room_, value); }
  void add(const Values& values) {
    for (const std::int64_t value : values) add(value);
  }
  void repeat(const Values& values, std::uint64_t times) {
    parcast_sequence_repeat(&sequence_, &room_, values.data(), static_cast<std::uint32_t>(values.size()),
                            times);
  }
  void give_up() { parcast_sequence_give_up(&sequence_, &room_); }

  std::vector<parcast_item> items() const {
    std::vector<parcast_item> items;
    parcast_sequence_items_to(
        &sequence_,
        [](void* to, const parcast_item* item) {
          static_cast<std::vector<parcast_item>*>(to)->push_back(*item);
        },
        &items);
    return items;
  }
  /// The values, unfolded by the definition of runs and loops.
  Values values() const { return unfold(items(), 0, items().size()); }
  const parcast_sequence& operator*() const { return sequence_; }

 private:
  static Values unfold(const std::vector<parcast_item>& items, std::size_t from, std::size_t to) {
    Values out;
    for (std::size_t i = from; i < to; ++i) {
      if (items[i].kind == PARCAST_ITEM_RUN) {
        for (std::uint64_t k = 0; k < items[i].count; ++k)
          out.push_back(items[i].first + items[i].stride * static_cast<std::int64_t>(k));
        continue;
      }
      std::size_t end = i;
      for (int depth = 0; depth > 0 || end == i; ++end)
        depth += items[end].kind == PARCAST_ITEM_BEGIN ? 1 : items[end].kind == PARCAST_ITEM_END ? -1 : 0;
      const Values body = unfold(items, i + 1, end - 1);
      for (std::uint64_t k = 0; k < items[end - 1].count; ++k)
        out.insert(out.end(), body.begin(), body.end());
      i = end - 1;
    }
    return out;
  }

  parcast_room room_{};
  parcast_sequence sequence_{};
};

std::uint64_t sum_of(const Values& values) {
  std::uint64_t sum = 0;
  for (const std::int64_t value : values) sum += static_cast<std::uint64_t>(value);
  return sum;
}

/// Generates nested loops of small numbers and progressions; some rounds differ.
void generate(std::mt19937& random, int depth, std::size_t most, Values& into) {
  for (std::size_t pieces = 1 + random() % 4; pieces > 0 && into.size() < most; --pieces) {
    if (depth > 0 && random() % 2) {
      Values body;
      generate(random, depth - 1, most, body);
      for (std::size_t rounds = 1 + random() % 9; rounds > 0 && into.size() < most; --rounds)
        into.insert(into.end(), body.begin(), body.end());
    } else if (random() % 4 == 0) {
      const auto first = static_cast<std::int64_t>(random() % 100),
                 stride = static_cast<std::int64_t>(random() % 7) - 3;
      for (std::int64_t k = 0, count = 1 + random() % 12; k < count; ++k) into.push_back(first + stride * k);
    } else {
      into.push_back(random() % 5);
    }
  }
}

TEST(Sequence, GivesBackWhateverWentIn) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 2000; ++trial) {
    Values values;
    generate(random, 4, 2000, values);
    if (random() % 3 == 0)
      for (std::size_t i = 0; i < values.size() / 50 + 1; ++i)
        values[random() % values.size()] = random() % 7;
    Folding folding;
    const std::size_t look = random() % values.size();  // often inside a loop
    for (std::size_t i = 0; i < values.size(); ++i) {
      folding.add(values[i]);
      if (i != look && i + 1 != values.size()) continue;
      const Values until(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      ASSERT_EQ(folding.values(), until) << "trial " << trial;
      ASSERT_EQ(parcast_sequence_sum(&*folding), sum_of(until));
      ASSERT_EQ(parcast_sequence_count(&*folding), until.size());
    }
  }
}

TEST(Sequence, KeepsExtremeValues) {
  const Values values{INT64_MAX, INT64_MIN, 0,         -1,        INT64_MAX, INT64_MIN,
                      0,         -1,        INT64_MAX, INT64_MIN, INT64_MAX};
  Folding folding;
  folding.add(values);
  EXPECT_EQ(folding.values(), values);
  EXPECT_EQ(parcast_sequence_sum(&*folding), sum_of(values));
}

TEST(Sequence, WhatRepeatsItselfTakesNoMoreRoom) {
  Folding constant, progression, nested;
  for (int i = 0; i < 100000; ++i) {
    constant.add(7);
    progression.add(5 - 8 * i);
    for (int j = 0; j < 9; ++j) nested.add(1);
    nested.add(i % 10 == 9 ? 3 : 2);
  }
  EXPECT_EQ(constant.items().size(), 1u);
  EXPECT_EQ(progression.items().size(), 1u);
  // (1 x 9, 2) x 9, 1 x 9, 3: two items and the loop's begin and end; two more; begin and end of the outer
  // loop; at most the same again for the current round.
  EXPECT_LE(nested.items().size(), 16u);
}

TEST(Sequence, FoldsBodiesOfUpTo24Items) {
  Folding folding;
  std::mt19937 random(3);
  Values body(24);
  for (std::int64_t& value : body) value = static_cast<std::int64_t>(random());
  for (int i = 0; i < 1000; ++i) folding.add(body);
  EXPECT_LE(folding.items().size(), 2u * 24 + 3);
}

bool same_item(const parcast_item& a, const parcast_item& b) {
  return a.first == b.first && a.stride == b.stride && a.count == b.count && a.length == b.length &&
         a.kind == b.kind;
}

TEST(Sequence, RepeatingIsAddingOneByOne) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 3000; ++trial) {
    Folding at_once, one_by_one;
    Values tuple;
    for (int piece = 0; piece < 12; ++piece) {
      // Usually what came before, complete or rotated, so that it continues a loop, begins inside it or
      // breaks it.
      if (tuple.empty() || random() % 3 == 0) {
        tuple.assign(1 + random() % 6, 0);
        for (std::int64_t& value : tuple) value = static_cast<std::int64_t>(random() % 3);
      } else if (random() % 2) {
        std::rotate(tuple.begin(), tuple.begin() + static_cast<std::ptrdiff_t>(random() % tuple.size()),
                    tuple.end());
      }
      const std::uint64_t times = random() % 4 == 0 ? 1 : random() % 40;
      if (random() % 100 == 0) at_once.give_up(), one_by_one.give_up();
      at_once.repeat(tuple, times);
      for (std::uint64_t i = 0; i < times; ++i) one_by_one.add(tuple);
      ASSERT_TRUE(std::ranges::equal(at_once.items(), one_by_one.items(), same_item)) << "trial " << trial;
      ASSERT_EQ(parcast_sequence_count(&*at_once), parcast_sequence_count(&*one_by_one));
      ASSERT_EQ(parcast_sequence_sum(&*at_once), parcast_sequence_sum(&*one_by_one));
    }
  }
}

TEST(Sequence, RepeatsAMillionMillionTimesAtOnce) {
  const std::uint64_t times = 1'000'000'000'000;
  Folding tuple, turned, constant, inside;
  tuple.repeat({1, 2, 3}, times);
  EXPECT_EQ(parcast_sequence_count(&*tuple), 3 * times);
  EXPECT_EQ(parcast_sequence_sum(&*tuple), 6 * times);
  EXPECT_LE(tuple.items().size(), 10u);
  turned.add({3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
  turned.repeat({1, 2, 3}, times);
  EXPECT_EQ(parcast_sequence_sum(&*turned), 6 * times + 21);
  constant.add({1, 5});
  constant.repeat({5, 5}, times);
  EXPECT_EQ(parcast_sequence_sum(&*constant), 10 * times + 6);
  inside.give_up();
  inside.add({2, 4});
  inside.give_up();
  inside.repeat({2, 2}, times);
  EXPECT_EQ(parcast_sequence_count(&*inside), 2 * times + 2);
}

TEST(Sequence, WithoutOrderCountAndSumGoOn) {
  Folding folding;
  folding.add({1, 5, 2, 9});
  folding.give_up();
  folding.add({4, 4, 100});
  EXPECT_TRUE(parcast_sequence_lost(&*folding));
  EXPECT_TRUE(folding.items().empty());
  EXPECT_EQ(parcast_sequence_count(&*folding), 7u);
  EXPECT_EQ(parcast_sequence_sum(&*folding), 125u);
}

TEST(Sequence, AConstantNeedsNoOrder) {
  Folding folding;
  folding.add({6, 6});
  folding.give_up();
  folding.add(6);
  EXPECT_FALSE(parcast_sequence_lost(&*folding));
  EXPECT_EQ(folding.values(), (Values{6, 6, 6}));
}

}  // namespace
}  // namespace parcast::recording
