/* SPDX-License-Identifier: Apache-2.0 */
/* The same computing on every rank, whatever their number, in rounds of two phases: as many ranks as cores, one on each
 * (dedicated), and all ranks; who is not in a phase sleeps. Pieces of a phase are tiny (a few microseconds, ended by small
 * messages around a ring), short (about 30 us) or long (about 6 ms, more than a time slice); a call that only this phase
 * makes ends each of them, so that a recording distinguishes them. Around each piece there is a yardstick: the same arithmetic
 * on half a kilobyte, which shows how fast the core is just now (ended by MPI_Sendrecv with itself, tags 10 to 15). Around
 * long pieces it lasts long itself: what a core does first after a long piece is a little slower.
 *   fidelity BYTES ROUNDS [tiny]     working set of a rank
 * Rank 0 prints, for each phase, length and round, the plain wall clock: call, round, median in nanoseconds over
 * the pieces of all ranks that took part; and at the end "seconds" and how long all rounds took. fidelity.py runs it
 * under the recorder and compares. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kPhases = 2, kLengths = 3, kMostPieces = 400 };
static const int kPieces[kLengths] = {kMostPieces, 100, 16};
static const char* const kCalls[kPhases][kLengths] = {{"MPI_Sendrecv:0", "MPI_Allgather", "MPI_Scan"},
                                                      {"MPI_Sendrecv:1", "MPI_Alltoall", "MPI_Barrier"}};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

struct work {
  double* data;
  size_t words, at;
};

/* Continues through the working set where the last piece ended. */
static __attribute__((noinline)) void compute(struct work* work, size_t steps) {
  for (size_t done = 0; done < steps;) {
    const size_t left = work->words - work->at, part = steps - done < left ? steps - done : left;
    double* const d = work->data + work->at;
    for (size_t i = 0; i < part; ++i) d[i] = d[i] * 0.999 + 1e-3;
    done += part;
    work->at = (work->at + part) % work->words;
  }
}

/* Sends a word to itself. */
#define NOTE(tag) MPI_Sendrecv(buffer, 1, MPI_INT, 0, tag, buffer + 4096, 1, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE)
/* Called from a separate place in the program: the recorder classifies the following computing by the
 * place. */
#define NOTE_FROM_HERE(place)                 \
  case place:                                 \
    NOTE(10 + (place));                       \
    __asm__ volatile("# %0" : : "i"(place));  \
    break

static void yardstick(int phase, int length, int* buffer) {
  /* few words, so that fetching them again after each call costs nothing */
  enum { kWords = 64, kSteps = 32768, kLong = 8 };
  static double few[kWords];
  struct work work = {few, kWords, 0};
  compute(&work, kWords);
  NOTE(9);
  compute(&work, length == kLengths - 1 ? kLong * kSteps : kSteps);
  switch (phase * kLengths + length) {
    NOTE_FROM_HERE(0);
    NOTE_FROM_HERE(1);
    NOTE_FROM_HERE(2);
    NOTE_FROM_HERE(3);
    NOTE_FROM_HERE(4);
    NOTE_FROM_HERE(5);
  }
}

static void pass_around(int phase, MPI_Comm comm, int* buffer) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv(buffer, 2, MPI_INT, (rank + 1) % size, phase, buffer + 4096, 2, MPI_INT, (rank + size - 1) % size, phase, comm,
               MPI_STATUS_IGNORE);
}

/* The call that ends a piece. */
static void meet(int phase, int length, MPI_Comm comm, int* buffer) {
  int one = 1;
  switch (length == 0 ? -1 : phase * 2 + length - 1) {
    case -1: pass_around(phase, comm, buffer); break;
    case 0: MPI_Allgather(&one, 1, MPI_INT, buffer, 1, MPI_INT, comm); break;
    case 1: MPI_Scan(&one, buffer, 1, MPI_INT, MPI_SUM, comm); break;
    case 2: MPI_Alltoall(buffer, 1, MPI_INT, buffer + 4096, 1, MPI_INT, comm); break;
    default: MPI_Barrier(comm);
  }
}

/* Waits for all ranks without using a core that others need: with more ranks, each sleeps longer. */
static void sleep_until_all_are_here(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const struct timespec pause = {0, 1000000 + size / 4 * 1000000};
  MPI_Request request;
  int done = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done) nanosleep(&pause, NULL);
}

/* The cores that were allowed at the start. */
static cpu_set_t allowed;

/* In the first phase each rank runs on its own core, in the second on any. */
static void move(int phase, int rank) {
  cpu_set_t wanted = allowed;
  if (phase == 0) {
    int core = 0;
    for (int before = rank; core < CPU_SETSIZE - 1; ++core)
      if (CPU_ISSET(core, &allowed) && before-- == 0) break;
    CPU_ZERO(&wanted);
    CPU_SET(core, &wanted);
  }
  sched_setaffinity(0, sizeof wanted, &wanted);
}

static void report(const char* call, int round, const double* each, int number, MPI_Comm comm) {
  int size, rank;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  const int count = number * size;
  double* all = rank == 0 ? malloc(sizeof(double) * (size_t)count) : NULL;
  MPI_Gather(each, number, MPI_DOUBLE, all, number, MPI_DOUBLE, 0, comm);
  if (rank != 0) return;
  qsort(all, (size_t)count, sizeof *all, ascending);
  printf("%s %d %.0f\n", call, round, all[count / 2]);
  free(all);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  struct work work = {.words = (size_t)strtoull(argv[1], NULL, 10) / sizeof(double)};
  const int rounds = atoi(argv[2]), tiny = argc > 3 && strcmp(argv[3], "tiny") == 0;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  const int cores = CPU_COUNT(&allowed), ranks[kPhases] = {size < cores ? size : cores, size};
  work.data = malloc(work.words * sizeof *work.data);
  for (size_t i = 0; i < work.words; ++i) work.data[i] = (double)i;
  const size_t piece = work.words < 1000000 ? 65536 : 24576; /* 30 us in the caches, and out of memory */
  const size_t steps[kLengths] = {piece / 12, piece, 200 * piece};
  compute(&work, 4 * work.words);
  int* buffer = calloc(8192, sizeof *buffer);
  MPI_Comm comms[kPhases];
  for (int phase = 0; phase < kPhases; ++phase)
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks[phase] ? 0 : MPI_UNDEFINED, rank, &comms[phase]);
  const double began = now();
  for (int round = 0; round < rounds; ++round)
    for (int phase = 0; phase < kPhases; ++phase) {
      sleep_until_all_are_here();
      if (rank >= ranks[phase]) continue;
      move(phase, rank);
      for (int length = tiny ? 0 : 1; length < (tiny ? 1 : kLengths); ++length) {
        double each[kMostPieces];
        yardstick(phase, length, buffer);
        for (int i = 0; i < kPieces[length]; ++i) {
          const double start = now();
          compute(&work, steps[length]);
          each[i] = now() - start;
          meet(phase, length, comms[phase], buffer);
          yardstick(phase, length, buffer);
        }
        report(kCalls[phase][length], round, each, kPieces[length], comms[phase]);
      }
    }
  sleep_until_all_are_here();
  if (rank == 0) printf("seconds 0 %.9f\n", (now() - began) * 1e-9);
  MPI_Finalize();
  return 0;
}
