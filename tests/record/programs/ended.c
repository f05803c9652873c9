/* SPDX-License-Identifier: Apache-2.0 */
/* Two ranks end in a way that a replay must not report as a deadlock: ended
 * cancelled|freed|buffered|synchronous|threads|off */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kBytes = 1 << 20 };
static int other;

/* Receives and sends without a partner; then an ordinary exchange. */
static void cancel(int freed) {
  int sent = 1, got = 0, room = 0;
  MPI_Request request;
  MPI_Irecv(&room, 1, MPI_INT, other, 7, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  if (freed) MPI_Request_free(&request);
  else MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&sent, 1, MPI_INT, other, 7, &got, 1, MPI_INT, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Both send a megabyte before they receive, which a buffer allows. */
static void send_buffered(char* from, char* to) {
  int room = 2 * kBytes;
  char* buffer = malloc((size_t)room);
  MPI_Request request;
  MPI_Buffer_attach(buffer, room);
  MPI_Bsend_init(from, kBytes, MPI_CHAR, other, 1, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Recv(to, kBytes, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Buffer_detach(&buffer, &room);
  free(buffer);
}

static void send_synchronously(char* from, char* to) {
  MPI_Request requests[2];
  MPI_Ssend_init(from, 8, MPI_CHAR, other, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(from, 8, MPI_CHAR, other, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  for (int tag = 1; tag <= 2; ++tag) MPI_Recv(to, 8, MPI_CHAR, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
}

static void* listen(void* argument) {
  int got;
  MPI_Recv(&got, 1, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return argument;
}

static void wait_in_a_thread(void) {
  pthread_t thread;
  int sent = 1;
  pthread_create(&thread, NULL, listen, NULL);
  usleep(20000);
  MPI_Send(&sent, 1, MPI_INT, other, 5, MPI_COMM_WORLD);
  pthread_join(thread, NULL);
}

static void switch_off(int rank) {
  int value = 1;
  if (rank == 0) {
    MPI_Pcontrol(0);
    MPI_Send(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    MPI_Pcontrol(1);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int count, char** words) {
  const char* way = count > 1 ? words[1] : "";
  static char from[kBytes], to[kBytes];
  int rank, provided;
  MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  if (!strcmp(way, "cancelled") || !strcmp(way, "freed")) cancel(!strcmp(way, "freed"));
  if (!strcmp(way, "buffered")) send_buffered(from, to);
  if (!strcmp(way, "synchronous")) send_synchronously(from, to);
  if (!strcmp(way, "threads")) wait_in_a_thread();
  if (!strcmp(way, "off")) switch_off(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
