/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian elimination of a dense, diagonally dominant system, which needs no pivoting. Row i belongs to
 * process i mod p. At step k the owner broadcasts the rest of row k, and all eliminate their rows below it.
 * Back substitution broadcasts each unknown when its owner has computed it.
 *
 *   mpirun -n 4 gauss 600          N = 600 unknowns
 *
 * Prints the largest residual and the time in seconds. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "parcast/parcast.h"

/* Entry (i, j) of the matrix, the same on every process: noise in [-1, 1) and a dominant diagonal. */
static double entry(int n, int i, int j) {
  uint64_t x = ((uint64_t)i << 32 | (uint32_t)j) * 0x9e3779b97f4a7c15ull;
  x ^= x >> 29, x *= 0xbf58476d1ce4e5b9ull, x ^= x >> 32;
  return (double)(x >> 11) * 0x1p-52 - 1 + (i == j ? n : 0);
}

/* Own rows of `width` = n + 1 values: the matrix and the right-hand side (the matrix times all ones, plus
 * i). */
static void fill(double* rows, int n, int first, int stride) {
  const int width = n + 1;
  for (int i = first, at = 0; i < n; i += stride, ++at) {
    for (int j = 0; j < n; ++j) rows[(size_t)at * width + j] = entry(n, i, j);
    rows[(size_t)at * width + n] = i + 1;
  }
}

static void eliminate(double* rows, double* pivot, int n, int rank, int size) {
  const int width = n + 1;
  for (int k = 0; k < n; ++k) {
    const int left = width - k, owner = k % size;
    double* source = owner == rank ? rows + (size_t)(k / size) * width + k : pivot;
    MPI_Bcast(source, left, MPI_DOUBLE, owner, MPI_COMM_WORLD);
    const int next = k + 1 <= rank ? 0 : (k - rank) / size + 1; /* first own row below k */
    for (int i = next * size + rank, at = next; i < n; i += size, ++at) {
      double* row = rows + (size_t)at * width + k;
      const double factor = row[0] / source[0];
      for (int j = 1; j < left; ++j) row[j] -= factor * source[j];
    }
  }
}

static void substitute(double* rows, double* x, int n, int rank, int size) {
  const int width = n + 1;
  for (int k = n - 1; k >= 0; --k) {
    const int owner = k % size;
    if (owner == rank) {
      const double* row = rows + (size_t)(k / size) * width;
      x[k] = row[n] / row[k];
    }
    MPI_Bcast(&x[k], 1, MPI_DOUBLE, owner, MPI_COMM_WORLD);
    for (int i = rank, at = 0; i < k; i += size, ++at)
      rows[(size_t)at * width + n] -= rows[(size_t)at * width + k] * x[k];
  }
}

static double residual(const double* x, int n, int rank, int size) {
  double worst = 0;
  for (int i = rank; i < n; i += size) {
    double sum = -(i + 1);
    for (int j = 0; j < n; ++j) sum += entry(n, i, j) * x[j];
    worst = fmax(worst, fabs(sum));
  }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

int main(int argc, char** argv) {
  int rank, size, code = 0;
  MPI_Init(&argc, &argv);
  const double start = MPI_Wtime();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char* end = NULL;
  const long n = argc == 2 ? strtol(argv[1], &end, 10) : 0;
  if (n < 1 || n > 100000 || *end) {
    if (rank == 0) fprintf(stderr, "usage: gauss N   (1 <= N <= 100000)\n");
    MPI_Finalize();
    return 2;
  }
  parcast_parameter("N", (double)n);
  const size_t own = (size_t)(n / size + 1);
  double* rows = malloc(own * (size_t)(n + 1) * sizeof *rows);
  double* pivot = malloc((size_t)(n + 1) * sizeof *pivot);
  double* x = malloc((size_t)n * sizeof *x);
  if (!rows || !pivot || !x) {
    fprintf(stderr, "gauss: rank %d has too little memory for N = %ld\n", rank, n);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fill(rows, (int)n, rank, size);
  parcast_region_begin("eliminate");
  eliminate(rows, pivot, (int)n, rank, size);
  parcast_region_end();
  parcast_region_begin("substitute");
  substitute(rows, x, (int)n, rank, size);
  parcast_region_end();
  const double worst = residual(x, (int)n, rank, size);
  if (!(worst < 1e-6 * (double)n)) code = 1;
  if (rank == 0)
    printf("N %ld processes %d\nresidual %.1e\nseconds %.6f\n", n, size, worst, MPI_Wtime() - start);
  free(rows), free(pivot), free(x);
  MPI_Finalize();
  return code;
}
