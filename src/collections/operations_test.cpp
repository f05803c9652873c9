// SPDX-License-Identifier: Apache-2.0
// Every operation on every distribution, against the same on a plain array.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <numeric>
#include <random>

#include "parcast/collections.h"

namespace parcast::collections {
namespace {

using testing::HasSubstr;

double value(Index2 at) {
  return std::sin(1.0 + 3.0 * static_cast<double>(at[0]) + 0.1 * static_cast<double>(at[1]));
}

struct Case {
  Processors::Kind kind;
  int processors;
  Index2 extents;
  std::array<Distribution, 2> distributions, others;
  int dimension;
  std::int64_t distance;
};

std::string text_of(const Case& c) {
  const auto one = [](Distribution d) {
    return d == Whole ? std::string("Whole") : d == Block ? "Block" : "Cyclic" + std::to_string(d.width);
  };
  return std::to_string(c.processors) + " processors, " + to_text(c.extents) + ", " +
         one(c.distributions[0]) + " x " + one(c.distributions[1]) + " and " + one(c.others[0]) + " x " +
         one(c.others[1]) + ", shift " + std::to_string(c.dimension) + " by " + std::to_string(c.distance);
}

/// A matrix row by row.
using Plain = std::vector<double>;
std::size_t place(Index2 extents, Index2 at) {
  return static_cast<std::size_t>(at[0] * extents[1] + at[1]);
}

Plain plain(Index2 extents) {
  Plain out;
  for (std::int64_t i = 0; i < extents[0]; ++i)
    for (std::int64_t j = 0; j < extents[1]; ++j) out.push_back(value({i, j}));
  return out;
}

void check_elements(Team& team, const Case& c, DistributedMatrix<double>& a) {
  const Plain expected = plain(c.extents);
  a.for_each([](Index2 at, double& x) { x = value(at); });
  for (std::int64_t i = 0; i < c.extents[0]; ++i)
    for (std::int64_t j = 0; j < c.extents[1]; ++j) {
      ASSERT_EQ(a.get({i, j}), value({i, j})) << text_of(c);
      if (a.owner({i, j}) == team.rank()) {
        ASSERT_EQ(a.own({i, j}), value({i, j}));
      } else {
        ASSERT_THROW(a.own({i, j}), Error);
      }
    }
  ASSERT_EQ(a.gather_all(), expected) << text_of(c);
  const int root = team.size() / 2;
  ASSERT_EQ(a.gather(root), team.rank() == root ? expected : Plain());
}

void check_blocks(Team& team, const Case& c, DistributedMatrix<double>& a) {
  const Index2 first(c.extents[0] / 3, c.extents[1] / 2),
      box(c.extents[0] - first[0], c.extents[1] - first[1]);
  const Plain block = a.get_block(first, box);
  ASSERT_EQ(block.size(), static_cast<std::size_t>(volume(box)));
  for (std::int64_t i = 0; i < box[0]; ++i)
    for (std::int64_t j = 0; j < box[1]; ++j)
      ASSERT_EQ(block[place(box, {i, j})], value({first[0] + i, first[1] + j})) << text_of(c);
  team.barrier();
  if (team.rank() == team.size() - 1) {
    Plain minus = block;
    for (double& x : minus) x = -x;
    a.put_block(first, box, minus);
  }
  team.barrier();
  a.for_each([&](Index2 at, double& x) {
    const bool inside = at[0] >= first[0] && at[1] >= first[1];
    ASSERT_EQ(x, inside ? -value(at) : value(at));
    x = value(at);
  });
}

void check_moves(Team& team, const Case& c, DistributedMatrix<double>& a) {
  DistributedMatrix<double> b(team, c.extents, c.others, {.name = "b"});
  DistributedMatrix<double> turned(team, {c.extents[1], c.extents[0]}, c.others);
  b.copy_from(a);
  ASSERT_EQ(b.gather_all(), plain(c.extents)) << text_of(c);
  turned.transpose_of(a);
  turned.for_each([](Index2 at, double& x) { ASSERT_EQ(x, value({at[1], at[0]})); });
  b.shift(c.dimension, c.distance);
  b.for_each([&](Index2 at, double& x) {
    const auto d = static_cast<std::size_t>(c.dimension);
    at[d] = ((at[d] - c.distance) % c.extents[d] + c.extents[d]) % c.extents[d];
    ASSERT_EQ(x, value(at)) << text_of(c);
  });
}

/// Returns what depends on the order of additions: it must not depend on the runtime.
Plain sums(Team& team, const Case& c, DistributedMatrix<double>& a) {
  Plain out{a.reduce(std::plus<>(), 0.5), a.reduce([](double x, double y) { return std::max(x, y); }, -2)};
  DistributedVector<double> line(team, c.extents[0], {c.distributions[0]});
  line.for_each([](Index1 i, double& x) { x = value({i, 1}); });
  line.scan(std::plus<>());
  for (const double x : line.gather_all()) out.push_back(x);
  double expected = 0;
  for (std::int64_t i = 0; i < c.extents[0]; ++i) {
    expected += value({i, 1});
    EXPECT_NEAR(out[static_cast<std::size_t>(i) + 2], expected, 1e-12 * static_cast<double>(c.extents[0]))
        << text_of(c);
  }
  const Plain all = plain(c.extents);
  EXPECT_NEAR(out[0], std::accumulate(all.begin(), all.end(), 0.5),
              1e-12 * static_cast<double>(all.size() + 1));
  EXPECT_EQ(out[1],
            std::accumulate(all.begin(), all.end(), -2.0, [](double x, double y) { return std::max(x, y); }));
  return out;
}

std::vector<Plain> results(const Case& c) {
  std::vector<Plain> out(static_cast<std::size_t>(c.processors));
  run({.kind = c.kind, .count = c.processors}, [&](Team& team) {
    DistributedMatrix<double> a(team, c.extents, c.distributions, {.name = "a"});
    check_elements(team, c, a);
    check_blocks(team, c, a);
    check_moves(team, c, a);
    out[static_cast<std::size_t>(team.rank())] = sums(team, c, a);
  });
  return out;
}

TEST(Operations, AreThoseOfAPlainArrayOnAnyNumberOfProcessors) {
  std::mt19937 random(7);
  const Distribution all[] = {Block, Cyclic, BlockCyclic(2), BlockCyclic(5), Whole};
  const std::int64_t sizes[] = {0, 1, 2, 3, 7, 13, 16, 31};
  const auto any = [&](const auto& list) { return list[random() % std::size(list)]; };
  for (int processors = 1; processors <= 17; ++processors)
    for (int trial = 0; trial < 16; ++trial) {
      Case c{Processors::Kind::cooperative,
             processors,
             {any(sizes), any(sizes)},
             {any(all), any(all)},
             {any(all), any(all)},
             static_cast<int>(random() % 2),
             static_cast<std::int64_t>(random() % 41) - 20};
      if (volume(c.extents) == 0) c.distance = 0;
      const auto by_fibres = results(c);
      c.kind = Processors::Kind::threads;
      ASSERT_EQ(by_fibres, results(c)) << text_of(c);
      if (HasFatalFailure()) return;
    }
}

struct Particle {
  double x = 0, speed = 0;
  void move(double time) { x += speed * time; }
};

TEST(Invoke, CallsTheMethodOfAllOrOfSome) {
  run({.count = 3}, [](Team& team) {
    DistributedMatrix<Particle> particles(team, {4, 6}, {Cyclic, Whole});
    particles.for_each([](Index2, Particle& p) { p.speed = 1; });
    particles.invoke(&Particle::move, 2.0);
    particles.invoke_where([](Index2 at) { return at[0] == at[1]; }, &Particle::move, 10.0);
    particles.invoke_strided({1, 0}, {2, 3}, &Particle::move, 100.0);
    particles.for_each_where([](Index2 at) { return at[0] == 0; }, [](Index2, Particle& p) { p.x += 1000; });
    particles.for_each([](Index2 at, Particle& p) {
      const double chosen =
          (at[0] == at[1] ? 10 : 0) + (at[0] % 2 == 1 && at[1] % 3 == 0 ? 100 : 0) + (at[0] == 0 ? 1000 : 0);
      EXPECT_EQ(p.x, 2 + chosen) << to_text(at);
    });
    EXPECT_THROW(particles.invoke_strided({0, 0}, {0, 1}, &Particle::move, 1.0), Error);
  });
}

struct Polygon {
  std::vector<double> corners;
  void grow(int more) { corners.resize(corners.size() + static_cast<std::size_t>(more)); }
};

TEST(Invoke, WorksWithObjectsThatCannotBeSent) {
  for (const Processors::Kind kind : {Processors::Kind::cooperative, Processors::Kind::threads})
    run({.kind = kind, .count = 4}, [](Team& team) {
      DistributedVector<Polygon> polygons(team, 10, {Block});
      polygons.invoke(&Polygon::grow, 3);
      polygons.for_each([](Index1, Polygon& p) { EXPECT_EQ(p.corners.size(), 3U); });
    });
}

TEST(Aligned, ElementsHaveTheSameOwners) {
  run({.count = 6}, [](Team& team) {
    DistributedMatrix<double> a(team, {9, 7}, {Cyclic, Block}, {.processors = {{2, 2}}});
    DistributedMatrix<char> b(team, a);
    for (std::int64_t i = 0; i < 9; ++i)
      for (std::int64_t j = 0; j < 7; ++j) EXPECT_EQ(a.owner({i, j}), b.owner({i, j}));
  });
}

TEST(Grid, HaloHasTheNeighboursOfTheLastExchange) {
  for (int processors = 1; processors <= 9; ++processors)
    run({.count = processors}, [](Team& team) {
      DistributedGrid<double, 2> grid(team, {8, 5}, {Block, Block}, 2);
      grid.for_each([](Index2 at, double& x) { x = value(at); });
      EXPECT_THROW(grid.near({0, 0}), Error);
      grid.exchange();
      grid.for_each([&](Index2 at, double& x) {
        for (std::int64_t i = std::max<std::int64_t>(at[0] - 2, 0); i < std::min<std::int64_t>(at[0] + 3, 8);
             ++i)
          for (std::int64_t j = std::max<std::int64_t>(at[1] - 2, 0);
               j < std::min<std::int64_t>(at[1] + 3, 5); ++j)
            EXPECT_EQ(grid.near({i, j}), value({i, j}));
        x = 0;
      });
      EXPECT_THROW(grid.near({8, 0}), Error);
    });
}

TEST(Files, HoldTheElementsRowByRow) {
  const std::string path = testing::TempDir() + "collection.bin";
  for (const Processors::Kind kind : {Processors::Kind::cooperative, Processors::Kind::threads})
    run({.kind = kind, .count = 5}, [&](Team& team) {
      DistributedMatrix<double> a(team, {6, 7}, {Block, Cyclic}), b(team, {6, 7}, {Cyclic, Whole}),
          other(team, {6, 8}, {Block, Block}, {.name = "other"});
      a.for_each([](Index2 at, double& x) { x = value(at); });
      a.write_file(path);
      b.read_file(path);
      EXPECT_EQ(b.gather_all(), plain({6, 7}));
    });
  EXPECT_THROW(run({.count = 2},
                   [&](Team& team) {
                     DistributedMatrix<double>(team, {6, 8}, {Block, Block}).read_file(path);
                   }),
               Error);
  EXPECT_THROW(run({.count = 2},
                   [&](Team& team) {
                     DistributedMatrix<double>(team, {6, 6}, {Block, Block}).read_file(path);
                   }),
               Error);
  EXPECT_THROW(run({.count = 2},
                   [&](Team& team) {
                     DistributedMatrix<double>(team, {6, 6}, {Block, Block}).read_file(path + ".none");
                   }),
               Error);
  EXPECT_THROW(run({.count = 2},
                   [&](Team& team) {
                     DistributedMatrix<double>(team, {6, 6}, {Block, Block}).write_file("/no/such/folder");
                   }),
               Error);
}

TEST(Bounds, AreChecked) {
  const auto error_of = [](auto use) -> std::string {
    try {
      run({.count = 2}, [&](Team& team) {
        DistributedMatrix<double> a(team, {4, 4}, {Block, Cyclic}, {.name = "a"});
        use(a);
      });
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(error_of([](auto& a) { a.get({4, 0}); }), "a(4, 0) is outside of the extents (4, 4)");
  EXPECT_EQ(error_of([](auto& a) { a.put({0, -1}, 1); }), "a(0, -1) is outside of the extents (4, 4)");
  EXPECT_THAT(error_of([](auto& a) {
                a.get_block({2, 0}, {3, 4});
              }),
              HasSubstr("the box of (3, 4) at (2, 0) is outside"));
  EXPECT_THAT(error_of([](auto& a) {
                a.put_block({0, 0}, {2, 2}, std::vector<double>(3));
              }),
              HasSubstr("3 values for a box of (2, 2)"));
  EXPECT_THAT(error_of([](auto& a) { a.shift(2, 1); }), HasSubstr("has no dimension 2"));
  EXPECT_THAT(error_of([](auto& a) { a.gather(2); }), HasSubstr("no processor 2"));
}

TEST(Bounds, AnEmptyCollectionHasNothingToReduce) {
  run({.count = 3}, [](Team& team) {
    DistributedVector<int> none(team, 0, {Block}), few(team, 2, {Block});
    EXPECT_THROW(none.reduce(std::plus<>()), Error);
    EXPECT_EQ(none.reduce(std::plus<>(), 5), 5);
    few.for_each([](Index1 i, int& x) { x = static_cast<int>(i) + 1; });
    EXPECT_EQ(few.reduce(std::plus<>()), 3);  // two of the three processors have an element
    none.scan(std::plus<>());
    EXPECT_TRUE(none.gather_all().empty());
  });
}

}  // namespace
}  // namespace parcast::collections
