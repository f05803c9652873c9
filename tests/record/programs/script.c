/* SPDX-License-Identifier: Apache-2.0 */
/* Executes the MPI calls that a script lists, and writes what the library decided:
 *
 *   script SCRIPT FOLDER
 *
 * A line of the script is RANK OPERATION ARGUMENT...; each rank executes its own lines in order.
 * FOLDER/observed-RANK has a line per operation with the numbers that depend on this run: the first word of
 * each received message (its sender wrote the message's number there), handles of requests, polls that found
 * nothing, indices of completed requests. bench/record/causality.py writes the scripts and derives the
 * expected recording from both; operations with `loop` end when no requests are left. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parcast/parcast.h"

enum { kMost = 4096, kRoom = 64 << 20, kAttached = 8 << 20 };
static MPI_Comm comms[kMost];
static struct request {
  MPI_Request handle;
  int* data;
  bool receives;
} requests[kMost];
static char* room; /* of one script's messages */
static size_t used;
static char* at; /* position in the line */
static FILE* out;
static MPI_Datatype spread; /* two integers with a gap between them */

static char* word(void) {
  while (*at == ' ') ++at;
  char* start = at;
  while (*at && *at != ' ') ++at;
  if (*at) *at++ = 0;
  return start;
}

static int number(void) { return atoi(word()); }
static MPI_Comm comm(void) { return comms[number()]; }
static void observe(long long value) { fprintf(out, " %lld", value); }

static int peer(void) {
  const int value = number();
  return value == -1 ? MPI_ANY_SOURCE : value == -2 ? MPI_PROC_NULL : value;
}

static int tag(void) {
  const int value = number();
  return value == -1 ? MPI_ANY_TAG : value;
}

static MPI_Datatype type(void) {
  switch (*word()) {
    case 'b': return MPI_BYTE;
    case 'd': return MPI_DOUBLE;
    case 'v': return spread;
    default: return MPI_INT;
  }
}

static void* take(size_t bytes) {
  bytes = (bytes + 79) / 16 * 16;
  if (used + bytes > kRoom) {
    fprintf(stderr, "script: a program needs more than %d bytes\n", kRoom);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  used += bytes;
  return room + used - bytes;
}

/* Buffer for `count` of the largest type; its first word is the message's number, or a mark for none. */
static int* message(int count, int first) {
  int* data = take((size_t)count * 12);
  data[0] = first;
  return data;
}

static struct request* open_request(bool receives) {
  struct request* request = &requests[number()];
  request->receives = receives;
  return request;
}

static void observe_handle(const struct request* request) {
  uint64_t value = 0;
  memcpy(&value, &request->handle, sizeof request->handle);
  observe((long long)value);
}

static void completed(const struct request* request) {
  if (request->receives) observe(request->data[0]);
}

/* Arguments of all sends: communicator, partner, tag, count, type. */
struct envelope {
  MPI_Comm in;
  int to, tag, count;
  MPI_Datatype type;
};

static struct envelope envelope(void) {
  struct envelope e;
  e.in = comm();
  e.to = peer();
  e.tag = tag();
  e.count = number();
  e.type = type();
  return e;
}

enum { kStandard, kSynchronous, kBuffered, kReady };

static void send(int mode) {
  static int (*const calls[])(const void*, int, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
  const struct envelope e = envelope();
  calls[mode](message(e.count, number()), e.count, e.type, e.to, e.tag, e.in);
}

typedef int start_call(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static void start_send(int mode) {
  static start_call* const calls[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
  struct request* request = open_request(false);
  const struct envelope e = envelope();
  request->data = message(e.count, number());
  calls[mode](request->data, e.count, e.type, e.to, e.tag, e.in, &request->handle);
  observe_handle(request);
}

static void send_init(int mode) {
  static start_call* const calls[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
  struct request* request = open_request(false);
  const struct envelope e = envelope();
  request->data = message(e.count, -1);
  calls[mode](request->data, e.count, e.type, e.to, e.tag, e.in, &request->handle);
  observe_handle(request);
}

static void start_receive(int persistent) {
  struct request* request = open_request(true);
  const struct envelope e = envelope();
  request->data = message(e.count, -1);
  (persistent ? MPI_Recv_init : MPI_Irecv)(request->data, e.count, e.type, e.to, e.tag, e.in, &request->handle);
  observe_handle(request);
}

static void receive(int with_status) {
  const struct envelope e = envelope();
  int* data = message(e.count, -1);
  MPI_Status status;
  MPI_Recv(data, e.count, e.type, e.to, e.tag, e.in, with_status ? &status : MPI_STATUS_IGNORE);
  observe(data[0]);
}

static void send_receive(int with_status) {
  const struct envelope s = envelope();
  int* sent = message(s.count, number());
  const struct envelope r = envelope();
  int* data = message(r.count, -1);
  MPI_Status status;
  MPI_Sendrecv(sent, s.count, s.type, s.to, s.tag, data, r.count, r.type, r.to, r.tag, s.in, with_status ? &status : MPI_STATUS_IGNORE);
  observe(data[0]);
}

static void send_receive_replace(int unused) {
  (void)unused;
  const struct envelope s = envelope();
  int* data = message(s.count, number());
  const int from = peer(), received_tag = tag();
  MPI_Sendrecv_replace(data, s.count, s.type, s.to, s.tag, from, received_tag, s.in, MPI_STATUS_IGNORE);
  observe(data[0]);
}

enum { kLoop = 1, kMatched = 2, kLater = 4 };

/* Probes for a message and receives it: by MPI_Recv, or for a matched probe by MPI_Mrecv or MPI_Imrecv. */
static void probe(int how) {
  struct request* request = how & kLater ? open_request(true) : NULL;
  const struct envelope e = envelope();
  int* data = message(e.count, -1);
  MPI_Status status;
  MPI_Message matched;
  long long polls = 0;
  if (how & kLoop) {
    for (int flag = 0; !flag; polls += !flag)
      how & kMatched ? MPI_Improbe(e.to, e.tag, e.in, &flag, &matched, &status) : MPI_Iprobe(e.to, e.tag, e.in, &flag, &status);
    observe(polls);
  } else if (how & kMatched) {
    MPI_Mprobe(e.to, e.tag, e.in, &matched, &status);
  } else {
    MPI_Probe(e.to, e.tag, e.in, &status);
  }
  if (how & kLater) {
    request->data = data;
    MPI_Imrecv(data, e.count, e.type, &matched, &request->handle);
    observe_handle(request);
    return;
  }
  if (how & kMatched) {
    MPI_Mrecv(data, e.count, e.type, &matched, &status);
  } else {
    MPI_Recv(data, e.count, e.type, status.MPI_SOURCE, status.MPI_TAG, e.in, MPI_STATUS_IGNORE);
  }
  observe(data[0]);
}

static void start(int unused) {
  (void)unused;
  struct request* request = &requests[number()];
  request->data[0] = number();
  MPI_Start(&request->handle);
  observe_handle(request);
}

static void start_all(int unused) {
  (void)unused;
  const int count = number();
  int chosen[kMost];
  MPI_Request handles[kMost];
  for (int i = 0; i < count; ++i) {
    chosen[i] = number();
    requests[chosen[i]].data[0] = number();
    handles[i] = requests[chosen[i]].handle;
  }
  MPI_Startall(count, handles);
  for (int i = 0; i < count; ++i) {
    requests[chosen[i]].handle = handles[i];
    observe_handle(&requests[chosen[i]]);
  }
}

static void free_request(int unused) {
  (void)unused;
  MPI_Request_free(&requests[number()].handle);
}

static void cancel(int unused) {
  (void)unused;
  MPI_Cancel(&requests[number()].handle);
}

static void wait_one(int with_status) {
  struct request* request = &requests[number()];
  MPI_Status status;
  MPI_Wait(&request->handle, with_status ? &status : MPI_STATUS_IGNORE);
  completed(request);
}

static void test_one(int loop) {
  struct request* request = &requests[number()];
  int flag = 0;
  long long polls = 0;
  do {
    MPI_Test(&request->handle, &flag, MPI_STATUS_IGNORE);
    polls += !flag;
  } while (loop && !flag);
  observe(polls);
  if (flag) completed(request);
}

/* Copies the requests of the line to an array, and back to their places. */
struct several {
  int count, index[kMost];
  MPI_Request handles[kMost];
};
static struct several several;

static void gather_requests(void) {
  several.count = number();
  for (int i = 0; i < several.count; ++i) {
    several.index[i] = number();
    several.handles[i] = requests[several.index[i]].handle;
  }
}

static void several_done(const int* which, int count) {
  for (int i = 0; i < several.count; ++i) requests[several.index[i]].handle = several.handles[i];
  for (int i = 0; i < count; ++i) completed(&requests[several.index[which ? which[i] : i]]);
}

/* The script defines which of them were active, so all are written. */
static void complete_all(int poll) {
  static MPI_Status statuses[kMost];
  gather_requests();
  MPI_Status* wanted = number() ? statuses : MPI_STATUSES_IGNORE;
  if (poll) {
    long long polls = 0;
    for (int flag = 0; !flag; polls += !flag) MPI_Testall(several.count, several.handles, &flag, wanted);
    observe(polls);
  } else {
    MPI_Waitall(several.count, several.handles, wanted);
  }
  for (int i = 0; i < several.count; ++i) requests[several.index[i]].handle = several.handles[i];
  for (int i = 0; i < several.count; ++i) observe(requests[several.index[i]].receives ? requests[several.index[i]].data[0] : 0);
}

enum { kOnce, kUntilNone, kPolls };

static void complete_any(int how) {
  gather_requests();
  int index, flag;
  do {
    long long polls = 0;
    MPI_Status status;
    if (how == kPolls) {
      for (flag = 0; !flag; polls += !flag) MPI_Testany(several.count, several.handles, &index, &flag, &status);
      observe(polls);
    } else {
      MPI_Waitany(several.count, several.handles, &index, MPI_STATUS_IGNORE);
    }
    observe(index == MPI_UNDEFINED ? -1 : index);
    if (index != MPI_UNDEFINED) several_done(&index, 1);
  } while (how != kOnce && index != MPI_UNDEFINED);
}

static void complete_some(int poll) {
  static MPI_Status statuses[kMost];
  static int which[kMost];
  gather_requests();
  int count;
  do {
    long long polls = 0;
    if (poll) {
      for (count = 0; count == 0; polls += count == 0) MPI_Testsome(several.count, several.handles, &count, which, statuses);
      observe(polls);
    } else {
      MPI_Waitsome(several.count, several.handles, &count, which, MPI_STATUSES_IGNORE);
    }
    observe(count == MPI_UNDEFINED ? -1 : count);
    for (int i = 0; i < (count == MPI_UNDEFINED ? 0 : count); ++i) observe(which[i]);
    if (count != MPI_UNDEFINED) several_done(which, count);
  } while (count != MPI_UNDEFINED);
}

#include "script_collectives.h"

static void compute(int unused) {
  (void)unused;
  const long nanoseconds = 1000L * number();
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < nanoseconds);
}

static void begin_region(int unused) {
  (void)unused;
  parcast_region_begin(word());
}

static void end_region(int unused) {
  (void)unused;
  parcast_region_end();
}

static void begin_program(int unused) {
  (void)unused;
  used = 0;
}

static const struct operation {
  const char* name;
  void (*run)(int);
  int how;
} operations[] = {
    {"program", begin_program, 0}, {"compute", compute, 0}, {"begin", begin_region, 0}, {"end", end_region, 0},
    {"send", send, kStandard}, {"ssend", send, kSynchronous}, {"bsend", send, kBuffered}, {"rsend", send, kReady},
    {"isend", start_send, kStandard}, {"issend", start_send, kSynchronous}, {"ibsend", start_send, kBuffered}, {"irsend", start_send, kReady},
    {"send_init", send_init, kStandard}, {"ssend_init", send_init, kSynchronous}, {"bsend_init", send_init, kBuffered},
    {"irecv", start_receive, 0}, {"recv_init", start_receive, 1}, {"recv", receive, 1}, {"recv_ignore", receive, 0},
    {"sendrecv", send_receive, 1}, {"sendrecv_ignore", send_receive, 0}, {"sendrecv_replace", send_receive_replace, 0},
    {"probe", probe, 0}, {"iprobe", probe, kLoop}, {"mprobe", probe, kMatched}, {"improbe", probe, kMatched | kLoop},
    {"mprobe_imrecv", probe, kMatched | kLater}, {"improbe_imrecv", probe, kMatched | kLoop | kLater},
    {"start", start, 0}, {"startall", start_all, 0}, {"request_free", free_request, 0}, {"cancel", cancel, 0},
    {"wait", wait_one, 1}, {"wait_ignore", wait_one, 0}, {"test", test_one, 0}, {"test_loop", test_one, 1},
    {"waitall", complete_all, 0}, {"testall_loop", complete_all, 1},
    {"waitany", complete_any, kOnce}, {"waitany_loop", complete_any, kUntilNone}, {"testany_loop", complete_any, kPolls},
    {"waitsome_loop", complete_some, 0}, {"testsome_loop", complete_some, 1},
    {"collective", collective, 0}, {"icollective", collective, 1},
    {"dup", duplicate, 0}, {"idup", duplicate, 1}, {"split", split, 0}, {"create", create, 0}, {"create_group", create, 1}, {"free", free_comm, 0},
};

static void run_line(int rank) {
  char* first = word();
  if (atoi(first) != rank) return;
  const char* name = word();
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
    if (strcmp(operations[i].name, name) != 0) continue;
    operations[i].run(operations[i].how);
    fputc('\n', out);
    return;
  }
  fprintf(stderr, "script: no operation is named %s\n", name);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char path[4096], *line = NULL;
  size_t size = 0;
  snprintf(path, sizeof path, "%s/observed-%d", argc == 3 ? argv[2] : "", rank);
  FILE* script = argc == 3 ? fopen(argv[1], "r") : NULL;
  out = fopen(path, "w");
  if (out) setvbuf(out, NULL, _IOLBF, BUFSIZ); /* notes are on disk even if the process is killed */
  room = malloc(kRoom);
  void* attached = malloc(kAttached);
  if (!script || !out || !room || !attached) {
    fprintf(stderr, "usage: script SCRIPT FOLDER, both readable\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  comms[0] = MPI_COMM_WORLD;
  for (int i = 0; i < kMost; ++i) requests[i].handle = MPI_REQUEST_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  MPI_Buffer_attach(attached, kAttached);
  while (getline(&line, &size, script) > 0) {
    line[strcspn(line, "\n")] = 0;
    at = line;
    run_line(rank);
  }
  int attached_size;
  MPI_Buffer_detach(&attached, &attached_size);
  MPI_Type_free(&spread);
  fclose(out);
  MPI_Finalize();
  return 0;
}
