/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_THREAD_MULTIPLE: every thread of a rank exchanges COUNT messages with the same thread of the other
 * rank. Each thread then creates and frees communicators of its own rank. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 4 };
static int rank, size, count;

static void* work(void* argument) {
  const int id = (int)(long)argument;
  const int partner = rank ^ 1;
  for (int i = 0; i < count; ++i) {
    int out = i, in = -1;
    MPI_Request request[2];
    MPI_Irecv(&in, 1, MPI_INT, partner, id, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&out, 1, MPI_INT, partner, id, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    if (in != i) abort();
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  count = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 77;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 2; ++round) {
    pthread_t threads[kThreads];
    for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
