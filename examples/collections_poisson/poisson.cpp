// SPDX-License-Identifier: Apache-2.0
// A fast Poisson solver on N x N interior points of the unit square, N = 2^k - 1, with 0 on the border: sine
// transforms along the rows, cyclic reduction across them, sine transforms back. It is the experiment of
// Mohr, Shanmugam, Malony: Speedy, 1995, figure 10.
//
//     collections_poisson N [all|transforms|reduction] --collections cooperative:16
//
// The word chooses what a recording has. Rows are distributed by blocks. A transform needs its own row alone.
// Cyclic reduction needs rows that are 1, 2, 4,
// ... apart, in its last log2(p) steps all of other processors: 2 (p - 1) - log2(p) rows and more in each
// direction.
//
// With -u(i-1) + (2 + m) u(i) - u(i+1) = h^2 f(i) for each mode of the transform, m = 4 sin^2(pi l / (2 (N +
// 1))), a step eliminates every other row. Rows are kept in the form u(i) - a (u(i-s) + u(i+s)) = g(i), a = 1
// / (2 + m) at first:
//     a' = a^2 / (1 - 2 a^2),  g'(i) = (g(i) + a (g(i-s) + g(i+s))) / (1 - 2 a^2),  and back u(i) = g(i) + a
//     (u(i-s) + u(i+s)).
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string_view>

#include "parcast/collections.h"
#include "sine_transform.h"

using namespace parcast;
using Rows = DistributedMatrix<double>;

namespace {

double mode(std::int64_t l, std::int64_t n) {
  const double sine = std::sin(0.5 * std::numbers::pi * static_cast<double>(l) / static_cast<double>(n + 1));
  return 4 * sine * sine;
}

/// The solution is a sum of modes, so the right side of the difference equations is known exactly.
constexpr std::int64_t kModes[][2] = {{1, 1}, {2, 5}, {3, 2}, {7, 4}};

double sum_of_modes(Index2 at, std::int64_t n, bool is_right_side) {
  double sum = 0;
  for (const auto& [k, l] : kModes) {
    const auto wave = [&](std::int64_t m, std::int64_t i) {
      return std::sin(std::numbers::pi * static_cast<double>(m * (i + 1)) / static_cast<double>(n + 1));
    };
    sum += (is_right_side ? mode(k, n) + mode(l, n) : 1) * wave(k, at[0]) * wave(l, at[1]);
  }
  return sum;
}

class Solver {
 public:
  Solver(collections::Team& team, std::int64_t n)
      : team_(team),
        n_(n),
        rows_(team, {n, n}, {Block, Whole}, {.name = "rows"}),
        first_(team.rank() * rows_.placement().layout(0).width()),
        transform_(static_cast<std::size_t>(n)) {}

  Rows& rows() { return rows_; }

  void transform(double factor) {
    const collections::Team::Region region(team_, "transforms");
    for (std::int64_t i = 0; i < own_count(); ++i) {
      const std::span<double> row = own_row(first_ + i);
      transform_(row);
      for (double& x : row) x *= factor;
    }
    team_.barrier();
  }

  void reduce() {
    const collections::Team::Region region(team_, "reduction");
    std::vector<std::vector<double>> factors;  // a of each step and mode
    factors.emplace_back();
    for (std::int64_t l = 1; l <= n_; ++l) factors.back().push_back(1 / (2 + mode(l, n_)));
    each_own(1, 1, [&](std::int64_t, std::span<double> g) {
      for (std::size_t l = 0; l < g.size(); ++l) g[l] *= factors[0][l];
    });
    std::int64_t s = 1;
    for (; 2 * s <= n_; s *= 2) eliminate(s, factors);
    for (; s >= 1; s /= 2)
      substitute(s, factors[static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(s)))]);
  }

 private:
  std::int64_t own_count() const { return rows_.placement().counts(team_.rank())[0]; }
  std::span<double> own_row(std::int64_t i) {
    return rows_.local().subspan(static_cast<std::size_t>((i - first_) * n_), static_cast<std::size_t>(n_));
  }

  /// Calls f(i, row) for own rows number first, first + stride, ... counted from 1; then a barrier.
  template <class F>
  void each_own(std::int64_t first, std::int64_t stride, F&& f) {
    for (std::int64_t i = first_; i < first_ + own_count(); ++i)
      if (i + 1 >= first && (i + 1 - first) % stride == 0) f(i, own_row(i));
    team_.barrier();
  }

  /// The sum of the rows at a distance; those beyond the border are 0.
  std::vector<double> neighbours(std::int64_t i, std::int64_t distance) {
    std::vector<double> sum(static_cast<std::size_t>(n_));
    for (const std::int64_t j : {i - distance, i + distance}) {
      if (j < 0 || j >= n_) continue;
      const std::vector<double> row = rows_.get_block({j, 0}, {1, n_});
      for (std::size_t l = 0; l < row.size(); ++l) sum[l] += row[l];
    }
    return sum;
  }

  void eliminate(std::int64_t s, std::vector<std::vector<double>>& factors) {
    const std::vector<double>& a = factors.back();
    each_own(2 * s, 2 * s, [&](std::int64_t i, std::span<double> g) {
      const std::vector<double> sum = neighbours(i, s);
      for (std::size_t l = 0; l < g.size(); ++l) g[l] = (g[l] + a[l] * sum[l]) / (1 - 2 * a[l] * a[l]);
    });
    std::vector<double> next(a);
    for (double& x : next) x = x * x / (1 - 2 * x * x);
    factors.push_back(std::move(next));
  }

  void substitute(std::int64_t s, const std::vector<double>& a) {
    each_own(s, 2 * s, [&](std::int64_t i, std::span<double> g) {
      const std::vector<double> sum = neighbours(i, s);
      for (std::size_t l = 0; l < g.size(); ++l) g[l] += a[l] * sum[l];
    });
  }

  collections::Team& team_;
  std::int64_t n_;
  Rows rows_;
  std::int64_t first_;
  SineTransform transform_;
};

}  // namespace

int main(int argc, char** argv) {
  int wrong = 0;
  const int failed = collections::run(argc, argv, [&](collections::Team& team) {
    const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 0;
    const std::string_view part = argc > 2 ? argv[2] : "all";
    if (n < 1 || !std::has_single_bit(static_cast<std::uint64_t>(n + 1)))
      throw collections::Error("usage: collections_poisson N [all|transforms|reduction], N = 2^k - 1");
    team.parameter("N", static_cast<double>(n));
    team.record(false);
    Solver solver(team, n);
    solver.rows().for_each([&](Index2 at, double& x) { x = sum_of_modes(at, n, true); });
    team.record(part != "reduction");
    solver.transform(1);
    team.record(part != "transforms");
    solver.reduce();
    team.record(part != "reduction");
    solver.transform(2 / static_cast<double>(n + 1));
    team.record(false);
    double error = 0;
    solver.rows().for_each(
        [&](Index2 at, double& x) { error = std::max(error, std::abs(x - sum_of_modes(at, n, false))); });
    error = team.reduce(error, [](double a, double b) { return std::max(a, b); });
    if (team.rank() == 0 && (wrong = !(error < 1e-10)))
      std::fprintf(stderr, "the solution is wrong by %g\n", error);
  });
  return failed ? failed : wrong;
}
