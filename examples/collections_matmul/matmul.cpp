// SPDX-License-Identifier: Apache-2.0
// Multiplies two N x N matrices that are distributed over processors by (Block, Block) or by (Block, Whole),
// the experiment of Mohr, Shanmugam, Malony: Speedy, 1995, figure 9.
//
//     collections_matmul N [block|whole] [check] --collections cooperative:16
//
// Each processor computes the elements of C that it owns. It needs its rows of A and its columns of B, panel
// by panel, from their owners. With (Block, Block) these are 2 N^2 / r elements, with r x r processors the
// largest square among all; with (Block, Whole) all N^2 of B. Sums are in the same order on any number of
// processors. A recording has the multiplication alone.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "parcast/collections.h"

using namespace parcast;
using Matrix = DistributedMatrix<double>;

namespace {

/// A rectangle of a matrix, row by row.
struct Panel {
  std::int64_t rows, columns;
  std::vector<double> values;
};

Panel panel_of(const Matrix& matrix, Index2 first, Index2 extents) {
  return {extents[0], extents[1], matrix.get_block(first, extents)};
}

void add_product(const Panel& a, const Panel& b, double* c) {
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = 0; k < a.columns; ++k) {
      const double factor = a.values[static_cast<std::size_t>(i * a.columns + k)];
      const double* row = b.values.data() + k * b.columns;
      for (std::int64_t j = 0; j < b.columns; ++j) c[i * b.columns + j] += factor * row[j];
    }
}

void multiply(const Matrix& a, const Matrix& b, Matrix& c) {
  const collections::Team::Region region(c.team(), "multiply");
  const auto& placement = c.placement();
  const Index2 counts = placement.counts(c.team().rank());
  std::array<int, 2> at{};
  if (volume(counts) > 0 && placement.coordinates(c.team().rank(), at)) {
    const std::int64_t row = at[0] * placement.layout(0).width(),
                       column = at[1] * placement.layout(1).width();
    const std::int64_t n = a.extents()[1], width = b.placement().layout(0).width();
    for (std::int64_t k = 0; k < n; k += width) {
      const std::int64_t depth = std::min(width, n - k);
      add_product(panel_of(a, {row, k}, {counts[0], depth}), panel_of(b, {k, column}, {depth, counts[1]}),
                  c.local().data());
    }
  }
  c.team().barrier();
}

/// Returns the largest difference between C x and A (B x), for one vector x.
double largest_error(const Matrix& a, const Matrix& b, const Matrix& c) {
  const auto n = static_cast<std::size_t>(a.extents()[0]);
  const auto times = [n](const std::vector<double>& matrix, const std::vector<double>& x) {
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) y[i] += matrix[i * n + j] * x[j];
    return y;
  };
  std::vector<double> x(n), full_a = a.gather(), full_b = b.gather(), full_c = c.gather();
  if (full_a.empty()) return 0;
  for (std::size_t i = 0; i < n; ++i) x[i] = std::cos(static_cast<double>(i));
  const std::vector<double> left = times(full_c, x), right = times(full_a, times(full_b, x));
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::abs(left[i] - right[i]));
  return most;
}

}  // namespace

int main(int argc, char** argv) {
  int wrong = 0;
  const int failed = collections::run(argc, argv, [&](collections::Team& team) {
    const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 0;
    const bool is_whole = argc > 2 && std::strcmp(argv[2], "whole") == 0;
    if (n < 1) throw collections::Error("usage: collections_matmul N [block|whole] [check]");
    team.parameter("N", static_cast<double>(n));
    team.record(false);
    const std::array by{Block, is_whole ? Whole : Block};
    const auto named = [](const char* name) {
      return collections::Options<2>{.name = name, .shape = collections::Shape::square};
    };
    Matrix a(team, {n, n}, by, named("a")), b(team, {n, n}, by, named("b")), c(team, {n, n}, by, named("c"));
    a.for_each([](Index2 at, double& x) { x = std::sin(static_cast<double>(at[0] + 2 * at[1])); });
    b.for_each([](Index2 at, double& x) { x = std::cos(static_cast<double>(3 * at[0] + at[1])); });
    team.record(true);
    multiply(a, b, c);
    team.record(false);
    if (argc > 3 && std::strcmp(argv[3], "check") == 0) {
      const double error = largest_error(a, b, c);
      if (team.rank() == 0 && (wrong = !(error < 1e-9 * static_cast<double>(n))))
        std::fprintf(stderr, "the product is wrong by %g\n", error);
    }
  });
  return failed ? failed : wrong;
}
