/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_RECORDER_H
#define PARCAST_RECORD_RECORDER_H
/* What the generated wrappers call. A wrapper of MPI_Send does, in this order:
 *
 *     if (!parcast_enter(&open)) return next(...);      not recording, or MPI calls itself
 *     result = next(...);
 *     parcast_leave(&open);
 *     describe what was moved in `parts`
 *     parcast_finish(&open, &parts);
 *
 * Host first: nothing here returns an error, prints, allocates from the heap, installs a handler or holds a descriptor.
 * Until MPI_Init has returned and the library has been found to be Open MPI 4, and after a fork in the child, the gate
 * is closed and every wrapper passes straight on. */

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/mpi/clock.h"
#include "recording/call_class.h"
#include "recording/writer.h"

#define PARCAST_EXPORT __attribute__((visibility("default")))

/* A poll that found nothing, and those like it that followed at once: they are one event and a count. */
struct parcast_polls {
  const void* site; /* of the thread's last event; null when that was no such poll */
  MPI_Comm communicator;
  uint32_t call, region;
  uint32_t pending;  /* not yet written */
  uint64_t exit;     /* ticks, of the last one */
  uint64_t written;  /* ticks, when the count was last written */
};

/* One thread of the host. */
struct parcast_thread {
  struct parcast_stream stream;
  uint64_t segment_start;   /* ticks: end of the last event, where computing goes on */
  uint64_t processor_time;  /* nanoseconds on the processor ... */
  uint64_t processor_ticks; /* ... at this moment; from there on it runs with the ticks until a loss */
  uintptr_t frame;          /* of the wrapper that is open; 0 none */
  uint64_t carried;         /* nanoseconds of computing before segment_start that no event has told yet */
  bool exact_segment;       /* the next event must tell its computing time itself */
  struct parcast_polls polls;
  uint32_t region;          /* path open */
  uint32_t depth, too_deep; /* of region_stack; begins beyond its room */
  uint32_t region_stack[64];
  void* scratch;            /* statuses and requests of array calls */
  size_t scratch_bytes;
  struct parcast_thread* next_free;
};

/* A call between its entry and its event. */
struct parcast_open {
  struct parcast_thread* thread;
  uint64_t enter, exit;
  uint64_t compute; /* nanoseconds, with PARCAST_HAS_COMPUTE */
  uint64_t stolen;  /* nanoseconds, with PARCAST_HAS_STOLEN */
  uint8_t flags;
};

struct parcast_comm;

/* What a wrapper says of its call; ranks are those of the communicator. */
struct parcast_parts {
  uint32_t call;
  const void* site;
  MPI_Comm communicator; /* null: `known`; both null: none, stands for the world */
  const struct parcast_comm* known;
  uint8_t flags;         /* PARCAST_HAS_MESSAGE, _RECEIVED, _REQUEST, _CREATED */
  int sent_peer, sent_tag, received_peer, received_tag;
  uint64_t sent_bytes, received_bytes;
  uint64_t request;
  uint32_t created;
  bool own_root; /* this process is the root, MPI_ROOT */
};

struct parcast_recorder {
  struct parcast_writer writer;
  bool mpi, user;        /* classes recorded */
  bool threaded;         /* MPI_THREAD_MULTIPLE: tables are locked */
  int rank, processes;
  double overhead;       /* ticks per event */
  uint64_t poll_gap;     /* ticks: polls no further apart are one loop */
  uint64_t poll_delay;   /* ticks that their count may be held back */
};
extern struct parcast_recorder parcast_recorder;

/* 1 while recording. Lies in a page that the kernel wipes in a forked child. */
extern volatile int* parcast_gate;
extern __thread struct parcast_thread* parcast_current __attribute__((tls_model("initial-exec")));

struct parcast_thread* parcast_new_thread(void);
void parcast_lost_before(struct parcast_open* open);
void parcast_lost_inside(struct parcast_open* open);

/* Opens a call, also when no event of it is wanted: false when it is MPI's own, or nothing is recorded. */
static inline __attribute__((always_inline)) bool parcast_enter_always(struct parcast_open* open) {
  if (__builtin_expect(!*parcast_gate, 0)) return false;
  struct parcast_thread* thread = parcast_current;
  if (__builtin_expect(!thread, 0)) {
    thread = parcast_new_thread();
    if (!thread) return false;
  }
  /* A frame above the open wrapper's own means that the host left it by longjmp. */
  const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  if (__builtin_expect(thread->frame != 0 && frame < thread->frame, 0)) return false;
  thread->frame = frame;
  open->thread = thread;
  open->flags = 0;
  open->enter = parcast_ticks();
  if (__builtin_expect(thread->exact_segment || parcast_clock_lost(open->enter - thread->segment_start), 0))
    parcast_lost_before(open);
  return true;
}

/* Opens a call: false when it is not to be recorded. */
static inline __attribute__((always_inline)) bool parcast_enter(struct parcast_open* open) {
  return __builtin_expect(parcast_recorder.mpi, 1) && parcast_enter_always(open);
}

/* Tells the computing time before the call now, for a call that may get no event. */
static inline void parcast_settle(struct parcast_open* open) {
  if (!(open->flags & PARCAST_HAS_COMPUTE)) parcast_lost_before(open);
}

static inline __attribute__((always_inline)) void parcast_leave(struct parcast_open* open) {
  open->exit = open->thread->segment_start = parcast_ticks();
  if (__builtin_expect(parcast_clock_lost(open->exit - open->enter), 0)) parcast_lost_inside(open);
}

/* Writes the event; the wrapper is closed. */
void parcast_finish(struct parcast_open* open, const struct parcast_parts* parts);
/* The same for a poll that found nothing: an event, or one more of those before. */
void parcast_finish_poll(struct parcast_open* open, const struct parcast_parts* parts);
void parcast_write_polls(struct parcast_thread* thread);
/* Writes the event and leaves the wrapper open for further events of the same call. */
void parcast_write(struct parcast_open* open, const struct parcast_parts* parts);
/* No event (any more): what happened since the last one is carried to the next. The wrapper is closed. */
void parcast_finish_silent(struct parcast_open* open);
void parcast_give_up(struct parcast_open* open);
/* Counts a call that is not followed; the time in it is no computing. The wrapper is closed. */
void parcast_finish_unfollowed(struct parcast_open* open, uint32_t call);
/* Computing goes on from now: after the recorder itself took long. */
void parcast_restart_segment(struct parcast_thread* thread);

/* start.c: around MPI_Init and MPI_Finalize. */
enum parcast_phase { PARCAST_PHASE_UNKNOWN, PARCAST_PHASE_EARLY, PARCAST_PHASE_RECORDING, PARCAST_PHASE_OFF };
/* Early: PARCAST_OUT asks for a recording and MPI_Init has not returned. */
enum parcast_phase parcast_phase(void);
void parcast_before_init(void);
void parcast_after_init(uint32_t call, const void* site);
void parcast_before_finalize(const struct parcast_open* open);
void parcast_after_finalize(struct parcast_open* open, uint32_t call, const void* site);

/* Numbers of things, defined in the file on first sight. */
uint32_t parcast_site(struct parcast_thread* thread, const void* return_address);
void parcast_define_call(struct parcast_thread* thread, uint32_t call);
uint32_t parcast_region(struct parcast_thread* thread, uint32_t parent, const char* name);
void parcast_define_regions(struct parcast_thread* thread);
void parcast_define_executable(struct parcast_thread* thread);
void parcast_read_processor(struct parcast_thread* thread);

/* communicators.c */
struct parcast_comm {
  MPI_Comm handle;     /* null when freed */
  uint32_t id;
  uint32_t size;       /* of the group that ranks refer to: the remote one of an intercommunicator */
  int32_t rank;        /* in the local group */
  bool remote;
  int32_t first, stride; /* world rank of member i is first + i x stride ... */
  int32_t* ranks;        /* ... or ranks[i] when not null */
  size_t ranks_bytes;
  uint32_t outstanding;  /* requests that refer to it */
};
bool parcast_communicators_start(struct parcast_thread* thread);
/* The communicator behind a handle, seen now if never before; null when there is none or no room. */
struct parcast_comm* parcast_communicator(struct parcast_thread* thread, MPI_Comm handle);
/* A communicator just made: whatever the handle meant before is forgotten. Its number, PARCAST_NO_ID if none. */
uint32_t parcast_communicator_made(struct parcast_thread* thread, MPI_Comm handle);
void parcast_communicator_unused(struct parcast_comm* comm);
int32_t parcast_world_rank(const struct parcast_comm* comm, int rank);

/* requests.c */
enum parcast_request_kind { PARCAST_SENDS, PARCAST_RECEIVES, PARCAST_OTHER };
/* A request just started; its serial number. */
uint64_t parcast_request_started(struct parcast_thread* thread, MPI_Request request, enum parcast_request_kind kind,
                                 MPI_Comm comm);
/* A persistent request made by MPI_Send_init and its like. */
void parcast_request_prepared(struct parcast_thread* thread, MPI_Request request, enum parcast_request_kind kind,
                              MPI_Comm comm, int peer, int tag, uint64_t bytes);
/* Fills parts for the start of a persistent request. */
bool parcast_request_restarted(MPI_Request request, struct parcast_parts* parts, enum parcast_request_kind* kind);
void parcast_request_freed(MPI_Request request);
void parcast_message_matched(MPI_Message message, MPI_Comm comm);
MPI_Comm parcast_message_communicator(MPI_Message message);

/* Completions. Handles are copied before the call, which may null them. */
struct parcast_waiting {
  int count;
  MPI_Request* requests;
  MPI_Status* statuses; /* the host's, or room of ours where the host ignores them */
};
bool parcast_waiting_begin(struct parcast_open* open, struct parcast_waiting* waiting, int count,
                           const MPI_Request* requests, MPI_Status* statuses);
void parcast_completed_one(struct parcast_thread* thread, MPI_Request request, const MPI_Status* status);
void parcast_completed_all(struct parcast_thread* thread, const struct parcast_waiting* waiting, int result);
void parcast_completed_some(struct parcast_thread* thread, const struct parcast_waiting* waiting, const int* indices,
                            int count);

void parcast_lock(void);
void parcast_unlock(void);

/* A profiling function or a variable of the MPI library, or null. */
void* parcast_find(const char* name);

/* Functions of MPI that the recorder itself uses, by their profiling names. */
struct parcast_mpi {
  int (*Comm_rank)(MPI_Comm, int*);
  int (*Comm_size)(MPI_Comm, int*);
  int (*Comm_group)(MPI_Comm, MPI_Group*);
  int (*Comm_remote_group)(MPI_Comm, MPI_Group*);
  int (*Comm_test_inter)(MPI_Comm, int*);
  int (*Group_size)(MPI_Group, int*);
  int (*Group_translate_ranks)(MPI_Group, int, const int[], MPI_Group, int[]);
  int (*Group_free)(MPI_Group*);
  int (*Topo_test)(MPI_Comm, int*);
  int (*Cartdim_get)(MPI_Comm, int*);
  int (*Cart_get)(MPI_Comm, int, int[], int[], int[]);
  int (*Type_size_x)(MPI_Datatype, MPI_Count*);
  int (*Comm_create_keyval)(MPI_Comm_copy_attr_function*, MPI_Comm_delete_attr_function*, int*, void*);
  int (*Comm_set_attr)(MPI_Comm, int, void*);
  int (*Query_thread)(int*);
  MPI_Comm world, self, null_communicator;
  MPI_Request null_request;
  MPI_Message no_message;
};
extern struct parcast_mpi parcast_mpi;

static inline uint64_t parcast_bytes(int count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count <= 0 || !type || parcast_mpi.Type_size_x(type, &size) != MPI_SUCCESS || size <= 0) return 0;
  return (uint64_t)count * (uint64_t)size;
}

/* The bytes that a status tells, without a datatype: Open MPI 4 keeps them there. */
static inline uint64_t parcast_status_bytes(const MPI_Status* status) { return (uint64_t)status->_ucount; }

#endif
