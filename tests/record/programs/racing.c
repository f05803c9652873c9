/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_THREAD_MULTIPLE: threads that do everything at once, each with itself as its partner, so that one
 * process suffices:
 *   racing [ROUNDS]
 * Intended for the thread sanitizer: all threads access the recorder's shared tables and files for the first
 * time at the same time, repeatedly. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "parcast/parcast.h"

enum { kThreads = 4 };
static int rounds;
static pthread_barrier_t together;
static MPI_Comm own[kThreads];

/* Separate sites, used for the first time by all threads at once. */
#define CALLS_HERE(comm, id)                                                       \
  do {                                                                             \
    int out_ = (id), in_ = -1;                                                     \
    MPI_Sendrecv(&out_, 1, MPI_INT, 0, (id), &in_, 1, MPI_INT, 0, (id), comm, MPI_STATUS_IGNORE); \
    if (in_ != (id)) abort();                                                      \
  } while (0)

static void requests(MPI_Comm comm, int id, int i) {
  int out = i, in = -1, done = 0;
  MPI_Request request[2];
  MPI_Irecv(&in, 1, MPI_INT, 0, id, comm, &request[0]);
  while (i % 64 == 0 && done < 20) MPI_Test(&request[0], &(int){0}, MPI_STATUS_IGNORE), ++done;
  MPI_Isend(&out, 1, MPI_INT, 0, id, comm, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  if (in != i) abort();
}

static void persistent(MPI_Comm comm, int id) {
  int out = id, in = -1;
  MPI_Request request[2];
  MPI_Recv_init(&in, 1, MPI_INT, 0, id, comm, &request[0]);
  MPI_Send_init(&out, 1, MPI_INT, 0, id, comm, &request[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, request);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&request[0]);
  MPI_Request_free(&request[1]);
}

/* Only one thread at a time may derive a communicator from another. */
static void communicators(int id) {
  MPI_Comm made;
  MPI_Comm_dup(own[id], &made);
  CALLS_HERE(made, id);
  MPI_Comm_free(&made);
}

static void names(int id, int i) {
  char name[32];
  snprintf(name, sizeof name, "step %d", i % 50);
  parcast_region_begin(name);
  parcast_region_begin(id % 2 ? "odd" : "even");
  CALLS_HERE(MPI_COMM_SELF, id);
  parcast_region_end();
  parcast_region_end();
  parcast_parameter(name, i);
}

static void* work(void* argument) {
  const int id = (int)(long)argument;
  pthread_barrier_wait(&together);
  CALLS_HERE(MPI_COMM_SELF, id);
  for (int i = 0; i < rounds; ++i) {
    requests(MPI_COMM_SELF, id, i);
    if (i % 100 == 0) names(id, i / 100);
    if (i % 500 == 0) persistent(MPI_COMM_SELF, id);
    if (i % 500 == 250 && id == 0) parcast_classes(i % 1000 == 250 ? "mpi" : "mpi,user,memory");
    if (i % 1000 == 0) communicators(id);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  rounds = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 77;
  pthread_barrier_init(&together, NULL, kThreads);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_SELF, &own[i]);
  for (int round = 0; round < 2; ++round) {
    pthread_t threads[kThreads];
    for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  }
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&own[i]);
  MPI_Finalize();
  puts("done");
  return 0;
}
