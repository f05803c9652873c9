/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how much more a recorded call costs than an unrecorded one. Prints the quartiles over batches and
 * the mean (of processor time, which other processes do not disturb) of the time per call, in nanoseconds.
 * The calls are one that does nothing (a send to no one) and one that does little (a test). event_cost.sh
 * runs it alone and under the recorder, and subtracts. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kBatches = 10001, kCalls = 100 };

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void send_to_no_one(void) { MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); }

static void test_nothing(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  int flag;
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void exchange_with_self(void) {
  static char out[8], in[8];
  MPI_Sendrecv(out, 8, MPI_CHAR, 0, 1, in, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void measure(const char* name, void (*call)(void)) {
  static double each[kBatches];
  const double began = now(CLOCK_PROCESS_CPUTIME_ID);
  for (int batch = 0; batch < kBatches; ++batch) {
    const double start = now(CLOCK_MONOTONIC);
    for (int i = 0; i < kCalls; ++i) call();
    each[batch] = (now(CLOCK_MONOTONIC) - start) / kCalls;
  }
  const double mean = (now(CLOCK_PROCESS_CPUTIME_ID) - began) / kBatches / kCalls;
  qsort(each, kBatches, sizeof *each, ascending);
  printf("%s %.1f %.1f %.1f %.1f\n", name, each[kBatches / 4], each[kBatches / 2], each[kBatches * 3 / 4], mean);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  measure("send-to-no-one", send_to_no_one);
  measure("test-nothing", test_nothing);
  measure("exchange-with-self", exchange_with_self);
  MPI_Finalize();
  return 0;
}
