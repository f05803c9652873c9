// SPDX-License-Identifier: Apache-2.0
#include "fit/cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fit/layout.h"
#include "fit/mixture.h"
#include "fit/weighing.h"
#include "statistics/random.h"

namespace parcast::fit {
namespace {

Points grid(std::size_t width, std::size_t height) {
  Points points;
  for (std::size_t i = 1; i <= width; ++i)
    for (std::size_t j = 1; j <= height; ++j)
      points.push_back({static_cast<double>(i), static_cast<double>(j)});
  return points;
}

Points scattered(std::size_t count) {
  statistics::Random random(7);
  Points points;
  for (std::size_t i = 0; i < count; ++i)
    points.push_back({std::exp2(10 * random.uniform()), std::exp2(4 * random.uniform())});
  return points;
}

std::vector<double> values_on(const Points& points, double noise) {
  statistics::Random random(3);
  std::vector<double> values;
  for (const auto& point : points)
    values.push_back((0.3 + 1e-3 * point[0] * point[0] / point[1]) * std::exp(noise * random.normal()));
  return values;
}

// Returns the matrix (1) of docs/models/fit.md, with C between the cells of its rows.
std::vector<double> covariance(const Cells& cells, const std::vector<double>& between,
                               const std::vector<double>& noise, double share) {
  const std::size_t n = noise.size(), m = cells.count();
  std::vector<double> out(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      out[i * n + j] = share * between[cells.of[i] * m + cells.of[j]] + (i == j ? (1 - share) * noise[i] : 0);
  return out;
}

TEST(Cells, FewPointsAreCellsOfTheirOwn) {
  const Points points = grid(16, 32);
  const Cells cells = cells_of(points, Correlation(points));
  ASSERT_TRUE(cells.single());
  EXPECT_EQ(cells.places, points);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(cells.of[i], i);
}

TEST(Cells, ManyPointsShareCellsOfAboutEqualWidthInDoublings) {
  const Points points = grid(59, 59);
  const Correlation correlation(points);
  const Cells cells = cells_of(points, correlation);
  ASSERT_EQ(cells.of.size(), points.size());
  EXPECT_EQ(cells.count(), kMostCells);
  // 5.88 doublings each way, in 512 boxes of equal sides: 0.26. Halving gives sides of 5.88 / 16 or 5.88 /
  // 32, none longer.
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_LE(std::fabs(correlation.doublings(j, points[i][j]) -
                          correlation.doublings(j, cells.places[cells.of[i]][j])),
                5.89 / 16);
  // The points at 1 have no neighbour within half a doubling.
  EXPECT_EQ(std::ranges::count(cells.of, cells.of[0]), 1);
  EXPECT_EQ(cells.places[0], points[0]);
}

TEST(Cells, AreNumberedByTheirFirstPoints) {
  const Cells cells = cells_of(scattered(2000), Correlation(scattered(2000)));
  std::size_t next = 0;
  for (const std::size_t cell : cells.of) {
    ASSERT_LE(cell, next);
    next = std::max(next, cell + 1);
  }
  EXPECT_EQ(next, cells.count());
}

TEST(Cells, EqualPointsAreOneWhateverTheirNumber) {
  Points points(1000, {3, 5});
  points.push_back({6, 5});
  const Cells cells = cells_of(points, Correlation(points));
  EXPECT_EQ(cells.places, (Points{{3, 5}, {6, 5}}));
}

TEST(Cells, WhitenTheCovarianceThatTheyStandFor) {
  // Six points in three cells, each with its own noise: W K W' is the identity matrix, and the determinant of
  // W^-1 is that of K's root.
  const Points places{{1}, {2}, {8}};
  const auto cells = std::make_shared<const Cells>(Cells{{0, 1, 0, 0, 2, 1}, places});
  const std::vector<double> noise{1, 0.5, 2, 0.7, 1.5, 3};
  for (const std::size_t k : {1u, 2u, 3u}) {
    const auto between = correlations(places, Correlation(places), kRelations[k]);
    const double share = kRelations[k].share;
    const std::vector<double> whole = covariance(*cells, between, noise, share);
    const Whitening whitening(cells, between, noise, share);
    std::vector<std::vector<double>> rows(6, std::vector<double>(6));
    for (std::size_t j = 0; j < 6; ++j) {
      std::vector<double> column;
      for (std::size_t i = 0; i < 6; ++i) column.push_back(whole[i * 6 + j]);
      whitening.apply(column);
      for (std::size_t i = 0; i < 6; ++i) rows[i][j] = column[i];
    }
    for (std::size_t i = 0; i < 6; ++i) {
      whitening.apply(rows[i]);
      for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(rows[i][j], i == j ? 1 : 0, 1e-12);
    }
    // The dense form of the same matrix serves as oracle.
    std::vector<double> dense(36);
    for (std::size_t i = 0; i < 36; ++i)
      dense[i] = (whole[i] - (i % 7 == 0 ? (1 - share) * noise[i / 7] : 0)) / share;
    const Whitening oracle(dense, noise, share);
    EXPECT_NEAR(whitening.log_determinant(), oracle.log_determinant(), 1e-12);
    // k' K^-1 x, with covariances with the cells and with the points.
    std::vector<double> x{3, -1, 2, 0.5, 4, 1}, all = x;
    std::vector<double> of_cells{0.3, 0.2, 0.1}, of_points;
    for (const std::size_t cell : cells->of) of_points.push_back(of_cells[cell]);
    whitening.apply(x), oracle.apply(all);
    std::vector<double> carried = whitening.of_cells(x);
    whitening.apply_transposed(carried), oracle.apply_transposed(all);
    double by_cells = 0, by_points = 0, explained = 0, wanted = 0;
    for (std::size_t c = 0; c < 3; ++c) by_cells += of_cells[c] * carried[c];
    for (std::size_t i = 0; i < 6; ++i) by_points += of_points[i] * all[i];
    EXPECT_NEAR(by_cells, by_points, 1e-12);
    whitening.apply_to_cells(of_cells), oracle.apply(of_points);
    for (const double each : of_cells) explained += each * each;
    for (const double each : of_points) wanted += each * each;
    EXPECT_NEAR(explained, wanted, 1e-12);
  }
}

TEST(Cells, OfOnePointEachAreTheDenseForm) {
  const Points points = scattered(40);
  const Correlation correlation(points);
  const std::vector<double> noise(40, 1.0), values = values_on(points, 0.1);
  const auto cells = std::make_shared<const Cells>(cells_of(points, correlation));
  for (const std::size_t k : {1u, 2u, 3u}) {
    const auto between = correlations(points, correlation, kRelations[k]);
    const Whitening by_cells(cells, between, noise, kRelations[k].share),
        dense(between, noise, kRelations[k].share);
    std::vector<double> a = values, b = values;
    by_cells.apply(a), dense.apply(b);
    EXPECT_EQ(a, b);
    EXPECT_EQ(by_cells.log_determinant(), dense.log_determinant());
  }
}

// Returns a set in which every point is a cell, however many there are.
PointSet dense_set(const PointSet& of) {
  PointSet set = of;
  Cells single;
  for (std::size_t i = 0; i < of.size(); ++i) single.of.push_back(i);
  single.places = of.points;
  set.cells = std::make_shared<const Cells>(single);
  const std::vector<double> noise(of.size(), 1.0);
  for (std::size_t k = 0; k < kRelations.size(); ++k)
    if (form_of(k) == k) set.correlations[k] = correlations(of.points, of.correlation, kRelations[k]);
  for (std::size_t k = 0; k < kRelations.size(); ++k)
    set.whitenings[k] = std::make_shared<const Whitening>(set.correlations_of(k), noise, kRelations[k].share);
  return set;
}

TEST(Cells, AnswerAboutAsTheDenseFormOfManyPoints) {
  for (const Points& points : {grid(32, 32), scattered(900)}) {
    const Layout layout(points);
    const std::vector<double> values = values_on(points, 0.05);
    const Design design = design_of({points, values, {}}, std::make_shared<const Layout>(points), {});
    const PointSet dense = dense_set(layout.all());
    const Mixture few = Mixture::fit({values, {}}, layout.all(), *design.shapes, {}, Detail::distributions);
    const Mixture all = Mixture::fit({values, {}}, dense, *design.shapes, {}, Detail::distributions);
    for (const std::vector<double>& point : {std::vector<double>{64, 8}, {32, 40}, {2000, 64}, {20, 5}}) {
      const Place here = few.place(point), there = all.place(point);
      EXPECT_NEAR(std::log(few.typical(here)), std::log(all.typical(there)), 0.01)
          << point[0] << " " << point[1];
      const auto a = few.at(here, 1), b = all.at(there, 1);
      EXPECT_NEAR(a.front().scale / b.front().scale, 1, 0.1);
    }
  }
}

TEST(Nearest, AreThoseOfTrialOfAll) {
  for (const Points& points : {grid(25, 24), scattered(700)}) {
    const Correlation correlation(points);
    const auto found = two_nearest(points, correlation);
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::vector<std::pair<double, std::size_t>> others;
      for (std::size_t k = 0; k < points.size(); ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < 2; ++j)
          sum += std::fabs(correlation.doublings(j, points[i][j]) - correlation.doublings(j, points[k][j]));
        if (k != i) others.push_back({sum, k});
      }
      std::ranges::sort(others);
      EXPECT_EQ(found[i], (std::array{others[0].second, others[1].second})) << i;
    }
  }
}

TEST(Drawn, OneOfEachPartIsTaken) {
  const auto rows = evenly_drawn(1000, 64);
  ASSERT_EQ(rows.size(), 64u);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_GE(rows[k], k * 1000 / 64);
    EXPECT_LT(rows[k], (k + 1) * 1000 / 64);
  }
  EXPECT_EQ(evenly_drawn(3, 64), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(evenly_spaced(11, 3), (std::vector<std::size_t>{0, 5, 10}));
}

TEST(Many, TermsOnSomePointsAreThoseThatAllHave) {
  const Points points = grid(5, 7);
  std::vector<std::vector<Factor>> factors;
  for (std::size_t j = 0; j < 2; ++j) factors.push_back(factors_of(points, j));
  const Shapes shapes = products_of(points, factors);
  const std::vector<std::size_t> terms{0, 3, 17, shapes.size() - 1};
  const std::vector<double> values = values_of(shapes, terms, points);
  for (std::size_t k = 0; k < terms.size(); ++k)
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_NEAR(values[k * points.size() + i], shapes.at(terms[k], i), 1e-14 * shapes.at(terms[k], i));
}

TEST(Many, FoldsChooseTermsOnTheirOwnPoints) {
  const Layout layout(grid(90, 60));  // 5,400 points
  ASSERT_GE(layout.searched().size(), kMostSearched);
  ASSERT_LE(layout.searched().size(), kMostSearched + 4);
  for (const Fold& fold : layout.folds()) {
    EXPECT_FALSE(fold.searched.empty());
    ASSERT_EQ(fold.searched.size(), fold.shapes.size());
    for (std::size_t k = 0; k < fold.searched.size(); ++k)
      EXPECT_EQ(fold.kept[fold.searched[k]], layout.searched()[fold.shapes[k]]);
    EXPECT_EQ(fold.kept.size() + fold.left_out.size(), 5400u);
  }
}

}  // namespace
}  // namespace parcast::fit
