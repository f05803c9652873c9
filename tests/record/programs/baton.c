/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that compute for milliseconds between calls, and one that misbehaves while it holds the token:
 *   baton WHAT EXECUTIONS      plain, beside, flags, stops, loops, dies, threads, forks, tests, targets
 * Rank 0 prints the sum over all. Every rank that has the tokens' memory mapped prints its path and "tokens"
 * on stderr, and "together" for each execution of `beside` that overlaps with one of another rank. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static volatile int* flags; /* of all ranks, in shared memory */
static double sum;

static void compute(double milliseconds) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const double end = t.tv_sec * 1e3 + t.tv_nsec * 1e-6 + milliseconds;
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (t.tv_sec * 1e3 + t.tv_nsec * 1e-6 < end);
  sum += rank + 1;
}

static void share_flags(MPI_Win* window) {
  int* own;
  MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)sizeof(int) * size * 16 : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, window);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(*window, 0, &bytes, &unit, &own);
  flags = own;
  if (rank == 0) memset(own, 0, sizeof(int) * (size_t)size * 16);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A rank sets its flag on entry; two ranks inside at the same time see each other's flags. */
static void compute_beside(void) {
  int others = 0;
  flags[16 * rank + 1] = 1;
  for (int piece = 0; piece < 50; ++piece) {
    compute(0.1);
    for (int r = 0; r < size; ++r) others += r != rank && flags[16 * r + 1];
  }
  flags[16 * rank + 1] = 0;
  if (others) fputs("together\n", stderr);
}

static void say_whether_there_are_tokens(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[4096];
  while (maps && fgets(line, sizeof line, maps))
    if (strstr(line, "/dev/shm/parcast-")) {
      fprintf(stderr, "%stokens\n", strchr(line, '/'));
      break;
    }
  if (maps) fclose(maps);
}

static void wake_later(void) {
  const pid_t parent = getpid();
  if (fork() != 0) return;
  const struct timespec pause = {0, 300000000};
  nanosleep(&pause, NULL);
  kill(parent, SIGCONT);
  _exit(0);
}

static void* compute_alone(void* unused) {
  for (int i = 0; i < 5; ++i) compute(1);
  return unused;
}

static void fork_and_wait(void) {
  const pid_t child = fork();
  if (child == 0) {
    compute(2);
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) != 7) abort();
}

/* Rank 0 lets rank 1 wait for its flag without a call of MPI, while rank 1 must compute first. */
static void exchange_flags(int i) {
  if (rank == 1) {
    MPI_Barrier(MPI_COMM_SELF);
    compute(1);
    flags[16] = i + 1;
  }
  while (rank == 0 && flags[16] < i + 1) {
  }
}

static void misbehave(const char* what, int i, MPI_Win window) {
  if (strcmp(what, "beside") == 0) compute_beside();
  if (strcmp(what, "flags") == 0) exchange_flags(i);
  if (strcmp(what, "stops") == 0 && rank == 1 && i % 10 == 5) {
    wake_later();
    raise(SIGSTOP);
  }
  if (strcmp(what, "loops") == 0 && rank == 1 && i == 5)
    while (flags[0] == 0) {
    }
  if (strcmp(what, "dies") == 0 && rank == 1 && i == 20) raise(SIGKILL);
  if (strcmp(what, "forks") == 0 && rank == 1) fork_and_wait();
  if (strcmp(what, "threads") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, compute_alone, NULL);
    pthread_join(thread, NULL);
  }
  if (strcmp(what, "tests") == 0) {
    MPI_Request request;
    int done = 0;
    for (MPI_Ibarrier(MPI_COMM_WORLD, &request); !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  if (strcmp(what, "targets") == 0 && rank > 0) {
    int got = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "plain";
  const int executions = argc > 2 ? atoi(argv[2]) : 30;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win window, plain_window;
  share_flags(&window);
  static int target;
  MPI_Win_create(&target, sizeof target, sizeof target, MPI_INFO_NULL, MPI_COMM_WORLD, &plain_window);
  say_whether_there_are_tokens();
  for (int i = 0; i < executions; ++i) {
    compute(1);
    misbehave(what, i, plain_window);
    if (strcmp(what, "loops") == 0 && i == 5) {
      MPI_Request request; /* all but rank 1 compute for a while before they complete it */
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
      for (int more = 0; rank != 1 && more < 20; ++more) {
        MPI_Barrier(MPI_COMM_SELF);
        compute(1);
      }
      if (rank == 0) flags[0] = 1;
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  double all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.0f\n", all);
  MPI_Win_free(&plain_window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
