/* SPDX-License-Identifier: Apache-2.0 */
/* Phases in all ways that programs mark them, with MPI (WITH_MPI) and without.
 *
 *     phases plain | many N | names N | mistakes | thread | fork [die] | regions N
 *     phases uses | elsewhere | short | uses die     passes the kernel's resource use of phases as operations
 *     phases crowded   marks phases on a core that two other processes use too; passes the nanoseconds of its
 *                      computing as operations of the last phase
 *     phases endless FILE        marks phase after phase, and writes their number to FILE, until it is killed
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef WITH_MPI
#include <mpi.h>
static void begin(int* argc, char*** argv) { MPI_Init(argc, argv); }
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void end(void) { MPI_Finalize(); }
#else
static void begin(int* argc, char*** argv) { (void)argc, (void)argv; }
static void barrier(void) {}
static void end(void) {}
#endif

#include "parcast/parcast.h"

static double work(int rounds) {
  volatile double sum = 0;
  for (int i = 0; i < rounds; ++i) sum += 1.0 / (i + 1);
  return sum;
}

static void plain(void) {
  const struct parcast_value values[] = {{"n", 150}, {"steps", 3}};
  parcast_probe_begin(values, 2);
  for (int i = 0; i < 3; ++i) {
    work(1000);
    parcast_phase("multiply", PARCAST_COMPUTE, 100, 10);
    barrier();
    parcast_phase("shift", PARCAST_COMMUNICATE, 0, 20);
    parcast_phase(NULL, PARCAST_IDLE, 0, 0);
  }
}

static void many(long count) {
  parcast_probe_begin(NULL, 0);
  for (long i = 0; i < count; ++i) parcast_phase(i % 2 ? "odd" : "even", i % 3 ? PARCAST_COMPUTE : PARCAST_IDLE, (double)i, 1);
}

static void names(long count) {
  parcast_probe_begin(NULL, 0);
  for (long i = 0; i < count; ++i) {
    char name[32];
    snprintf(name, sizeof name, "step %ld", i);
    parcast_phase(name, PARCAST_COMPUTE, 1, (double)i);
  }
}

static void mistakes(void) {
  parcast_probe_begin(NULL, 0);
  parcast_probe_begin(NULL, 0);
  for (int i = 0; i < 3; ++i) {
    errno = 7;
    parcast_phase("below", PARCAST_COMPUTE, -1, 5);
    parcast_phase("none", PARCAST_COMPUTE, 5, NAN);
    parcast_phase("endless", PARCAST_COMPUTE, INFINITY, 5);
    parcast_phase("odd", (enum parcast_phase_kind)9, 1, 1);
    if (errno != 7) puts("errno was changed");
  }
  parcast_phase("good", PARCAST_COMMUNICATE, 1, 2);
}

static void* other(void* data) {
  for (int i = 0; i < 5; ++i) parcast_phase("elsewhere", PARCAST_COMPUTE, 1, 1);
  return data;
}

static void thread(void) {
  parcast_probe_begin(NULL, 0);
  parcast_phase("here", PARCAST_COMPUTE, 1, 1);
  pthread_t started;
  pthread_create(&started, NULL, other, NULL);
  pthread_join(started, NULL);
  parcast_phase("here", PARCAST_COMPUTE, 1, 1);
}

static void fork_off(bool then_die) {
  parcast_probe_begin(NULL, 0);
  parcast_phase("before", PARCAST_COMPUTE, 1, 1);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    parcast_phase("child", PARCAST_COMPUTE, 1, 1);
    exit(0); /* runs destructors, which must not touch the parent's file */
  }
  waitpid(child, NULL, 0);
  parcast_phase("after", PARCAST_COMPUTE, 1, 1);
  if (then_die) raise(SIGKILL);
}

static void regions(long count) {
  parcast_probe_begin(NULL, 0);
  for (long i = 0; i < count; ++i) {
    parcast_region_begin("step");
    work(10);
    parcast_phase("multiply", PARCAST_COMPUTE, 1, 1);
    barrier();
    parcast_region_end();
  }
}

static struct rusage of_thread(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) != 0) exit(9);
  return usage;
}

/* Computes for some milliseconds on any machine. */
static void spin(int milliseconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    work(1000);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < milliseconds);
}

/* Causes a page fault for each page of the default size. */
static long touch(long pages) {
  const size_t size = (size_t)sysconf(_SC_PAGESIZE);
  const long before = of_thread().ru_minflt;
  char* memory = mmap(NULL, (size_t)pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(9);
  madvise(memory, (size_t)pages * size, MADV_NOHUGEPAGE);
  for (long i = 0; i < pages; ++i) memory[(size_t)i * size] = 1;
  munmap(memory, (size_t)pages * size);
  return of_thread().ru_minflt - before;
}

static long nap(int times) {
  const struct timespec millisecond = {0, 1000000};
  const long before = of_thread().ru_nvcsw;
  for (int i = 0; i < times; ++i) nanosleep(&millisecond, NULL);
  return of_thread().ru_nvcsw - before;
}

static void* uses(void* data) {
  parcast_probe_begin(NULL, 0);
  for (int i = 0; i < 2; ++i) { /* in the second round all tables are warm */
    spin(2);
    parcast_phase("begin", PARCAST_COMPUTE, 0, 0);
  }
  for (int i = 0; i < 3; ++i) {
    const long faults = touch(3000);
    parcast_phase("touch", PARCAST_COMPUTE, (double)faults, 3000);
    spin(2);
    parcast_phase("spin", PARCAST_COMPUTE, 0, 0);
    const long waits = nap(20);
    parcast_phase("nap", PARCAST_IDLE, (double)waits, 20);
  }
  return data;
}

static void elsewhere(void) {
  pthread_t started;
  pthread_create(&started, NULL, uses, NULL);
  pthread_join(started, NULL);
}

/* A short phase between long ones, repeatedly. */
static void in_short_phases(void) {
  parcast_probe_begin(NULL, 0);
  for (int i = 0; i < 20; ++i) {
    spin(2);
    parcast_phase("long", PARCAST_COMPUTE, 0, 0);
    touch(8);
    parcast_phase("short", PARCAST_COMPUTE, 8, 0);
  }
  spin(2);
  parcast_phase("long", PARCAST_COMPUTE, 0, 0);
}

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* Most of the time is in marks, so most of the time off the processor is, too. */
static void crowded(void) {
  enum { kRounds = 50000 };
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) exit(9);
  pid_t others[2];
  for (int i = 0; i < 2; ++i) {
    others[i] = fork();
    if (others[i] == 0)
      for (;;) work(1000);
  }
  const double before = processor_time();
  for (int i = 0; i < kRounds; ++i) work(100);
  const double computing = processor_time() - before;
  barrier();
  parcast_probe_begin(NULL, 0);
  for (int i = 0; i < kRounds; ++i) {
    work(100);
    for (int k = 0; k < 5; ++k) parcast_phase("step", PARCAST_COMPUTE, 0, 0);
  }
  barrier();
  parcast_phase("all", PARCAST_COMPUTE, computing, 0);
  for (int i = 0; i < 2; ++i) {
    kill(others[i], SIGKILL);
    waitpid(others[i], NULL, 0);
  }
}

static void endless(const char* path) {
  const int file = open(path, O_RDWR);
  volatile uint64_t* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED) exit(9);
  parcast_probe_begin(NULL, 0);
  for (uint64_t i = 1;; ++i) {
    parcast_phase("step", PARCAST_COMPUTE, (double)i, 0);
    *shared = i;
  }
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "plain";
  if (strcmp(way, "mistakes") == 0) parcast_phase("early", PARCAST_COMPUTE, 1, 1);
  begin(&argc, &argv);
  if (strcmp(way, "plain") == 0) plain();
  if (strcmp(way, "many") == 0) many(atol(argv[2]));
  if (strcmp(way, "names") == 0) names(atol(argv[2]));
  if (strcmp(way, "mistakes") == 0) mistakes();
  if (strcmp(way, "thread") == 0) thread();
  if (strcmp(way, "fork") == 0) fork_off(argc > 2);
  if (strcmp(way, "regions") == 0) regions(atol(argv[2]));
  if (strcmp(way, "uses") == 0) uses(NULL);
  if (strcmp(way, "elsewhere") == 0) elsewhere();
  if (strcmp(way, "short") == 0) in_short_phases();
  if (strcmp(way, "uses") == 0 && argc > 2) raise(SIGKILL);
  if (strcmp(way, "crowded") == 0) crowded();
  if (strcmp(way, "endless") == 0) endless(argv[2]);
  puts("done");
  end();
  return 4;
}
