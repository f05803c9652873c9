// SPDX-License-Identifier: Apache-2.0
// Small and wrong inputs: fewer elements than processors, none at all, methods that throw, collections that
// outlive their team, more processors than the kernel has mappings for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "parcast/collections.h"

namespace parcast::collections {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;
using testing::StartsWith;

constexpr Processors::Kind kInProcess[] = {Processors::Kind::cooperative, Processors::Kind::threads};

std::string error_of(const Processors& processors, const Program& program) {
  try {
    run(processors, program);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

/// All operations on an array of `n` elements, whose values are 1, 2, ...
void use_all(Team& team, std::int64_t n, Distribution distribution) {
  const auto value = [](std::int64_t i) { return static_cast<double>(i + 1); };
  DistributedVector<double> a(team, n, {distribution}), b(team, n, {Cyclic});
  a.for_each([&](Index1 i, double& x) { x = value(i); });
  for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(a.get(i), value(i));
  EXPECT_EQ(a.get_block(0, n).size(), static_cast<std::size_t>(n));
  b.copy_from(a);
  if (n > 0) b.shift(0, 1);
  for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(b.get(i), value((i + n - 1) % n));
  EXPECT_EQ(a.reduce(std::plus<>(), 0.0), static_cast<double>(n * (n + 1) / 2));
  a.scan(std::plus<>());
  for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(a.get(i), static_cast<double>((i + 1) * (i + 2) / 2));
  EXPECT_EQ(a.gather_all().size(), static_cast<std::size_t>(n));
  DistributedGrid<double, 2> grid(team, {n, 1}, {Block, Block}, 3);
  grid.for_each([&](Index2 at, double& x) { x = value(at[0]); });
  grid.exchange();
  grid.for_each([&](Index2 at, double&) {
    for (std::int64_t i = std::max<std::int64_t>(at[0] - 3, 0); i < std::min(at[0] + 4, n); ++i)
      EXPECT_EQ(grid.near({i, 0}), value(i));
  });
}

TEST(SmallCollections, WorkOnMoreProcessorsThanElements) {
  for (const Processors::Kind kind : kInProcess)
    for (const std::int64_t n : {0, 1, 2, 3, 5})
      for (const Distribution distribution : {Block, Cyclic, BlockCyclic(2), Whole})
        run({.kind = kind, .count = 7}, [&](Team& team) { use_all(team, n, distribution); });
}

struct Cell {
  int number = 0;
  void settle() {
    if (number == 5) throw std::runtime_error("cell 5 does not settle");
  }
};

TEST(Methods, ThatThrowOnOneProcessorEndAllWithTheirMessage) {
  for (const Processors::Kind kind : kInProcess) {
    const std::string text = error_of({.kind = kind, .count = 4}, [](Team& team) {
      DistributedVector<Cell> cells(team, 8, {Block}, {.name = "cells"});
      cells.for_each([](Index1 i, Cell& cell) { cell.number = static_cast<int>(i); });
      for (int round = 0; round < 3; ++round) cells.invoke(&Cell::settle);
      ADD_FAILURE() << "processor " << team.rank() << " goes on";
    });
    EXPECT_EQ(text, "cell 5 does not settle");
  }
}

TEST(Collections, AreRefusedAfterTheirTeamHasEnded) {
  for (const Processors::Kind kind : kInProcess) {
    std::optional<DistributedVector<double>> kept;
    run({.kind = kind, .count = 2}, [&](Team& team) {
      if (team.rank() == 0)
        kept.emplace(team, Index1(4), std::array{Block}, Options<1>{.name = "kept"});
      else
        DistributedVector<double>(team, 4, {Block}, {.name = "kept"});
    });
    const auto refused = testing::Throws<Error>(
        testing::Property(&Error::what, HasSubstr("kept is used outside of its team")));
    EXPECT_THAT([&] { kept->get(3); }, refused);
    EXPECT_THAT([&] { kept->put(3, 1); }, refused);
    EXPECT_THAT([&] { kept->for_each([](Index1, double&) {}); }, refused);
    EXPECT_THAT([&] { kept->get_block(0, 4); }, refused);
    EXPECT_THAT([&] { kept->reduce(std::plus<>()); }, refused);
    EXPECT_THAT([&] { kept->gather(); }, refused);
    run({.kind = kind, .count = 2}, [&](Team&) { EXPECT_THAT([&] { kept->get(3); }, refused); });
  }
}

/// The kernel's limit on the mappings of a process; two are needed for each fibre.
long mappings() {
  long most = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  return most;
}

#ifndef __SANITIZE_THREAD__  // which follows at most 8,128 fibres
TEST(Cooperative, HasAHundredThousandProcessorsOrNamesTheLimit) {
  std::int64_t sum = 0;
  const std::string text = error_of({.count = 100'000, .stack = 16 * 1024}, [&](Team& team) {
    const auto all = team.reduce<std::int64_t>(team.rank(), std::plus<>());
    if (team.rank() == 0) sum = all;
  });
  if (mappings() > 210'000) {
    EXPECT_EQ(text, "none");
    EXPECT_EQ(sum, 100'000LL * 99'999 / 2);
  } else {
    EXPECT_THAT(text, HasSubstr("100000 processors need two each: use at most "));
    EXPECT_THAT(text, HasSubstr("sysctl vm.max_map_count=300000"));
  }
}
#endif

}  // namespace
}  // namespace parcast::collections
