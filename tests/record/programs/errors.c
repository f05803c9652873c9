/* SPDX-License-Identifier: Apache-2.0 */
/* Legal programs that a tool which reads arguments easily gets wrong: calls that fail and whose errors are
 * queried, arguments that are not significant, groups of unequal size, calls from callbacks. On three
 * processes. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int rank, size, wrong;
#define EXPECT(condition) ((condition) ? (void)0 : (void)(++wrong, fprintf(stderr, "line %d\n", __LINE__)))

static void failing_calls(void) {
  MPI_Comm copy;
  int x = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  EXPECT(MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, copy) != MPI_SUCCESS);
  EXPECT(MPI_Irecv(&x, 1, MPI_DATATYPE_NULL, 0, 0, copy, &request) != MPI_SUCCESS);
  EXPECT(MPI_Bcast(&x, 1, MPI_DATATYPE_NULL, 0, copy) != MPI_SUCCESS);
  EXPECT(MPI_Send(&x, 1, MPI_INT, size + 7, 0, copy) != MPI_SUCCESS);
  MPI_Comm_free(&copy);
}

/* Integers that end where the readable memory ends. */
static int* at_the_edge(int count) {
  const long page = sysconf(_SC_PAGESIZE);
  char* memory = mmap(NULL, (size_t)(2 * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + page, (size_t)page, PROT_NONE);
  return (int*)(void*)(memory + page) - count;
}

static void unequal_groups(void) {
  MPI_Comm mine, bridge;
  int in[4] = {1, 1, 1, 1}, out[4] = {0, 0, 0, 0}, members;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &mine); /* one and the rest */
  MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 3, &bridge);
  MPI_Comm_size(mine, &members);
  int* counts = at_the_edge(members);
  for (int i = 0; i < members; ++i) counts[i] = 2 / members;
  MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, bridge);
  MPI_Comm_free(&bridge);
  MPI_Comm_free(&mine);
}

static void insignificant_arguments(void) {
  int value = 5, got = -1;
  MPI_Win window;
  MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  MPI_Get_accumulate(NULL, 1, MPI_DATATYPE_NULL, &got, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_NO_OP, window);
  MPI_Win_unlock(rank, window);
#ifdef OPEN_MPI /* Debian's MPICH 4.0.2 lacks it */
  EXPECT(got == 5);
#endif
  MPI_Win_free(&window);
}

static int ask(void* state, MPI_Status* status) {
  int flag;
  (void)state;
  MPI_Pcontrol(0);
  MPI_Pcontrol(1);
  MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Request many[300];
  for (int i = 0; i < 300; ++i) many[i] = MPI_REQUEST_NULL;
  MPI_Waitall(300, many, MPI_STATUSES_IGNORE);
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int nothing(void* state) { return (void)state, MPI_SUCCESS; }
static int never(void* state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }

static void calls_from_callbacks(void) {
  MPI_Request requests[2];
  int x = -1;
  MPI_Irecv(&x, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Grequest_start(ask, nothing, never, NULL, &requests[1]);
  MPI_Send(&rank, 1, MPI_INT, rank, 4, MPI_COMM_WORLD);
  MPI_Grequest_complete(requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT(x == rank);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  failing_calls();
  unequal_groups();
  insignificant_arguments();
  calls_from_callbacks();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return wrong > 0;
}
