/* SPDX-License-Identifier: Apache-2.0 */
/* Regions with known resource use. Each prints what the kernel reports to the program between the marks:
 *   usage touch|functions|naps|calls|thread|switched|killed */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "parcast/parcast.h"

enum { kPages = 8192, kPage = 4096 };

static struct rusage now(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

static void tell(const char* region, const struct rusage* before) {
  const struct rusage after = now();
  printf("%s faults=%ld waits=%ld grown=%ld\n", region, after.ru_minflt - before->ru_minflt, after.ru_nvcsw - before->ru_nvcsw,
         (after.ru_maxrss - before->ru_maxrss) * 1024);
  fflush(stdout);
}

/* Touches each page once, which gives known numbers of faults and of bytes. */
static void touch(int pages) {
  char* memory = mmap(NULL, (size_t)pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, (size_t)pages * kPage, MADV_NOHUGEPAGE);
  for (int i = 0; i < pages; ++i) memory[(size_t)i * kPage] = 1;
}

static void pause_for(long nanoseconds) {
  const struct timespec length = {0, nanoseconds};
  nanosleep(&length, NULL);
}

/* Longer than the interval between samples, so that the next region begins with a sample. */
static void stay_a_while(void) {
  const double end = MPI_Wtime() + 1e-3;
  while (MPI_Wtime() < end) {
  }
}

static void touch_in_region(const char* name, int pages) {
  parcast_region_begin(name);
  const struct rusage before = now();
  touch(pages);
  stay_a_while();
  tell(name, &before);
  parcast_region_end();
}

/* Between two events of the function, so that their path contains it. */
static __attribute__((noinline)) void touch_in_function(const char* name, int pages) {
  MPI_Barrier(MPI_COMM_SELF);
  const struct rusage before = now();
  touch(pages);
  stay_a_while();
  tell(name, &before);
  MPI_Barrier(MPI_COMM_SELF);
}

static __attribute__((noinline)) void one(void) {
  touch_in_function("one", kPages);
  stay_a_while();
}

static __attribute__((noinline)) void other(void) {
  touch_in_function("other", kPages / 2);
  stay_a_while();
}

static void* in_thread(void* unused) {
  parcast_region_begin("thread");
  stay_a_while();
  parcast_region_end();
  touch_in_region("thread", kPages / 4);
  return unused;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const char* what = argc > 1 ? argv[1] : "touch";
  stay_a_while();
  parcast_region_begin("work");
  stay_a_while();
  if (strcmp(what, "touch") == 0) {
    touch_in_region("first", kPages);
    stay_a_while();
    touch_in_region("second", kPages / 2);
  } else if (strcmp(what, "functions") == 0) {
    one();
    other();
  } else if (strcmp(what, "naps") == 0) {
    parcast_region_begin("naps");
    const struct rusage before = now();
    for (int i = 0; i < 40; ++i) pause_for(2000000);
    tell("naps", &before);
    parcast_region_end();
  } else if (strcmp(what, "calls") == 0) {
    parcast_region_begin("calls");
    const struct rusage before = now();
    for (int i = 0; i < 300000; ++i) MPI_Barrier(MPI_COMM_SELF);
    tell("calls", &before);
    parcast_region_end();
  } else if (strcmp(what, "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
  } else if (strcmp(what, "switched") == 0) {
    parcast_classes("mpi,user");
    touch_in_region("off", kPages);
    parcast_classes("mpi,user,memory");
    touch_in_region("on", kPages / 2);
  } else {
    touch_in_region("first", kPages);
    parcast_region_begin("last");
    raise(SIGKILL);
  }
  stay_a_while();
  parcast_region_end();
  MPI_Finalize();
  return 0;
}
