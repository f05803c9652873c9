/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_RECORDER_H
#define PARCAST_RECORD_RECORDER_H
/* The part of the recorder that does not use MPI's own types, which differ between families of libraries.
 * A handle is a number here; code that depends on mpi.h is in family/, compiled once with each family's
 * header. A wrapper of MPI_Send does, in this order:
 *
 *     if (!parcast_enter(&open)) return next(...);      not recording, or MPI calls itself
 *     result = next(...);
 *     parcast_leave(&open);
 *     describe what was moved in `parts`
 *     parcast_finish(&open, &parts);
 *
 * The program comes first: nothing here returns an error, prints, allocates from the heap, installs a
 * handler or keeps a descriptor open. No wrapper is entered until MPI_Init has returned and the library is
 * known (entry.h). In a forked child the gate is closed, and every wrapper calls the original directly. */

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

/* A handle of MPI: a pointer of Open MPI, an integer of MPICH. 0 is no handle in either. */
typedef uint64_t parcast_handle;

/* An unsuccessful poll and similar polls that follow soon: they become one event and a count. Computing in
 * a loop of polls is recorded as if it came after the polls. */
struct parcast_polls {
  const void* site; /* place of the thread's last event; null when that was no such poll */
  parcast_handle communicator;
  uint32_t call, region;
  uint32_t pending; /* number of polls not yet written */
  bool counted;     /* some polls were only counted */
  uint64_t exit;    /* ticks: exit of the last poll */
  /* ticks: entry of the first poll plus all time in polls, without the recorder's own time */
  uint64_t end;
  uint64_t computed; /* ticks of computing between the polls */
  uint64_t written;  /* ticks: when the count was last written */
};

/* State of one thread of the program. */
struct parcast_thread {
  struct parcast_stream stream;
  uint64_t segment_start;  /* ticks: end of the last event, where computing continues */
  uint64_t processor_time; /* nanoseconds on the processor at processor_ticks */
  /* ticks of that reading; until a loss, processor time advances with the ticks */
  uint64_t processor_ticks;
  uintptr_t frame; /* frame of the open wrapper; 0: none */
  /* ticks and nanoseconds of computing before segment_start that are not yet in an event */
  uint64_t carried_ticks;
  uint64_t carried;
  uint64_t last_carried_ticks; /* of the last event that had carried ones, or exact computing */
  bool exact_segment;          /* the next event must contain its computing time */
  bool tracked;                /* the baton tracks the current segment */
  /* the open call's class is switched off: it leaves no event */
  bool silent;
  struct parcast_polls polls;
  struct parcast_usage_state usage;
  uint32_t region; /* current path */
  /* entries of region_stack; regions begun beyond its room */
  uint32_t depth, too_deep;
  uint32_t region_stack[64];
  struct parcast_stack* stack; /* null until a path on the stack was requested */
  parcast_handle seen_handle;  /* communicator of the last event */
  struct parcast_comm* seen;
  uint32_t seen_generation; /* valid while no communicator was freed since */
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

/* Report of a wrapper about its call; ranks are those of the communicator. */
struct parcast_parts {
  uint32_t call;
  const void* site;
  /* 0: `known`; if that is null too: none, written as the world */
  parcast_handle communicator;
  const struct parcast_comm* known;
  uint8_t flags; /* PARCAST_HAS_MESSAGE, _RECEIVED, _REQUEST, _CREATED */
  int sent_peer, sent_tag, received_peer, received_tag;
  uint64_t sent_bytes, received_bytes;
  uint64_t request;
  uint32_t created;
  bool own_root; /* this process is the root (MPI_ROOT) */
};

/* Initialises the parts. Peers, request and created communicator are only read if a flag announces them. */
static inline __attribute__((always_inline)) void parcast_describe(struct parcast_parts* parts, uint32_t call,
                                                                   const void* site) {
  parts->call = call;
  parts->site = site;
  parts->communicator = 0;
  parts->known = NULL;
  parts->flags = 0;
  parts->own_root = false;
  parts->sent_tag = parts->received_tag = 0;
  parts->sent_bytes = parts->received_bytes = 0;
}

enum parcast_recorded_class {
  PARCAST_RECORD_MPI = 1,
  PARCAST_RECORD_IO = 2,
  PARCAST_RECORD_USER = 4,
  PARCAST_RECORD_MEMORY = 8
};

struct parcast_recorder {
  struct parcast_writer writer;
  unsigned classes; /* classes recorded now: parcast_recorded_class */
  unsigned wanted;  /* classes recorded unless the program switches them off */
  bool threaded;    /* MPI_THREAD_MULTIPLE: tables need locks */
  bool alone;       /* a program without MPI */
  int rank, processes;
  double overhead; /* ticks per event */
  /* ticks that the recorder takes for a counted poll, between its exit and the next entry */
  uint64_t between_polls;
  uint64_t in_poll;    /* ticks that it takes between entry and exit of a counted poll */
  uint64_t poll_gap;   /* ticks: polls closer than this belong to one loop */
  uint64_t poll_turn;  /* ticks: at longer distances the loop computes */
  uint64_t poll_delay; /* ticks that a count may be held back */
};
extern struct parcast_recorder parcast_recorder;

/* 1 while recording. It is in a page that the kernel clears in a forked child. */
extern volatile int* parcast_gate;
extern __thread struct parcast_thread* parcast_current __attribute__((tls_model("initial-exec")));

struct parcast_thread* parcast_new_thread(void);
void parcast_lost_before(struct parcast_open* open);
void parcast_lost_inside(struct parcast_open* open);
void parcast_silence(struct parcast_open* open);

static inline bool parcast_records(enum parcast_recorded_class what) {
  return __atomic_load_n(&parcast_recorder.classes, __ATOMIC_RELAXED) & what;
}

/* Opens a call. Returns false when MPI itself makes the call, or nothing is recorded. A call of a class
 * that is switched off is opened too, since the time in it is no computing; it leaves no event. */
static inline __attribute__((always_inline)) bool parcast_enter(struct parcast_open* open,
                                                                enum parcast_recorded_class what) {
  if (__builtin_expect(!*parcast_gate, 0)) return false;
  struct parcast_thread* thread = parcast_current;
  if (__builtin_expect(!thread, 0)) {
    thread = parcast_new_thread();
    if (!thread) return false;
  }
  /* A frame above the open wrapper's frame means that the program left that wrapper by longjmp. */
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

/* Computes the computing time before the call now, for a call that may get no event. */
static inline void parcast_settle(struct parcast_open* open) {
  if (!(open->flags & PARCAST_HAS_COMPUTE)) parcast_lost_before(open);
}

static inline __attribute__((always_inline)) void parcast_leave(struct parcast_open* open) {
  open->exit = open->thread->segment_start = parcast_ticks();
  if (__builtin_expect(parcast_clock_lost(open->exit - open->enter), 0)) parcast_lost_inside(open);
}

/* Writes the event and closes the wrapper. */
void parcast_finish(struct parcast_open* open, const struct parcast_parts* parts);
/* Same, for an unsuccessful poll: writes an event, or counts it with the previous ones. */
void parcast_finish_poll(struct parcast_open* open, const struct parcast_parts* parts);
void parcast_write_polls(struct parcast_thread* thread);
/* Writes the event and leaves the wrapper open for further events of the same call. */
void parcast_write(struct parcast_open* open, const struct parcast_parts* parts);
/* Close the wrapper without an event, or without a further event. Computing since the last event is added
 * to the next one. */
void parcast_finish_silent(struct parcast_open* open);
void parcast_give_up(struct parcast_open* open);
/* Counts a call that is not recorded as an event and closes the wrapper. The time in it is no computing. */
void parcast_finish_unfollowed(struct parcast_open* open, uint32_t call);
/* Restarts the computing segment now, after the recorder itself took long. */
void parcast_restart_segment(struct parcast_thread* thread);

/* regions.c: returns the thread's state while something is recorded and no wrapper is open. MPI runs its
 * callbacks inside an open wrapper. */
struct parcast_thread* parcast_outside_mpi(void);

/* start.c: MPI_Init and MPI_Finalize. */
enum parcast_stage { PARCAST_STAGE_UNKNOWN, PARCAST_STAGE_EARLY, PARCAST_STAGE_RECORDING, PARCAST_STAGE_OFF };
/* EARLY: PARCAST_OUT requests a recording and MPI_Init has not returned. */
enum parcast_stage parcast_stage(void);
/* alone.c: if no MPI is loaded, begins the recording of a single process; otherwise does nothing. */
void parcast_start_alone(void);
/* Called at every call of the region API that may be a program's first. */
static inline void parcast_first_call(void) {
  if (__builtin_expect(!*parcast_gate, 0)) parcast_start_alone();
}
/* Returns the classes in a list; all classes for an empty list. */
unsigned parcast_classes_in(const char* list);
/* Records only these classes from now on; the call that requests it becomes an event itself. */
void parcast_switch_classes(unsigned classes, uint32_t call, const void* site);
int parcast_entry_MPI_Init(int* argc, char*** argv);
int parcast_entry_PMPI_Init(int* argc, char*** argv);
int parcast_entry_MPI_Init_thread(int* argc, char*** argv, int wanted, int* got);
int parcast_entry_PMPI_Init_thread(int* argc, char*** argv, int wanted, int* got);
/* Measures the cost of an event between one call's exit and the next one's entry (for
 * parcast_recorder.overhead), and the cost of a counted poll: overhead.c. */
void parcast_measure_overhead(struct parcast_thread* thread, const struct parcast_parts* parts);
void parcast_before_finalize(const struct parcast_open* open);
void parcast_after_finalize(struct parcast_open* open, uint32_t call, const void* site);

/* These return numbers of things and write their definitions to the file on first use. */
uint32_t parcast_site(struct parcast_thread* thread, const void* return_address);
void parcast_define_call(struct parcast_thread* thread, uint32_t call);
uint32_t parcast_region(struct parcast_thread* thread, uint32_t parent, const char* name);
/* Returns the region of the functions, outermost first, inside the region `under`. Functions that are
 * already in the path of `under` are not repeated. */
uint32_t parcast_region_of(struct parcast_thread* thread, uint32_t under,
                           const struct parcast_function* functions, uint32_t count);
/* Finds the module that contains an address and defines it in the file; returns false when there is none. */
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
/* Between these two calls the thread works for the recorder: that time is left out of the segment, on the
 * processor and off it. */
struct parcast_pause {
  uint64_t ticks;
  bool lost; /* the segment so far is carried */
};
struct parcast_pause parcast_pause_segment(struct parcast_thread* thread);
void parcast_resume_segment(struct parcast_thread* thread, const struct parcast_pause* pause);

/* communicators.c */
struct parcast_comm {
  parcast_handle handle; /* 0 when freed */
  uint32_t id;
  /* of the group that ranks refer to: the remote group of an intercommunicator */
  uint32_t size;
  int32_t rank; /* own rank in the local group */
  bool remote;
  uint32_t local_size;   /* of the local group */
  int32_t first, stride; /* world rank of member i is first + i x stride */
  int32_t* ranks;        /* if not null: world rank of member i is ranks[i] */
  size_t ranks_bytes;
  uint32_t outstanding; /* outstanding requests that refer to it */
  uint32_t windows;     /* number of windows created from it */
};
bool parcast_communicators_start(struct parcast_thread* thread);
/* Returns the communicator of a handle, adding it on first use; null when there is none or no room. */
struct parcast_comm* parcast_communicator(struct parcast_thread* thread, parcast_handle handle);
/* Returns the communicator of a handle if it is already known, without calling MPI. */
const struct parcast_comm* parcast_communicator_seen(parcast_handle handle);
/* Adds a communicator that was just created; the old meaning of the handle is forgotten. Returns its
 * number, or PARCAST_NO_ID. */
uint32_t parcast_communicator_made(struct parcast_thread* thread, parcast_handle handle);
/* Called by the family when MPI is about to free the communicator. */
void parcast_communicator_freed(parcast_handle handle);
void parcast_communicator_unused(struct parcast_comm* comm);
int32_t parcast_world_rank(const struct parcast_comm* comm, int rank);

/* Communicators of windows and files. */
enum parcast_holder { PARCAST_WINDOW, PARCAST_FILE, PARCAST_HOLDERS };
void parcast_holder_made(struct parcast_thread* thread, enum parcast_holder kind, parcast_handle holder,
                         parcast_handle comm);
/* Returns null when the window or file is unknown. */
const struct parcast_comm* parcast_holder_communicator(enum parcast_holder kind, parcast_handle holder);
void parcast_holder_gone(enum parcast_holder kind, parcast_handle holder);
/* Returns 1 + the number of windows created from its communicator before it (modulo 65,536), which is
 * equal on all members; 0 when unknown. */
int parcast_window_number(parcast_handle window);

/* shares.c: bytes per partner of a collective. */
struct parcast_share_list {
  struct parcast_thread* thread;
  struct parcast_share* shares;
  uint32_t count;
};
/* Begins a list with room for that many partners; returns false without memory. The thread's scratch
 * memory holds the list until parcast_shares_end. */
bool parcast_shares_begin(struct parcast_share_list* list, struct parcast_thread* thread, uint32_t partners);
void parcast_shares_add(struct parcast_share_list* list, int32_t partner, uint64_t bytes);
/* Returns the list's number in the file; 0 when it is empty or there is no room. */
uint32_t parcast_shares_end(struct parcast_share_list* list);

/* requests.c */
enum parcast_request_kind {
  PARCAST_SENDS,
  /* this mode and the next are only needed when a persistent send is started, because MPI_Start does not
   * name them */
  PARCAST_SENDS_BUFFERED,
  PARCAST_SENDS_SYNCHRONOUS,
  PARCAST_RECEIVES,
  PARCAST_OTHER
};
static inline bool parcast_sends(enum parcast_request_kind kind) {
  return kind <= PARCAST_SENDS_SYNCHRONOUS;
}
/* Adds a request that was just started and returns its serial number. */
uint64_t parcast_request_started(struct parcast_thread* thread, parcast_handle request,
                                 enum parcast_request_kind kind, parcast_handle comm);
/* Adds a persistent request created by MPI_Send_init or a similar call. */
void parcast_request_prepared(struct parcast_thread* thread, parcast_handle request,
                              enum parcast_request_kind kind, parcast_handle comm, int peer, int tag,
                              uint64_t bytes);
/* Changes the handle of a persistent request; MPI_Start may do so. */
void parcast_request_renamed(parcast_handle before, parcast_handle now);
/* Fills `parts` for the start of a persistent request. */
bool parcast_request_restarted(parcast_handle request, struct parcast_parts* parts,
                               enum parcast_request_kind* kind);
void parcast_request_freed(parcast_handle request);
/* Returns the serial number of the active request of a handle; 0 when there is none. */
uint64_t parcast_request_serial(parcast_handle request);
void parcast_message_matched(parcast_handle message, parcast_handle comm);
parcast_handle parcast_message_communicator(parcast_handle message);
/* Returns at least `bytes` bytes of the thread's own memory, kept between calls; null without memory. */
void* parcast_scratch(struct parcast_thread* thread, size_t bytes);

/* Collects completions for the thread's next event and writes them as records before it. */
enum { PARCAST_BATCH = 64 };
struct parcast_batch {
  struct parcast_thread* thread;
  struct parcast_completions head;
  struct parcast_completion items[PARCAST_BATCH];
};
/* The content of a status; negative source: nothing was received. */
struct parcast_arrival {
  int source, tag;
  uint64_t bytes;
  bool cancelled;
};
void parcast_batch_begin(struct parcast_batch* batch, struct parcast_thread* thread);
void parcast_batch_add(struct parcast_batch* batch, parcast_handle request,
                       const struct parcast_arrival* arrival);
void parcast_batch_end(struct parcast_batch* batch);

void parcast_lock(void);
void parcast_unlock(void);

#endif
