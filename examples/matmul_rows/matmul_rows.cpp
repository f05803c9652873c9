// SPDX-License-Identifier: Apache-2.0
// C = A x B with all three matrices in stripes of rows, one of each per process (M. J. Quinn: Parallel
// Programming in C with MPI and OpenMP, 2004, section 11.3). The stripes of B move around a ring. A process
// multiplies the columns of its stripe of A that match its current stripe of B, passes that stripe to the
// previous process and gets the next one. After p such stages it has seen all of B.
//
//   mpirun -n 4 matmul_rows 600              N = 600
//   mpirun -n 4 matmul_rows 600 unchecked    without the check, which is as slow as one process multiplying
//
// A process sends N (N - rows of the last stripe it gets) elements in p - 1 messages; all processes together
// send N^2 (p - 1). Prints whether C equals the result of a single process, and the time in seconds.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "parcast/parcast.h"

namespace {

/// The rows of process `index`; the first processes get the remainder. With more processes than rows some
/// have none.
struct Stripe {
  int begin, rows;
  Stripe(int n, int parts, int index) : begin(index * (n / parts) + std::min(index, n % parts)), rows(n / parts + (index < n % parts)) {}
};

using Entry = double (*)(int row, int column);

// Small integers, so that every order of additions gives the same sums. Their periods are coprime.
double entry_of_a(int row, int column) { return (row * 7 + column * 3) % 11 - 5; }
double entry_of_b(int row, int column) { return (row * 5 + column * 2) % 13 - 6; }

std::vector<double> filled(int n, Stripe stripe, Entry entry) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(stripe.rows) * static_cast<std::size_t>(n));
  for (int i = 0; i < stripe.rows; ++i)
    for (int j = 0; j < n; ++j) values.push_back(entry(stripe.begin + i, j));
  return values;
}

/// Computes c += (the columns of a that belong to `stripe`) x (that stripe of b). A tile of b stays in a
/// core's own cache during a pass over all rows of a, so that an operation costs the same in small and in
/// large matrices.
void multiply_add(int n, int rows, const std::vector<double>& a, const std::vector<double>& b, Stripe stripe, std::vector<double>& c) {
  constexpr int kTileRows = 32, kTileColumns = 256;  // 64 KiB
  const auto at = [n](int row, int column) { return static_cast<std::size_t>(row) * static_cast<std::size_t>(n) + static_cast<std::size_t>(column); };
  for (int first = 0; first < stripe.rows; first += kTileRows)
    for (int left = 0; left < n; left += kTileColumns) {
      const int end = std::min(first + kTileRows, stripe.rows), width = std::min(kTileColumns, n - left);
      for (int i = 0; i < rows; ++i)
        for (int k = first; k < end; ++k) {
          const double factor = a[at(i, stripe.begin + k)];
          const double* from = &b[at(k, left)];
          double* into = &c[at(i, left)];
          for (int j = 0; j < width; ++j) into[j] += factor * from[j];
        }
    }
}

/// Returns this process's stripe of C.
std::vector<double> multiply(int n, int rank, int size) {
  const Stripe own(n, size, rank);
  const auto a = filled(n, own, entry_of_a);
  auto b = filled(n, own, entry_of_b);
  std::vector<double> c(a.size()), next;
  const int before = (rank + size - 1) % size, after = (rank + 1) % size;
  for (int stage = 0; stage < size; ++stage) {
    {
      const parcast::Region region("multiply");
      multiply_add(n, own.rows, a, b, Stripe(n, size, (rank + stage) % size), c);
    }
    if (stage + 1 == size) break;
    const parcast::Region region("pass_on");
    next.resize(static_cast<std::size_t>(Stripe(n, size, (rank + stage + 1) % size).rows) * static_cast<std::size_t>(n));
    MPI_Sendrecv(b.data(), static_cast<int>(b.size()), MPI_DOUBLE, before, 0, next.data(), static_cast<int>(next.size()), MPI_DOUBLE, after, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::swap(b, next);
  }
  return c;
}

/// Returns the number of elements that differ from the definition, computed row by row without the code
/// above.
long wrong_elements(int n, int rank, int size, const std::vector<double>& c) {
  const Stripe own(n, size, rank);
  std::vector<double> row(static_cast<std::size_t>(n));
  long wrong = 0;
  for (int i = 0; i < own.rows; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] += entry_of_a(own.begin + i, k) * entry_of_b(k, j);
    for (int j = 0; j < n; ++j) wrong += row[static_cast<std::size_t>(j)] != c[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)];
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

struct Wanted {
  int n = 0;  // 0 for invalid arguments
  bool checked = true;
};

/// A message holds at most 2^31 elements; here N^2 / p elements are in one message.
Wanted wanted(int argc, char** argv) {
  if (argc != 2 && argc != 3) return {};
  char* end = nullptr;
  const long n = std::strtol(argv[1], &end, 10);
  if (!*argv[1] || *end || n < 1 || n > 40000) return {};
  if (argc == 3 && std::strcmp(argv[2], "unchecked") != 0) return {};
  return {static_cast<int>(n), argc == 2};
}

long run(const Wanted& wanted, int rank, int size, double start) {
  parcast_parameter("N", wanted.n);
  const auto c = multiply(wanted.n, rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  const long wrong = wanted.checked ? wrong_elements(wanted.n, rank, size, c) : 0;
  if (rank == 0) {
    std::printf("N %d processes %d\n", wanted.n, size);
    if (wanted.checked) std::printf("wrong %ld\n", wrong);
    std::printf("seconds %.6f\n", seconds);
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double start = MPI_Wtime();
  int rank = 0, size = 1, code = 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const Wanted asked = wanted(argc, argv);
  if (asked.n == 0) {
    if (rank == 0) std::fprintf(stderr, "usage: matmul_rows N [unchecked]   (1 <= N <= 40000)\n");
  } else {
    try {
      code = run(asked, rank, size, start) == 0 ? 0 : 1;
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "matmul_rows: rank %d has too little memory for N = %d (%s)\n", rank, asked.n, problem.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
  return code;
}
