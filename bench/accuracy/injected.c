/* SPDX-License-Identifier: Apache-2.0
 * Loaded before a program (LD_PRELOAD), it changes the program by a known amount:
 *
 *   INJECT_MESSAGE=S   each message that the program sends takes S seconds more of its processor, before it leaves
 *   INJECT_BYTE=S      and S seconds for each of its bytes
 *   INJECT_REGION=NAME, INJECT_RATIO=R   computing before a call of MPI that lies in region NAME takes R times as long
 *
 * Regions are those of parcast_region_begin and _end. Time goes by on the thread's own clock, so that what is added does not depend on who else runs. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kDeepest = 64 };
static double per_message, per_byte, ratio = 1, left_mpi;
static const char *slow, *open_regions[kDeepest];
static int depth;

static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void spend(double seconds) {
  const double until = used() + seconds;
  while (used() < until) {}
}

static double number(const char* name, double otherwise) { return getenv(name) ? atof(getenv(name)) : otherwise; }

__attribute__((constructor)) static void read_environment(void) {
  per_message = number("INJECT_MESSAGE", 0), per_byte = number("INJECT_BYTE", 0), ratio = number("INJECT_RATIO", 1);
  slow = getenv("INJECT_REGION");
}

void parcast_region_begin(const char* name) {
  if (depth < kDeepest) open_regions[depth] = name;
  ++depth;
}
void parcast_region_end(void) { --depth; }

static void enter(void) {
  for (int i = 0; slow && i < depth && i < kDeepest; ++i)
    if (strcmp(open_regions[i], slow) == 0) {
      spend((ratio - 1) * (used() - left_mpi));
      return;
    }
}
static void leave(void) { left_mpi = used(); }

static void send_of(int count, MPI_Datatype type, int to) {
  int size = 0;
  if (to == MPI_PROC_NULL || (per_message == 0 && per_byte == 0)) return;
  PMPI_Type_size(type, &size);
  spend(per_message + per_byte * (double)count * size);
}

#define WRAP(name, parameters, arguments, before) \
  int MPI_##name parameters {                     \
    enter();                                      \
    before;                                       \
    const int result = PMPI_##name arguments;     \
    leave();                                      \
    return result;                                \
  }
#define NOTHING (void)0
typedef const void* From;
typedef MPI_Datatype Type;
typedef MPI_Comm Comm;

WRAP(Init, (int* c, char*** v), (c, v), NOTHING)
WRAP(Finalize, (void), (), NOTHING)
WRAP(Send, (From b, int n, Type t, int to, int tag, Comm c), (b, n, t, to, tag, c), send_of(n, t, to))
WRAP(Isend, (From b, int n, Type t, int to, int tag, Comm c, MPI_Request* r), (b, n, t, to, tag, c, r), send_of(n, t, to))
WRAP(Recv, (void* b, int n, Type t, int from, int tag, Comm c, MPI_Status* s), (b, n, t, from, tag, c, s), NOTHING)
WRAP(Irecv, (void* b, int n, Type t, int from, int tag, Comm c, MPI_Request* r), (b, n, t, from, tag, c, r), NOTHING)
WRAP(Sendrecv, (From b, int n, Type t, int to, int tag, void* into, int most, Type u, int from, int of, Comm c, MPI_Status* s), (b, n, t, to, tag, into, most, u, from, of, c, s),
     send_of(n, t, to))
WRAP(Wait, (MPI_Request* r, MPI_Status* s), (r, s), NOTHING)
WRAP(Waitall, (int n, MPI_Request* r, MPI_Status* s), (n, r, s), NOTHING)
WRAP(Barrier, (Comm c), (c), NOTHING)
WRAP(Bcast, (void* b, int n, Type t, int root, Comm c), (b, n, t, root, c), NOTHING)
WRAP(Reduce, (From b, void* into, int n, Type t, MPI_Op o, int root, Comm c), (b, into, n, t, o, root, c), NOTHING)
WRAP(Allreduce, (From b, void* into, int n, Type t, MPI_Op o, Comm c), (b, into, n, t, o, c), NOTHING)
WRAP(Gather, (From b, int n, Type t, void* into, int m, Type u, int root, Comm c), (b, n, t, into, m, u, root, c), NOTHING)
WRAP(Gatherv, (From b, int n, Type t, void* into, const int* m, const int* at, Type u, int root, Comm c), (b, n, t, into, m, at, u, root, c), NOTHING)
WRAP(Allgather, (From b, int n, Type t, void* into, int m, Type u, Comm c), (b, n, t, into, m, u, c), NOTHING)
