// SPDX-License-Identifier: Apache-2.0
// C = A x B on a checkerboard of r x c processes, by an all-to-all broadcast along rows and columns or by
// Cannon's algorithm. A probe marks the phases (J. Lemeire, E. Dirkx: A Refinement Strategy for a
// User-Oriented Performance Analysis, Euro PVM/MPI 2004; V. Kumar et al.: Introduction to Parallel Computing,
// 1994).
//
//   mpirun -n 4 matmul 400 cannon              n = 400; or: broadcast
//   mpirun -n 4 matmul 400 cannon unchecked    without the check, which costs ten times the multiplication
//
// An operation is a multiplication with its addition, a quantum a matrix element that a process gets from
// another. Over all processes there are n^3 operations, and
//   cannon      2 n^2 (max(r, c) - 1) quantums: in each of max(r, c) - 1 steps every block of A and B moves
//   broadcast   n^2 (r + c - 2): every block of A goes to c - 1 processes, of B to r - 1
// Prints whether C equals the result of a single process, and the time in seconds.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "blocks.h"
#include "multiply.h"
#include "parcast/parcast.h"

namespace {

using namespace matmul;

struct Wanted {
  int n = 0;
  bool cannon = false, checked = true;
};

/// Returns n = 0 for invalid arguments.
Wanted wanted(int argc, char** argv) {
  if (argc != 3 && argc != 4) return {};
  char* end = nullptr;
  const long n = std::strtol(argv[1], &end, 10);
  const bool cannon = std::strcmp(argv[2], "cannon") == 0, checked = argc == 3;
  if (*end || n < 1 || n > 100000 || (!cannon && std::strcmp(argv[2], "broadcast") != 0)) return {};
  if (!checked && std::strcmp(argv[3], "unchecked") != 0) return {};
  return {static_cast<int>(n), cannon, checked};
}

Place place_in(int n, int rank, int size) {
  const auto [r, c] = grid_of(size);
  Place place{n, r, c, rank / c, rank % c};
  MPI_Comm_split(MPI_COMM_WORLD, place.row, place.column, &place.in_row);
  MPI_Comm_split(MPI_COMM_WORLD, place.column, place.row, &place.in_column);
  return place;
}

/// Returns the number of entries of the block that differ from a serial multiplication.
long wrong_entries(const Place& place, const Block& block) {
  long wrong = 0;
  for (int i = 0; i < block.rows; ++i)
    for (int j = 0; j < block.columns; ++j) {
      double sum = 0;
      for (int k = 0; k < place.n; ++k) sum += entry_of_a(block.first_row + i, k) * entry_of_b(k, block.first_column + j);
      wrong += sum != block.at(i, j);
    }
  return wrong;
}

long run(const Wanted& wanted, int rank, int size) {
  Place place = place_in(wanted.n, rank, size);
  parcast::Probe probe{{"n", place.n}, {"rows", place.r}, {"columns", place.c}, {"cannon", wanted.cannon}};
  const double begin = MPI_Wtime();
  const Block block = wanted.cannon ? by_cannon(place, probe) : by_broadcast(place, probe);
  const double seconds = MPI_Wtime() - begin;
  long wrong = 0;
  if (wanted.checked) {
    wrong = wrong_entries(place, block);
    probe.phase("check", PARCAST_COMPUTE, 0, block.quantums());
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    std::printf("n %d processes %d grid %d x %d\n", place.n, size, place.r, place.c);
    if (wanted.checked) std::printf("wrong %ld\n", wrong);
    std::printf("seconds %.6f\n", seconds);
  }
  MPI_Comm_free(&place.in_row);
  MPI_Comm_free(&place.in_column);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  int rank = 0, size = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const Wanted asked = wanted(argc, argv);
  int code = 2;
  if (asked.n == 0) {
    if (rank == 0) std::fprintf(stderr, "usage: matmul N cannon|broadcast [unchecked]   (1 <= N <= 100000)\n");
  } else {
    try {
      code = run(asked, rank, size) == 0 ? 0 : 1;
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "matmul: rank %d has too little memory for N = %d (%s)\n", rank, asked.n, problem.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
  return code;
}
