// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/agenda.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

namespace parcast::simulate {
namespace {

using Key = std::tuple<Time, EventKind, std::int32_t, std::int32_t, std::uint32_t>;

Key key_of(const Event& event) {
  return {event.time, event.kind, event.rank, event.source, event.order};
}

/// An agenda and a sorted set with the same events.
class Both {
 public:
  Both(std::int32_t ranks, std::uint64_t seed)
      : agenda_(static_cast<std::size_t>(ranks)), ranks_(ranks), random_(seed) {}
  void add() {
    const auto time = static_cast<Time>(now_ + random_() % 4);  // few different times: many ties
    const auto rank = static_cast<std::int32_t>(random_() % static_cast<std::uint64_t>(ranks_));
    if (random_() % 4 > 0) {
      if (!due_.insert(rank).second) return;
      agenda_.resume(rank, time);
      all_.insert(key_of({.time = time, .kind = EventKind::resume, .rank = rank}));
    } else {
      const Event event{.time = time,
                        .kind = random_() % 2 ? EventKind::envelope : EventKind::ask,
                        .rank = rank,
                        .source = 1,
                        .order = order_++};
      agenda_.push(event);
      all_.insert(key_of(event));
    }
  }
  void take() {
    ASSERT_EQ(agenda_.empty(), all_.empty());
    if (all_.empty()) return;
    ASSERT_EQ(agenda_.first(), std::get<Time>(*all_.begin()));
    const Event event = agenda_.pop();
    ASSERT_EQ(key_of(event), *all_.begin());
    all_.erase(all_.begin());
    if (event.kind == EventKind::resume) due_.erase(event.rank);
    now_ = event.time;
  }
  void shift(Time by) {
    std::set<Key> later;
    for (Key key : all_) std::get<Time>(key) += by, later.insert(key);
    all_ = later;
    agenda_.shift(by);
  }
  void expect_same_entries() const {
    std::set<Key> listed;
    agenda_.for_each([&](const Event& event) { EXPECT_TRUE(listed.insert(key_of(event)).second); });
    EXPECT_EQ(listed, all_);
  }

 private:
  Agenda agenda_;
  std::int32_t ranks_;
  std::mt19937_64 random_;
  std::set<Key> all_;
  std::set<std::int32_t> due_;
  Time now_ = 0;
  std::uint32_t order_ = 0;
};

TEST(Agenda, GivesWhatASortedSetGives) {
  for (const std::int32_t ranks : {1, 2, 3, 7, 8, 9, 64, 100})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Both both(ranks, seed);
      std::mt19937_64 random(seed);
      for (int step = 0; step < 500; ++step) {
        if (random() % 2)
          both.add();
        else
          both.take();
        if (step % 100 == 99) both.shift(1000), both.expect_same_entries();
      }
    }
}

TEST(Agenda, OfRanksAtOneTimeTheLowestGoesFirst) {
  Agenda agenda(5);
  for (const std::int32_t rank : {3, 0, 4, 1, 2}) agenda.resume(rank, 7);
  for (std::int32_t rank = 0; rank < 5; ++rank) EXPECT_EQ(agenda.pop().rank, rank);
  EXPECT_TRUE(agenda.empty());
}

}  // namespace
}  // namespace parcast::simulate
