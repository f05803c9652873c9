/* SPDX-License-Identifier: Apache-2.0
 * When preloaded (LD_PRELOAD), this library changes a program by a known amount:
 *
 *   INJECT_MESSAGE=S   each sent message takes S seconds more of the sender's processor, before it leaves
 *   INJECT_BYTE=S      and S seconds for each of its bytes, after it has left: the processor's work on the
 *                      bytes does not delay an eager message (docs/models/message_passing.md)
 *   INJECT_REGION=NAME, INJECT_RATIO=R   computing before an MPI call in region NAME takes R times as long
 *
 * With S = 0 and R = 1 the program changes only by the cost of this library; changed runs are compared with
 * such runs. Regions are those of parcast_region_begin and _end. Added time is measured by the thread's own
 * clock, so that it does not depend on other processes (except for short times). */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kDeepest = 64 };
static double per_message = -1, per_byte = -1, ratio = 1, left_mpi; /* negative: add nothing */
static const char *slow, *open_regions[kDeepest];
static int depth;

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double used(void) { return now(CLOCK_THREAD_CPUTIME_ID); }

/* Asking for the processor's time is a system call, of half a microsecond or more; short times go by on a clock that is read without one, and are
 * hardly ever interrupted. An interrupt at the end, or the readings themselves, make one take longer than it should: the next ones are as much shorter,
 * so that the requested time is spent in all. */
enum { kShort, kLong };
static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID};
static double reading[2]; /* seconds of one reading */
static double owed;       /* seconds still to be spent */

static void time_readings(void) {
  for (int which = kShort; which <= kLong; ++which)
    for (int round = 0; round < 20; ++round) { /* the fastest round: the others were interrupted */
      enum { kReadings = 200 };
      const double start = now(CLOCK_MONOTONIC);
      for (int i = 0; i < kReadings; ++i) now(clocks[which]);
      const double each = (now(CLOCK_MONOTONIC) - start) / kReadings;
      if (round == 0 || each < reading[which]) reading[which] = each;
    }
}

static void spend(double seconds) {
  const int which = seconds < 50e-6 ? kShort : kLong;
  owed += seconds;
  if (owed < 2 * reading[which]) return;
  const double start = now(clocks[which]);
  double end = start;
  while (end - start + reading[which] < owed) end = now(clocks[which]);
  /* adds the parts of the first and last reading outside the interval */
  owed -= end - start + reading[which];
}

static double number(const char* name, double otherwise) { return getenv(name) ? atof(getenv(name)) : otherwise; }

__attribute__((constructor)) static void read_environment(void) {
  per_message = number("INJECT_MESSAGE", -1), per_byte = number("INJECT_BYTE", -1), ratio = number("INJECT_RATIO", 1);
  slow = getenv("INJECT_REGION");
  time_readings();
}

void parcast_region_begin(const char* name) {
  if (depth < kDeepest) open_regions[depth] = name;
  ++depth;
}
void parcast_region_end(void) { --depth; }

static void enter(void) {
  for (int i = 0; slow && i < depth && i < kDeepest; ++i)
    if (strcmp(open_regions[i], slow) == 0) {
      /* between the calls: the rest of one reading, and the next reading up to its time */
      spend((ratio - 1) * (used() - left_mpi - reading[kLong]));
      return;
    }
}
static void leave(void) {
  if (slow) left_mpi = used();
}

static void before_sending(int to) {
  if (to != MPI_PROC_NULL && per_message >= 0) spend(per_message);
}
static void after_sending(int count, MPI_Datatype type, int to) {
  int size = 0;
  if (to == MPI_PROC_NULL || per_byte < 0) return;
  PMPI_Type_size(type, &size);
  spend(per_byte * (double)count * size);
}

#define NOTHING (void)0
#define WRAP_BETWEEN(name, parameters, call, before, after) \
  int MPI_##name parameters {                               \
    enter();                                                \
    before;                                                 \
    const int result = call;                                \
    after;                                                  \
    leave();                                                \
    return result;                                          \
  }
#define WRAP(name, parameters, arguments, before) WRAP_BETWEEN(name, parameters, PMPI_##name arguments, before, NOTHING)
typedef const void* From;
typedef MPI_Datatype Type;
typedef MPI_Comm Comm;

WRAP(Init, (int* c, char*** v), (c, v), NOTHING)
WRAP(Finalize, (void), (), NOTHING)
WRAP_BETWEEN(Send, (From b, int n, Type t, int to, int tag, Comm c), PMPI_Send(b, n, t, to, tag, c), before_sending(to), after_sending(n, t, to))
WRAP_BETWEEN(Isend, (From b, int n, Type t, int to, int tag, Comm c, MPI_Request* r), PMPI_Isend(b, n, t, to, tag, c, r), before_sending(to), after_sending(n, t, to))
WRAP(Recv, (void* b, int n, Type t, int from, int tag, Comm c, MPI_Status* s), (b, n, t, from, tag, c, s), NOTHING)
WRAP(Irecv, (void* b, int n, Type t, int from, int tag, Comm c, MPI_Request* r), (b, n, t, from, tag, c, r), NOTHING)
static int send_and_receive(From b, int n, Type t, int to, int tag, void* into, int most, Type u, int from, int of, Comm c, MPI_Status* s) {
  if (per_byte < 0) return PMPI_Sendrecv(b, n, t, to, tag, into, most, u, from, of, c, s);
  MPI_Request receive, send;
  PMPI_Irecv(into, most, u, from, of, c, &receive);
  PMPI_Isend(b, n, t, to, tag, c, &send);
  after_sending(n, t, to);
  PMPI_Wait(&send, MPI_STATUS_IGNORE);
  return PMPI_Wait(&receive, s);
}
WRAP_BETWEEN(Sendrecv, (From b, int n, Type t, int to, int tag, void* into, int most, Type u, int from, int of, Comm c, MPI_Status* s),
             send_and_receive(b, n, t, to, tag, into, most, u, from, of, c, s), before_sending(to), NOTHING)
WRAP(Wait, (MPI_Request* r, MPI_Status* s), (r, s), NOTHING)
WRAP(Waitall, (int n, MPI_Request* r, MPI_Status* s), (n, r, s), NOTHING)
WRAP(Barrier, (Comm c), (c), NOTHING)
WRAP(Bcast, (void* b, int n, Type t, int root, Comm c), (b, n, t, root, c), NOTHING)
WRAP(Reduce, (From b, void* into, int n, Type t, MPI_Op o, int root, Comm c), (b, into, n, t, o, root, c), NOTHING)
WRAP(Allreduce, (From b, void* into, int n, Type t, MPI_Op o, Comm c), (b, into, n, t, o, c), NOTHING)
WRAP(Gather, (From b, int n, Type t, void* into, int m, Type u, int root, Comm c), (b, n, t, into, m, u, root, c), NOTHING)
WRAP(Gatherv, (From b, int n, Type t, void* into, const int* m, const int* at, Type u, int root, Comm c), (b, n, t, into, m, at, u, root, c), NOTHING)
WRAP(Allgather, (From b, int n, Type t, void* into, int m, Type u, Comm c), (b, n, t, into, m, u, c), NOTHING)
