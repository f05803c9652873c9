/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_RECORDER_H
#define PARCAST_RECORD_RECORDER_H
/* The recorder apart from MPI's own types, which differ between the families of libraries: a handle is a number here, and
 * what depends on mpi.h stands in family/, compiled once with each family's header. A wrapper of MPI_Send does, in this
 * order:
 *
 *     if (!parcast_enter(&open)) return next(...);      not recording, or MPI calls itself
 *     result = next(...);
 *     parcast_leave(&open);
 *     describe what was moved in `parts`
 *     parcast_finish(&open, &parts);
 *
 * Host first: nothing here returns an error, prints, allocates from the heap, installs a handler or holds a descriptor.
 * Until MPI_Init has returned and the library is known, no wrapper is ever entered (entry.h); after a fork in the child
 * the gate is closed, and every wrapper passes straight on. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/mpi/baton.h"
#include "record/mpi/clock.h"
#include "record/mpi/entry.h"
#include "record/mpi/stack.h"
#include "record/mpi/usage.h"
#include "recording/call_class.h"
#include "recording/writer.h"

/* A handle of MPI: Open MPI's pointers, MPICH's integers. 0 is none in either. */
typedef uint64_t parcast_handle;

/* A poll that found nothing, and those like it that followed soon: they are one event and a count. What a loop of polls computes
 * in between is told as if it came after them. */
struct parcast_polls {
  const void* site; /* of the thread's last event; null when that was no such poll */
  parcast_handle communicator;
  uint32_t call, region;
  uint32_t pending;  /* not yet written */
  bool counted;      /* there were some that are no events */
  uint64_t exit;     /* ticks, of the last one */
  uint64_t end;      /* ticks: the first one's entry and all the time in them, less what the recorder took */
  uint64_t computed; /* ticks of computing between them */
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
  bool tracked;             /* the segment under way is one of the baton's */
  bool silent;              /* the open call is of a class that is switched off: it leaves no event */
  struct parcast_polls polls;
  struct parcast_usage_state usage;
  uint32_t region;          /* path open */
  uint32_t depth, too_deep; /* of region_stack; begins beyond its room */
  uint32_t region_stack[64];
  struct parcast_stack* stack; /* null until a path on the stack was asked for */
  parcast_handle seen_handle; /* the communicator of the last event ... */
  struct parcast_comm* seen;
  uint32_t seen_generation;   /* ... as long as none was freed since */
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
  parcast_handle communicator; /* 0: `known`; neither: none, stands for the world */
  const struct parcast_comm* known;
  uint8_t flags;         /* PARCAST_HAS_MESSAGE, _RECEIVED, _REQUEST, _CREATED */
  int sent_peer, sent_tag, received_peer, received_tag;
  uint64_t sent_bytes, received_bytes;
  uint64_t request;
  uint32_t created;
  bool own_root; /* this process is the root, MPI_ROOT */
};

/* Peers, the request and what was made are not looked at unless a flag announces them. */
static inline __attribute__((always_inline)) void parcast_describe(struct parcast_parts* parts, uint32_t call, const void* site) {
  parts->call = call;
  parts->site = site;
  parts->communicator = 0;
  parts->known = NULL;
  parts->flags = 0;
  parts->own_root = false;
  parts->sent_tag = parts->received_tag = 0;
  parts->sent_bytes = parts->received_bytes = 0;
}

enum parcast_recorded_class { PARCAST_RECORD_MPI = 1, PARCAST_RECORD_IO = 2, PARCAST_RECORD_USER = 4, PARCAST_RECORD_MEMORY = 8 };

struct parcast_recorder {
  struct parcast_writer writer;
  unsigned classes;      /* recorded now: parcast_recorded_class */
  unsigned wanted;       /* recorded unless the program says otherwise */
  bool threaded;         /* MPI_THREAD_MULTIPLE: tables are locked */
  bool alone;            /* a program without MPI */
  int rank, processes;
  double overhead;       /* ticks per event */
  uint64_t between_polls; /* ticks that the recorder takes for a poll it only counts: after it and before the next one, ... */
  uint64_t in_poll;       /* ... and between its entry and exit */
  uint64_t poll_gap;     /* ticks: polls no further apart are one loop */
  uint64_t poll_turn;    /* ticks: further apart, the loop computes */
  uint64_t poll_delay;   /* ticks that their count may be held back */
};
extern struct parcast_recorder parcast_recorder;

/* 1 while recording. Lies in a page that the kernel wipes in a forked child. */
extern volatile int* parcast_gate;
extern __thread struct parcast_thread* parcast_current __attribute__((tls_model("initial-exec")));

struct parcast_thread* parcast_new_thread(void);
void parcast_lost_before(struct parcast_open* open);
void parcast_lost_inside(struct parcast_open* open);
void parcast_silence(struct parcast_open* open);

static inline bool parcast_records(enum parcast_recorded_class what) {
  return __atomic_load_n(&parcast_recorder.classes, __ATOMIC_RELAXED) & what;
}

/* Opens a call: false when it is MPI's own, or nothing is recorded. A call of a class that is switched off is opened too,
 * since the time in it is no computing, and leaves no event. */
static inline __attribute__((always_inline)) bool parcast_enter(struct parcast_open* open, enum parcast_recorded_class what) {
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
  if (__builtin_expect(thread->tracked, 0)) parcast_baton_end(open);
  thread->silent = false;
  if (__builtin_expect(!parcast_records(what), 0)) parcast_silence(open);
  return true;
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

/* regions.c: the thread's state while something is recorded and no wrapper is open; callbacks of MPI call from inside of one. */
struct parcast_thread* parcast_outside_mpi(void);

/* start.c: MPI_Init and MPI_Finalize. */
enum parcast_stage { PARCAST_STAGE_UNKNOWN, PARCAST_STAGE_EARLY, PARCAST_STAGE_RECORDING, PARCAST_STAGE_OFF };
/* Early: PARCAST_OUT asks for a recording and MPI_Init has not returned. */
enum parcast_stage parcast_stage(void);
/* alone.c: where no MPI is loaded, the recording of one process begins now; nothing otherwise. */
void parcast_start_alone(void);
/* At every call of the region API that may be a program's first. */
static inline void parcast_first_call(void) {
  if (__builtin_expect(!*parcast_gate, 0)) parcast_start_alone();
}
/* The classes of a list; all of an empty one. */
unsigned parcast_classes_in(const char* list);
/* From now on these are recorded; the call that says so is an event itself. */
void parcast_switch_classes(unsigned classes, uint32_t call, const void* site);
int parcast_entry_MPI_Init(int* argc, char*** argv);
int parcast_entry_PMPI_Init(int* argc, char*** argv);
int parcast_entry_MPI_Init_thread(int* argc, char*** argv, int wanted, int* got);
int parcast_entry_PMPI_Init_thread(int* argc, char*** argv, int wanted, int* got);
/* What an event costs between one call's exit and the next one's entry, for parcast_recorder.overhead, and what a counted poll does: overhead.c. */
void parcast_measure_overhead(struct parcast_thread* thread, const struct parcast_parts* parts);
void parcast_before_finalize(const struct parcast_open* open);
void parcast_after_finalize(struct parcast_open* open, uint32_t call, const void* site);

/* Numbers of things, defined in the file on first sight. */
uint32_t parcast_site(struct parcast_thread* thread, const void* return_address);
void parcast_define_call(struct parcast_thread* thread, uint32_t call);
uint32_t parcast_region(struct parcast_thread* thread, uint32_t parent, const char* name);
/* The region of the functions, outermost first, below the region `under`: what they have in common with the functions that
 * stand in its path is not there twice. */
uint32_t parcast_region_of(struct parcast_thread* thread, uint32_t under, const struct parcast_function* functions, uint32_t count);
/* The module that an address lies in, defined in the file; false when it lies in none. */
struct parcast_in_module {
  uint32_t module;
  uintptr_t base;
  const char* name;
  struct parcast_unwind_table table;
};
bool parcast_find_module(struct parcast_thread* thread, uintptr_t address, struct parcast_in_module* in);
void parcast_define_regions(struct parcast_thread* thread);
void parcast_define_executable(struct parcast_thread* thread);
void parcast_read_processor(struct parcast_thread* thread);

/* communicators.c */
struct parcast_comm {
  parcast_handle handle; /* 0 when freed */
  uint32_t id;
  uint32_t size;       /* of the group that ranks refer to: the remote one of an intercommunicator */
  int32_t rank;        /* in the local group */
  bool remote;
  uint32_t local_size;  /* of the local group */
  int32_t first, stride; /* world rank of member i is first + i x stride ... */
  int32_t* ranks;        /* ... or ranks[i] when not null */
  size_t ranks_bytes;
  uint32_t outstanding;  /* requests that refer to it */
  uint32_t windows;      /* that were made of it */
};
bool parcast_communicators_start(struct parcast_thread* thread);
/* The communicator behind a handle, seen now if never before; null when there is none or no room. */
struct parcast_comm* parcast_communicator(struct parcast_thread* thread, parcast_handle handle);
/* The communicator behind a handle when it was seen before: MPI is not asked. */
const struct parcast_comm* parcast_communicator_seen(parcast_handle handle);
/* A communicator just made: whatever the handle meant before is forgotten. Its number, PARCAST_NO_ID if none. */
uint32_t parcast_communicator_made(struct parcast_thread* thread, parcast_handle handle);
/* MPI is about to free it: called by the family. */
void parcast_communicator_freed(parcast_handle handle);
void parcast_communicator_unused(struct parcast_comm* comm);
int32_t parcast_world_rank(const struct parcast_comm* comm, int rank);

/* Communicators of windows and files. */
enum parcast_holder { PARCAST_WINDOW, PARCAST_FILE, PARCAST_HOLDERS };
void parcast_holder_made(struct parcast_thread* thread, enum parcast_holder kind, parcast_handle holder, parcast_handle comm);
/* Null when it was never seen. */
const struct parcast_comm* parcast_holder_communicator(enum parcast_holder kind, parcast_handle holder);
void parcast_holder_gone(enum parcast_holder kind, parcast_handle holder);
/* 1 + how many windows were made of its communicator before it (modulo 65,536), which all members count alike; 0: not known. */
int parcast_window_number(parcast_handle window);

/* shares.c: bytes per partner of a collective. */
struct parcast_share_list {
  struct parcast_thread* thread;
  struct parcast_share* shares;
  uint32_t count;
};
/* Room for that many partners; false without. The thread's scratch holds the list until parcast_shares_end. */
bool parcast_shares_begin(struct parcast_share_list* list, struct parcast_thread* thread, uint32_t partners);
void parcast_shares_add(struct parcast_share_list* list, int32_t partner, uint64_t bytes);
/* The list's number in the file; 0 when it is empty or finds no room. */
uint32_t parcast_shares_end(struct parcast_share_list* list);

/* requests.c */
enum parcast_request_kind {
  PARCAST_SENDS,
  PARCAST_SENDS_BUFFERED,    /* these two are told apart where a persistent send is started: its call does not name them */
  PARCAST_SENDS_SYNCHRONOUS,
  PARCAST_RECEIVES,
  PARCAST_OTHER
};
static inline bool parcast_sends(enum parcast_request_kind kind) { return kind <= PARCAST_SENDS_SYNCHRONOUS; }
/* A request just started; its serial number. */
uint64_t parcast_request_started(struct parcast_thread* thread, parcast_handle request, enum parcast_request_kind kind,
                                 parcast_handle comm);
/* A persistent request made by MPI_Send_init and its like. */
void parcast_request_prepared(struct parcast_thread* thread, parcast_handle request, enum parcast_request_kind kind,
                              parcast_handle comm, int peer, int tag, uint64_t bytes);
/* MPI_Start gave a persistent request another handle. */
void parcast_request_renamed(parcast_handle before, parcast_handle now);
/* Fills parts for the start of a persistent request. */
bool parcast_request_restarted(parcast_handle request, struct parcast_parts* parts, enum parcast_request_kind* kind);
void parcast_request_freed(parcast_handle request);
/* The serial number of the active request behind a handle; 0 where there is none. */
uint64_t parcast_request_serial(parcast_handle request);
void parcast_message_matched(parcast_handle message, parcast_handle comm);
parcast_handle parcast_message_communicator(parcast_handle message);
/* At least that much memory of the thread's own, kept between calls; null without room. */
void* parcast_scratch(struct parcast_thread* thread, size_t bytes);

/* Completions gathered for the thread's next event, written as records in front of it. */
enum { PARCAST_BATCH = 64 };
struct parcast_batch {
  struct parcast_thread* thread;
  struct parcast_completions head;
  struct parcast_completion items[PARCAST_BATCH];
};
/* What a status says; source below 0: nothing was received. */
struct parcast_arrival {
  int source, tag;
  uint64_t bytes;
  bool cancelled;
};
void parcast_batch_begin(struct parcast_batch* batch, struct parcast_thread* thread);
void parcast_batch_add(struct parcast_batch* batch, parcast_handle request, const struct parcast_arrival* arrival);
void parcast_batch_end(struct parcast_batch* batch);

void parcast_lock(void);
void parcast_unlock(void);


#endif
