// SPDX-License-Identifier: Apache-2.0
// The planner on a host with known times, whose clock advances with its orders.
#include "calibrate/training/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "calibrate/sizes.h"
#include "statistics/random.h"

namespace parcast::training {
namespace {

constexpr double kStep = 5000;  // beyond this number of bytes a call takes 3 us more

double truth(double bytes) {
  return 1e-6 + 2e-10 * bytes + (bytes > kStep ? 3e-6 : 0);
}

Table table(std::string name, Table::Class importance) {
  return {std::move(name), importance, true, [](int bytes) {
            return std::optional(Table::Call{static_cast<double>(bytes), [] {}});
          }};
}

/// Executes the planner's orders and records them.
class Host {
 public:
  /// `noise`: relative variation of repeats. `once`: the host is fast only up to this time, instead of
  /// periodically.
  Host(std::vector<Table> tables, double seconds, double noise, int kept_out = 0, Nanoseconds once = 0)
      : once_(once), tables_(std::move(tables)), cells_(cells_of(tables_, kept_out)) {
    Planner planner(
        tables_, cells_, seconds, [this] { return time_; }, 0);
    for (Order order = planner.next(); order.cell >= 0; order = planner.next()) {
      if (static_cast<std::size_t>(order.cell) == cells_.size()) cells_.push_back(added_cell(tables_, order));
      const Cell& cell = cells_[static_cast<std::size_t>(order.cell)];
      visits.push_back({cell.table, cell.call.bytes, cell.added, time_});
      Batch batch;
      for (int i = 0; i < order.repeats; ++i, time_ += order.window)
        batch.seconds.push_back(truth(cell.call.bytes) * slowness() * std::exp(noise * random_.normal()));
      planner.take(order, batch);
    }
  }

  calibrate::Measurements reported() {
    calibrate::Measurements out;
    report(tables_, cells_, 2, out);
    return out;
  }

  struct Visit {
    std::size_t table;
    double bytes;
    bool added;
    Nanoseconds at;
  };
  std::vector<Visit> visits;
  Nanoseconds time() const { return time_; }

 private:
  /// Faster by a factor of 2.6 during .1 s of each half second.
  double slowness() const {
    return (once_ > 0 ? time_ < once_ : time_ % 500'000'000 < 100'000'000) ? 1 / 2.6 : 1;
  }

  Nanoseconds once_;

  std::vector<Table> tables_;
  std::vector<Cell> cells_;
  Nanoseconds time_ = 0;
  statistics::Random random_{11};
};

std::vector<Table> three() {
  return {table("a", Table::Class::first), table("b", Table::Class::usual), table("c", Table::Class::last)};
}

TEST(Planner, AfterFirstVisitsATableIsGoneThroughAtAStretch) {
  const Host host(three(), 3, .2);
  std::set<double> usual;
  for (double bytes = 8; bytes <= kUsualLargest; bytes *= 2) usual.insert(bytes);
  // The first visits end when the last of the tables' own sizes has been visited once.
  std::set<std::pair<std::size_t, double>> met;
  std::size_t first = 0;
  for (std::size_t i = 0; i < host.visits.size(); ++i)
    if (met.insert({host.visits[i].table, host.visits[i].bytes}).second && !host.visits[i].added)
      first = i + 1;
  ASSERT_GE(std::ranges::count_if(met, [](const auto& each) { return each.first == 1; }), 18);
  std::map<std::size_t, int> turns;
  std::size_t at = first;
  while (at < host.visits.size()) {
    const std::size_t of = host.visits[at].table, begin = at;
    std::set<double> sizes;
    double before = -1;
    for (; at < host.visits.size() && host.visits[at].table == of && host.visits[at].bytes > before; ++at)
      before = host.visits[at].bytes, sizes.insert(before);
    if (host.visits[begin].at > 2'000'000'000) break;  // near the end large sizes no longer get a turn
    ++turns[of];
    EXPECT_TRUE(std::ranges::includes(sizes, usual)) << of << " from visit " << begin;
    EXPECT_LT(host.visits[at].at - host.visits[begin].at, 150'000'000);
  }
  EXPECT_GE(turns[0], 4);
  EXPECT_GE(turns[1], 4);
  EXPECT_GE(turns[2], 4);
}

TEST(Planner, AMachineThatChangesMovesAllSizesOfATableAlike) {
  Host host(three(), 4, .2, 6);
  ASSERT_GT(host.time(), 3'000'000'000);
  const calibrate::Measurements found = host.reported();
  EXPECT_GE(found.points.size(), 3u * 18);
  std::size_t kept_out = 0;
  for (const char* name : {"a", "b", "c"})
    kept_out += calibrate::sizes_kept_out(name, 6, kUsualLargest).size();
  EXPECT_EQ(found.kept_out.size(), kept_out);
  ASSERT_GT(kept_out, 12u);
  for (const char* name : {"a", "b", "c"}) {
    double least = INFINITY, most = 0;
    for (const auto* points : {&found.points, &found.kept_out})
      for (const calibrate::TablePoint& point : *points)
        if (point.table == name && point.bytes <= kUsualLargest)
          least = std::min(least, point.seconds / truth(point.bytes)),
          most = std::max(most, point.seconds / truth(point.bytes));
    EXPECT_LT(most / least, 1.15) << name;  // the two states differ by a factor of 2.6
  }
}

TEST(Planner, SizesThatJoinLaterAreBroughtToTheLevelOfAll) {
  Host host(three(), 1, .2, 0, 500'000'000);  // most turns are fast, and the last sizes join later
  std::map<std::pair<std::size_t, double>, Nanoseconds> joined;
  for (const Host::Visit& visit : host.visits)
    if (visit.added) joined.try_emplace({visit.table, visit.bytes}, visit.at);
  ASSERT_TRUE(std::ranges::any_of(joined, [](const auto& each) { return each.second > 500'000'000; }));
  double least = INFINITY, most = 0;
  for (const calibrate::TablePoint& point : host.reported().points)
    least = std::min(least, point.seconds / truth(point.bytes)),
    most = std::max(most, point.seconds / truth(point.bytes));
  EXPECT_LT(most / least, 1.5);
}

TEST(Planner, SizesAreAddedWhereATableMakesAStep) {
  Host host(three(), 3, .05);
  std::map<std::string, std::pair<double, double>> around;  // the sizes on either side of the step
  for (const calibrate::TablePoint& point : host.reported().points) {
    auto& [below, above] = around.try_emplace(point.table, 0., INFINITY).first->second;
    if (point.bytes <= kStep)
      below = std::max(below, point.bytes);
    else
      above = std::min(above, point.bytes);
  }
  ASSERT_EQ(around.size(), 3u);
  for (const auto& [name, sizes] : around) EXPECT_LT(sizes.second / sizes.first, 1.2) << name;
}

TEST(Planner, ShortOfTimeSmallMessagesOfTheFirstClassComeAnyway) {
  Host host(three(), 2e-4, .05);
  const calibrate::Measurements found = host.reported();
  std::set<double> sizes;
  for (const calibrate::TablePoint& point : found.points)
    if (point.table == "a") sizes.insert(point.bytes);
  EXPECT_THAT(sizes, testing::IsSupersetOf({8., 32., 128., 512., 2048.}));
  std::map<std::string, double> left_out;
  for (const calibrate::Omission& each : found.left_out) left_out[each.table] = each.bytes;
  EXPECT_GT(left_out["a"], 4096);
  EXPECT_EQ(left_out.count("c"), 1u);
}

/// Time that each size took until the next visit, separately for sizes beyond those of all tables.
struct Spent {
  double usual = 0, larger = 0;
  std::set<double> sizes;  // larger sizes of table "a"
};
Spent spent_by(const Host& host) {
  Spent out;
  for (std::size_t i = 0; i < host.visits.size(); ++i) {
    const Nanoseconds end = i + 1 < host.visits.size() ? host.visits[i + 1].at : host.time();
    const bool larger = host.visits[i].bytes > kUsualLargest;
    (larger ? out.larger : out.usual) += static_cast<double>(end - host.visits[i].at) * 1e-9;
    if (larger && host.visits[i].table == 0) out.sizes.insert(host.visits[i].bytes);
  }
  return out;
}

TEST(Planner, ACallOfNoBytesIsMeasuredWhereTablesHaveBytes) {
  Host host(three(), 3, .05);
  std::map<std::string, int> of_none;
  for (const calibrate::TablePoint& point : host.reported().points) of_none[point.table] += point.bytes == 0;
  EXPECT_EQ(of_none, (std::map<std::string, int>{{"a", 1}, {"b", 1}, {"c", 1}}));
}

TEST(Planner, LargerSizesGetATenthOfTheTimeWhileOthersAreUnsettled) {
  Host small(three(), 1, .3), host(three(), 4, .3);
  const Spent in_one = spent_by(small), in_four = spent_by(host);
  EXPECT_LE(in_one.larger, .1 * (in_one.larger + in_one.usual));
  EXPECT_LE(in_four.larger, .1 * (in_four.larger + in_four.usual));
  EXPECT_GT(in_four.larger, .05 * in_four.usual);
  // Of 4 s about 2 s belong to a, and .2 s of these to larger sizes. A call of 2 MiB x 2^k is repeated 6
  // times in each of two turns, at .42 ms x 2^k x 1.5: up to 8 MiB this takes .06 s.
  EXPECT_THAT(in_four.sizes,
              testing::IsSupersetOf({2. * kUsualLargest, 4. * kUsualLargest, 8. * kUsualLargest}));
  EXPECT_LT(in_one.sizes.size(), in_four.sizes.size());
  std::size_t beyond = 0;
  for (const calibrate::TablePoint& point : host.reported().points)
    if (point.bytes > kUsualLargest) {
      ++beyond;
      // the two states differ by this factor
      EXPECT_NEAR(std::fabs(std::log(point.seconds / truth(point.bytes))), 0, std::log(2.6)) << point.bytes;
      EXPECT_GE(point.samples, 8);
    }
  EXPECT_GE(beyond, in_four.sizes.size());
}

TEST(Planner, WhatTimeResolvedTablesLeaveGoesToLargerSizesUpToTheLargest) {
  const Host host(three(), 60, .005);
  const Spent spent = spent_by(host);
  ASSERT_EQ(spent.sizes.size(), 6u);
  EXPECT_EQ(*spent.sizes.rbegin(), kLargestMessage);
  EXPECT_GT(spent.larger, spent.usual);
}

TEST(Planner, SizesThatATableRefusesEndIt) {
  std::vector<Table> tables = three();
  for (Table& each : tables)
    each.call = [](int bytes) {
      return bytes > 4 * kUsualLargest ? std::nullopt
                                       : std::optional(Table::Call{static_cast<double>(bytes), [] {}});
    };
  const Host host(tables, 60, .005);
  EXPECT_EQ(spent_by(host).sizes, (std::set<double>{2. * kUsualLargest, 4. * kUsualLargest}));
}

TEST(Planner, EndsWithinTheTimeButForWhatIsUnderWay) {
  for (const double seconds : {.05, .5, 3.}) {
    const Host host(three(), seconds, .3);
    EXPECT_LT(static_cast<double>(host.time()) * 1e-9, seconds + .05) << seconds;
    EXPECT_GT(static_cast<double>(host.time()) * 1e-9, .9 * seconds) << seconds;
  }
  // Precise tables need only a few turns, and few larger sizes.
  const Host host(three(), 60, .005);
  EXPECT_LT(host.time(), 10'000'000'000);
}

}  // namespace
}  // namespace parcast::training
