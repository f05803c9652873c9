/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_THREAD_MULTIPLE with threads that are cancelled as soon as they run. `null`: MPI calls that return
 * at once, and regions. Neither has a cancellation point, so every thread completes all rounds. `self`: real
 * messages, likewise under Open MPI. `blocked`: threads disable cancellation except at the host's own
 * cancellation point, where each of them ends. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "parcast/parcast.h"

enum { kThreads = 20, kRounds = 500 };
static volatile int done;
static int with_messages;

static void send_to_self(void) {
  char out[8] = "", in[8];
  MPI_Request request;
  MPI_Isend(out, 8, MPI_CHAR, 0, 5, MPI_COMM_SELF, &request);
  MPI_Recv(in, 8, MPI_CHAR, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void* rounds(void* name) {
  for (int i = 0; i < kRounds; ++i) {
    parcast_region_begin(name);
    MPI_Send(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (with_messages) send_to_self();
    parcast_region_end();
    ++done;
  }
  return NULL;
}

static void* rounds_until_cancelled(void* name) {
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  rounds(name);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  for (;;) pthread_testcancel();
}

int main(int argc, char** argv) {
  int provided, cancelled = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 77;
  with_messages = strcmp(argv[1], "self") == 0;
  for (int i = 0; i < kThreads; ++i) {
    char name[32];
    snprintf(name, sizeof name, "thread %d", i);
    pthread_t thread;
    void* result;
    pthread_create(&thread, NULL, strcmp(argv[1], "blocked") == 0 ? rounds_until_cancelled : rounds, name);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    cancelled += result == PTHREAD_CANCELED;
  }
  printf("%d rounds, %d of %d threads cancelled\n", done, cancelled, kThreads);
  MPI_Finalize();
  return 0;
}
