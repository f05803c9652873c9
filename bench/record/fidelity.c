/* SPDX-License-Identifier: Apache-2.0 */
/* The same computing again and again on every rank, whatever their number: pieces of about 30 us, each ended by an
 * MPI_Allreduce, and of about 5 ms, each ended by an MPI_Barrier. Rank 0 prints what plain wall clock says of them:
 *   fidelity BYTES SHORT LONG     working set of a rank, pieces of either kind
 *   kind, number, median and mean in nanoseconds, over all ranks
 * fidelity.py runs it under the recorder and compares. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static size_t at, words;
static double* data;

/* Goes on through the working set where the last piece ended. */
static void compute(size_t steps) {
  for (size_t done = 0; done < steps;) {
    const size_t left = words - at, part = steps - done < left ? steps - done : left;
    double* const d = data + at;
    for (size_t i = 0; i < part; ++i) d[i] = d[i] * 0.999 + 1e-3;
    done += part;
    at = (at + part) % words;
  }
}

static void report(const char* kind, double* each, int number, int size, int rank) {
  double* all = rank == 0 ? malloc(sizeof(double) * (size_t)number * (size_t)size) : NULL;
  MPI_Gather(each, number, MPI_DOUBLE, all, number, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  const int count = number * size;
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += all[i];
  qsort(all, (size_t)count, sizeof *all, ascending);
  printf("%s %d %.0f %.0f\n", kind, count, all[count / 2], sum / count);
  free(all);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  words = (size_t)strtoull(argv[1], NULL, 10) / sizeof(double);
  const int shorts = atoi(argv[2]), longs = atoi(argv[3]);
  data = malloc(words * sizeof *data);
  for (size_t i = 0; i < words; ++i) data[i] = (double)i;
  const size_t piece = words < 65536 ? 65536 : 24576; /* 30 us in the first caches, and out of memory */
  compute(4 * words);
  double *shorter = malloc(sizeof(double) * (size_t)shorts), *longer = malloc(sizeof(double) * (size_t)longs);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < shorts; ++i) {
    int one = 1, all;
    const double start = now();
    compute(piece);
    shorter[i] = now() - start;
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Bcast(data, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* parts the two: what follows is of no kind */
  for (int i = 0; i < longs; ++i) {
    const double start = now();
    compute(150 * piece);
    longer[i] = now() - start;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  report("MPI_Allreduce", shorter, shorts, size, rank);
  report("MPI_Barrier", longer, longs, size, rank);
  MPI_Finalize();
  return 0;
}
