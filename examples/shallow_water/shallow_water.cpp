// SPDX-License-Identifier: Apache-2.0
// Shallow water equations on a doubly periodic square: Sadourny's potential-enstrophy conserving scheme on a
// staggered grid (R. Sadourny, J. Atmos. Sci. 32, 1975), leapfrog in time with a Robert-Asselin filter. The N
// x N grid is divided into blocks over a two-dimensional process grid; each step exchanges one layer of halo
// twice.
//
//   mpirun -n 4 shallow_water 512 200          N = 512, 200 steps
//
// Prints the conserved quantities, which do not depend on the number of processes, and the time in seconds.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <utility>
#include <vector>

#include "parcast/parcast.h"

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kCell = 1e5;      // metres
constexpr double kFilter = 0.001;  // Robert-Asselin
constexpr double kStreamFunction = 1e6;
constexpr double kRestHeight = 5e4;  // geopotential, m^2/s^2
constexpr int kCheckEvery = 20;      // steps between checks that the solution is still finite

/// The block of the grid that belongs to this process; the first processes get the remainder.
struct Block {
  int begin, size;
  Block(int n, int parts, int index)
      : begin(index * (n / parts) + std::min(index, n % parts)), size(n / parts + (index < n % parts)) {}
};

/// One field on the block with a halo of one cell. Rows are padded to an odd number of cache lines. Each
/// field starts some lines further into its page than the one before, so that neighbouring values of
/// different fields do not compete for the same cache lines.
class Field {
 public:
  Field(int rows, int columns, int number)
      : pitch_((columns + 2 + kLine - 1) / kLine * kLine | kLine),
        first_(number * 5 * kLine),
        values_(static_cast<std::size_t>(first_ + (rows + 2) * static_cast<std::ptrdiff_t>(pitch_))) {}
  double& operator()(int i, int j) {
    return values_[static_cast<std::size_t>(first_ + i * static_cast<std::ptrdiff_t>(pitch_) + j)];
  }
  double operator()(int i, int j) const {
    return values_[static_cast<std::size_t>(first_ + i * static_cast<std::ptrdiff_t>(pitch_) + j)];
  }

 private:
  static constexpr int kLine = 8;  // doubles per cache line
  int pitch_, first_;
  std::vector<double> values_;
};

class ShallowWater {
 public:
  ShallowWater(int n, MPI_Comm grid, const std::array<int, 2>& extents, const std::array<int, 2>& at)
      : n_(n), grid_(grid), rows_(n, extents[0], at[0]), columns_(n, extents[1], at[1]) {
    MPI_Cart_shift(grid, 0, 1, &up_, &down_);
    MPI_Cart_shift(grid, 1, 1, &left_, &right_);
    // Gravity waves of speed sqrt(p) must not cross half a cell in a leapfrog step.
    dt_ = 0.25 * kCell / std::sqrt(2 * kRestHeight);
    initialise();
  }

  void step(bool first) {
    {
      const parcast::Region region("fluxes");
      exchange({&u_, &v_, &p_});
      compute_fluxes();
    }
    {
      const parcast::Region region("update");
      exchange({&cu_, &cv_, &z_, &h_});
      advance(first ? dt_ : 2 * dt_);
    }
    filter(first);
  }

  /// Returns mass and energy of this block.
  std::array<double, 2> totals() const {
    std::array<double, 2> sum{};
    for (int i = 1; i <= rows_.size; ++i)
      for (int j = 1; j <= columns_.size; ++j) {
        sum[0] += p_(i, j);
        sum[1] += 0.5 * p_(i, j) * (u_(i, j) * u_(i, j) + v_(i, j) * v_(i, j) + p_(i, j));
      }
    return sum;
  }

 private:
  void initialise() {
    const double wave = 2 * kPi / n_;
    const double slope = kStreamFunction / kCell;
    const auto psi = [&](int i, int j) { return std::sin((i + 0.5) * wave) * std::sin((j + 0.5) * wave); };
    for (int i = 1; i <= rows_.size; ++i)
      for (int j = 1; j <= columns_.size; ++j) {
        const int gi = rows_.begin + i - 1, gj = columns_.begin + j - 1;
        u_(i, j) = u_old_(i, j) = -slope * (psi(gi, gj + 1) - psi(gi, gj));
        v_(i, j) = v_old_(i, j) = slope * (psi(gi + 1, gj) - psi(gi, gj));
        p_(i, j) = p_old_(i, j) =
            kRestHeight + 0.02 * kRestHeight * (std::cos(2 * gi * wave) + std::cos(2 * gj * wave));
      }
  }

  /// Fills the halos of `fields`: rows first, then columns including the ends of the halo rows, so that
  /// corners are filled, too.
  void exchange(std::initializer_list<Field*> fields) {
    const int rows = rows_.size, columns = columns_.size;
    swap_rows(fields, 1, rows + 1, up_, down_, columns);
    swap_rows(fields, rows, 0, down_, up_, columns);
    swap_columns(fields, 1, columns + 1, left_, right_, rows);
    swap_columns(fields, columns, 0, right_, left_, rows);
  }

  void swap_rows(std::initializer_list<Field*> fields, int from, int into, int to, int source, int columns) {
    const int count = static_cast<int>(fields.size()) * columns;
    send_.resize(count), receive_.resize(count);
    double* out = send_.data();
    for (const Field* field : fields)
      for (int j = 1; j <= columns; ++j) *out++ = (*field)(from, j);
    MPI_Sendrecv(send_.data(), count, MPI_DOUBLE, to, 0, receive_.data(), count, MPI_DOUBLE, source, 0, grid_,
                 MPI_STATUS_IGNORE);
    const double* in = receive_.data();
    for (Field* field : fields)
      for (int j = 1; j <= columns; ++j) (*field)(into, j) = *in++;
  }

  void swap_columns(std::initializer_list<Field*> fields, int from, int into, int to, int source, int rows) {
    const int count = static_cast<int>(fields.size()) * (rows + 2);
    send_.resize(count), receive_.resize(count);
    double* out = send_.data();
    for (const Field* field : fields)
      for (int i = 0; i <= rows + 1; ++i) *out++ = (*field)(i, from);
    MPI_Sendrecv(send_.data(), count, MPI_DOUBLE, to, 1, receive_.data(), count, MPI_DOUBLE, source, 1, grid_,
                 MPI_STATUS_IGNORE);
    const double* in = receive_.data();
    for (Field* field : fields)
      for (int i = 0; i <= rows + 1; ++i) (*field)(i, into) = *in++;
  }

  /// Computes mass fluxes cu, cv, potential vorticity z and the Bernoulli function h.
  void compute_fluxes() {
    const double fs = 4 / kCell;
    for (int i = 1; i <= rows_.size; ++i)
      for (int j = 1; j <= columns_.size; ++j) {
        cu_(i, j) = 0.5 * (p_(i, j) + p_(i - 1, j)) * u_(i, j);
        cv_(i, j) = 0.5 * (p_(i, j) + p_(i, j - 1)) * v_(i, j);
        z_(i, j) = fs * (v_(i, j) - v_(i - 1, j) - u_(i, j) + u_(i, j - 1)) /
                   (p_(i - 1, j - 1) + p_(i, j - 1) + p_(i, j) + p_(i - 1, j));
        h_(i, j) = p_(i, j) + 0.25 * (u_(i + 1, j) * u_(i + 1, j) + u_(i, j) * u_(i, j) +
                                      v_(i, j + 1) * v_(i, j + 1) + v_(i, j) * v_(i, j));
      }
  }

  void advance(double dt) {
    const double eighth = dt / 8, slope = dt / kCell;
    for (int i = 1; i <= rows_.size; ++i)
      for (int j = 1; j <= columns_.size; ++j) {
        u_new_(i, j) = u_old_(i, j) +
                       eighth * (z_(i, j + 1) + z_(i, j)) *
                           (cv_(i, j + 1) + cv_(i - 1, j + 1) + cv_(i - 1, j) + cv_(i, j)) -
                       slope * (h_(i, j) - h_(i - 1, j));
        v_new_(i, j) = v_old_(i, j) -
                       eighth * (z_(i + 1, j) + z_(i, j)) *
                           (cu_(i + 1, j) + cu_(i, j) + cu_(i, j - 1) + cu_(i + 1, j - 1)) -
                       slope * (h_(i, j) - h_(i, j - 1));
        p_new_(i, j) = p_old_(i, j) - slope * (cu_(i + 1, j) - cu_(i, j) + cv_(i, j + 1) - cv_(i, j));
      }
  }

  void filter(bool first) {
    const double alpha = first ? 0 : kFilter;
    const auto smooth = [&](const Field& now, const Field& next, Field& old) {
      for (int i = 1; i <= rows_.size; ++i)
        for (int j = 1; j <= columns_.size; ++j)
          old(i, j) = now(i, j) + alpha * (next(i, j) - 2 * now(i, j) + old(i, j));
    };
    smooth(u_, u_new_, u_old_), smooth(v_, v_new_, v_old_), smooth(p_, p_new_, p_old_);
    std::swap(u_, u_new_), std::swap(v_, v_new_), std::swap(p_, p_new_);
  }

  int n_;
  MPI_Comm grid_;
  Block rows_, columns_;
  int up_, down_, left_, right_;
  double dt_;
  std::vector<double> send_, receive_;
  Field field(int number) const { return Field(rows_.size, columns_.size, number); }
  Field u_ = field(0), v_ = field(1), p_ = field(2);
  Field u_old_ = field(3), v_old_ = field(4), p_old_ = field(5);
  Field u_new_ = field(6), v_new_ = field(7), p_new_ = field(8);
  Field cu_ = field(9), cv_ = field(10), z_ = field(11), h_ = field(12);
};

int whole_number(const char* text) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return *text && !*end && value > 0 && value < 1000000 ? static_cast<int>(value) : 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double start = MPI_Wtime();
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argc == 3 ? whole_number(argv[1]) : 0, steps = argc == 3 ? whole_number(argv[2]) : 0;
  std::array<int, 2> extents{}, periodic{1, 1}, at{};
  MPI_Dims_create(size, 2, extents.data());
  if (n < extents[0] || steps == 0) {
    if (rank == 0)
      std::fprintf(stderr, "usage: shallow_water N STEPS   (N >= %d on %d processes, STEPS >= 1)\n",
                   extents[0], size);
    MPI_Finalize();
    return 2;
  }
  parcast_parameter("N", n);
  parcast_parameter("steps", steps);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents.data(), periodic.data(), 0, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, at.data());

  int code = 0;
  {
    ShallowWater water(n, grid, extents, at);
    std::array<double, 2> before = water.totals(), after{};
    MPI_Allreduce(MPI_IN_PLACE, before.data(), 2, MPI_DOUBLE, MPI_SUM, grid);
    for (int step = 0; step < steps; ++step) {
      water.step(step == 0);
      if ((step + 1) % kCheckEvery == 0) {
        double mass = water.totals()[0];
        MPI_Allreduce(MPI_IN_PLACE, &mass, 1, MPI_DOUBLE, MPI_SUM, grid);
        if (!std::isfinite(mass)) {
          if (rank == 0) std::fprintf(stderr, "shallow_water: the solution blew up at step %d\n", step + 1);
          code = 1;
          break;
        }
      }
    }
    const std::array<double, 2> mine = water.totals();
    MPI_Reduce(mine.data(), after.data(), 2, MPI_DOUBLE, MPI_SUM, 0, grid);
    if (rank == 0)
      std::printf("N %d steps %d processes %d\nmass %.12e drift %.1e\nenergy %.9e\nseconds %.6f\n", n, steps,
                  size, after[0], std::fabs(after[0] / before[0] - 1), after[1], MPI_Wtime() - start);
  }
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return code;
}
