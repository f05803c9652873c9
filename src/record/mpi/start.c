/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "record/mpi/counting.h"
#include "record/mpi/family.h"
#include "record/mpi/handle_map.h"
#include "record/mpi/next.h"
#include "record/mpi/recorder.h"
#include "record/mpi/world.h"
#include "recording/cycle.h"
#include "recording/gather.h"
#include "recording/system_calls.h"
#include "recording/uncancelled.h"

/* From the environment to the first event, and from MPI_Finalize to the closed file. */

enum { kMostThreads = 512 };
static struct parcast_thread threads[kMostThreads];
static uint32_t thread_count;
static struct parcast_thread* free_threads;
static pthread_mutex_t thread_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t thread_key;

static bool keep_times;

static enum parcast_stage stage;
/* `shared_folder`, if not empty, is used when `folder` cannot be used */
static char folder[3800], shared_folder[3800];
static uint64_t early_ticks, early_nanoseconds, init_enter;

enum parcast_stage parcast_stage(void) {
  if (__builtin_expect(stage == PARCAST_STAGE_UNKNOWN, 0)) {
    const char* wanted = getenv("PARCAST_OUT");
    stage = wanted && *wanted ? PARCAST_STAGE_EARLY : PARCAST_STAGE_OFF;
  }
  return stage;
}

/* Reads the folder as an absolute path, since the program may change its working directory. */
static bool read_folder(void) {
  const char* wanted = getenv("PARCAST_OUT");
  if (!wanted || !*wanted) return false;
  size_t used = 0;
  if (wanted[0] != '/') {
    if (!getcwd(folder, sizeof folder - 1)) return false;
    used = strlen(folder);
    folder[used++] = '/';
  }
  if (used + strlen(wanted) >= sizeof folder) return false;
  strcpy(folder + used, wanted);
  const char* local = getenv("PARCAST_LOCAL");
  char own[sizeof folder];
  if (local && local[0] == '/' && parcast_local_folder(own, sizeof own, local, folder)) {
    strcpy(shared_folder, folder);
    strcpy(folder, own);
  }
  return true;
}

/* Returns whether a comma-separated list contains a word; an absent list contains all words. */
static bool listed(const char* list, const char* word) {
  if (!list || !*list) return true;
  const size_t length = strlen(word);
  for (const char* at = list; (at = strstr(at, word)); at += length)
    if ((at == list || at[-1] == ',') && (at[length] == 0 || at[length] == ',')) return true;
  return false;
}

unsigned parcast_classes_in(const char* list) {
  return (listed(list, "mpi") ? PARCAST_RECORD_MPI : 0u) | (listed(list, "io") ? PARCAST_RECORD_IO : 0u) |
         (listed(list, "user") ? PARCAST_RECORD_USER : 0u) |
         (listed(list, "memory") ? PARCAST_RECORD_MEMORY : 0u);
}

static uint64_t read_limit(void) {
  const uint64_t fallback = 1ull << 30, least = 1ull << 20;
  const char* text = getenv("PARCAST_LIMIT");
  if (!text || *text < '0' || *text > '9') return fallback;
  char* unit;
  uint64_t value = strtoull(text, &unit, 10);
  const int shift = *unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0;
  if (value > UINT64_MAX >> shift >> 1) return fallback;
  value <<= shift;
  return value < least ? least : value;
}

void parcast_prepare(void) {
  if (parcast_stage() != PARCAST_STAGE_EARLY || init_enter) return;
  PARCAST_UNCANCELLED;
  const char* calls = getenv("PARCAST_SYSTEM_CALLS");
  if (calls && strcmp(calls, "few") == 0) parcast_spare_system_calls();
  if (!read_folder()) {
    stage = PARCAST_STAGE_OFF;
    return;
  }
  parcast_clock_choose();
  parcast_clock_both(&early_ticks, &early_nanoseconds);
  init_enter = early_ticks;
}

static void tell_own_time(struct parcast_thread* thread) {
  parcast_add_live(&parcast_recorder.writer, PARCAST_LIVE_OWN_TICKS, thread->stream.own_ticks);
  thread->stream.own_ticks = 0;
}

/* Called when a thread ends: its state, including the open block, is kept for the next new thread. */
static void thread_ends(void* data) {
  PARCAST_UNCANCELLED;
  struct parcast_thread* thread = data;
  if (*parcast_gate && thread->polls.pending) parcast_write_polls(thread);
  if (*parcast_gate) parcast_baton_stop(thread);
  if (*parcast_gate) parcast_usage_end(thread);
  if (*parcast_gate) tell_own_time(thread);
  if (thread == parcast_counting) parcast_counting_leave(); /* the words that direct its counts end with it */
  pthread_mutex_lock(&thread_lock);
  thread->next_free = free_threads;
  free_threads = thread;
  pthread_mutex_unlock(&thread_lock);
  parcast_current = NULL;
}

static struct parcast_thread* take_thread(void) {
  struct parcast_thread* thread = free_threads;
  if (thread) {
    free_threads = thread->next_free;
    return thread;
  }
  if (thread_count == kMostThreads) return NULL;
  thread = &threads[thread_count];
  thread->stream.thread = thread_count++;
  parcast_cycle_begin(&thread->stream, keep_times);
  return thread;
}

struct parcast_thread* parcast_new_thread(void) {
  PARCAST_UNCANCELLED;
  pthread_mutex_lock(&thread_lock);
  struct parcast_thread* thread = take_thread();
  pthread_mutex_unlock(&thread_lock);
  if (!thread) {
    parcast_count_dropped(&parcast_recorder.writer, 1);
    return NULL;
  }
  thread->frame = 0;
  thread->region = thread->depth = thread->too_deep = 0;
  thread->polls.site = NULL;
  thread->tracked = false;
  parcast_stack_forget(thread);
  parcast_current = thread;
  pthread_setspecific(thread_key, thread);
  parcast_read_processor(thread);
  thread->carried = thread->processor_time;
  thread->segment_start = thread->processor_ticks;
  thread->exact_segment = true;
  parcast_usage_begin(thread);
  return thread;
}

static void close_gate_in_child(void) {
  *parcast_gate = 0;
}

/* Allocates a page that the kernel clears in a forked child, however it was forked, so that the child
 * never writes the parent's file. */
static volatile int* make_gate(void) {
  size_t bytes = sizeof(int);
  int* page = parcast_pages(&bytes);
  if (page && madvise(page, bytes, MADV_WIPEONFORK) != 0 &&
      pthread_atfork(NULL, NULL, close_gate_in_child) != 0)
    return NULL;
  return page;
}

static void read_command(char command[1024]) {
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t length = read(file, command, 1023);
  if (length < 0) command[0] = 0;
  close(file);
}

/* Returns the share of a core that the deadline policy reserves for a thread, whatever else runs: runtime
 * / period. */
static double reserved_share(void) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes = {.size = 0};
  enum { kDeadlinePolicy = 6 };
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return 1;
  if (attributes.policy != kDeadlinePolicy || attributes.runtime == 0) return 1;
  const uint64_t period = attributes.period ? attributes.period : attributes.deadline;
  return period > attributes.runtime ? (double)attributes.runtime / (double)period : 1;
}

/* The first world uses the folder itself; returns true when this call marked the folder. */
static bool choose_folder(char link[sizeof folder + 32]) {
  char world[128], taken[128] = "";
  mkdir(folder, 0777);
  parcast_name_world(world, parcast_recorder.alone);
  snprintf(link, sizeof folder + 32, "%s/" PARCAST_WORLD_LINK, folder);
  if (!world[0]) return false;
  if (symlink(world, link) == 0) return true;
  if (readlink(link, taken, sizeof taken - 1) <= 0 || strcmp(taken, world) == 0) return false;
  const size_t used = strlen(folder);
  if (used + strlen(world) + sizeof "/" PARCAST_WORLD_PREFIX > sizeof folder) return false;
  snprintf(folder + used, sizeof folder - used, "/" PARCAST_WORLD_PREFIX "%s", world);
  mkdir(folder, 0777);
  return false;
}

/* Returns 0 or an errno. */
static int open_in_folder(const struct parcast_header* header) {
  char mark[sizeof folder + 32], path[sizeof folder + 32];
  const bool marked = choose_folder(mark);
  snprintf(path, sizeof path, "%s/rank-%d.rec", folder, parcast_recorder.rank);
  const int failure = parcast_writer_open(&parcast_recorder.writer, path, header, parcast_clock_both);
  if (failure && marked) unlink(mark);
  return failure;
}

/* Creates the parent of the folder on the node, if it does not exist yet. */
static void make_parent(char* path) {
  char* end = strrchr(path, '/');
  if (!end || end == path) return;
  *end = 0;
  mkdir(path, 0777);
  *end = '/';
}

static bool open_file(const char* library) {
  struct parcast_header header = {.rank = parcast_recorder.rank, .processes = parcast_recorder.processes};
  header.clock = parcast_clock_kind();
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  header.cores = cores > 0 ? (uint32_t)cores : 0;
  header.init_enter = init_enter;
  header.early_ticks = early_ticks;
  header.early_nanoseconds = early_nanoseconds;
  parcast_clock_both(&header.first_ticks, &header.first_nanoseconds);
  header.started = parcast_nanoseconds(CLOCK_REALTIME);
  header.limit = read_limit();
  header.share = reserved_share();
  header.process_id = (uint64_t)getpid();
  gethostname(header.host, sizeof header.host - 1);
  snprintf(header.library, sizeof header.library, "%.127s", library);
  read_command(header.command);
  if (header.first_ticks > early_ticks)
    parcast_clock.nanoseconds_per_tick =
        (double)(header.first_nanoseconds - early_nanoseconds) / (double)(header.first_ticks - early_ticks);
  parcast_clock.long_interval = (uint64_t)(50e3 / parcast_clock.nanoseconds_per_tick);
  parcast_recorder.poll_gap = (uint64_t)(2e3 / parcast_clock.nanoseconds_per_tick);
  parcast_recorder.poll_turn = (uint64_t)(100 / parcast_clock.nanoseconds_per_tick);
  parcast_recorder.poll_delay = (uint64_t)(1e6 / parcast_clock.nanoseconds_per_tick);
  if (shared_folder[0]) make_parent(folder);
  int failure = open_in_folder(&header);
  if (failure && failure != EEXIST && shared_folder[0]) { /* an existing file belongs to a different world */
    strcpy(folder, shared_folder);
    failure = open_in_folder(&header);
  }
  return failure == 0;
}

static void write_init_event(struct parcast_thread* thread, uint32_t call, const void* site, uint64_t exit) {
  struct parcast_open open = {
      .thread = thread, .enter = init_enter, .exit = exit, .flags = PARCAST_HAS_COMPUTE};
  const struct parcast_parts parts = {.call = call, .site = site};
  parcast_write(&open, &parts);
}

/* Determines rank and processes: from MPI, or as the only process. */
static bool find_place(char library[128]) {
  struct parcast_recorder* recorder = &parcast_recorder;
  if (!recorder->alone)
    return parcast_family_find(library) &&
           parcast_family->start(&recorder->rank, &recorder->processes, &recorder->threaded);
  recorder->processes = 1;
  recorder->threaded = true; /* must be assumed */
  return true;
}

/* Defines the initial communicators and writes MPI_Init's event. */
static bool define_world(struct parcast_thread* thread, uint32_t call, const void* site, uint64_t returned) {
  struct parcast_writer* writer = &parcast_recorder.writer;
  if (parcast_recorder.alone) {
    /* before the trials, whose definitions are discarded */
    parcast_define_call(thread, call);
    return parcast_put_regular_communicator(writer, &thread->stream, 0, 0, 1, 1, NULL, 0, 0);
  }
  if (!parcast_communicators_start(thread)) {
    parcast_stop_writing(writer, PARCAST_STOP_MEMORY);
    return false;
  }
  if (parcast_records(PARCAST_RECORD_MPI)) write_init_event(thread, call, site, returned);
  return true;
}

static void measure(struct parcast_thread* thread, uint32_t call, const void* site) {
  struct parcast_parts trial = {.call = call, .site = site};
  if (!parcast_recorder.alone) {
    trial.communicator = parcast_family_values.world;
    trial.flags = PARCAST_HAS_MESSAGE;
  }
  if (parcast_records(PARCAST_RECORD_MPI)) parcast_measure_overhead(thread, &trial);
  struct parcast_header* header = parcast_recorder.writer.header;
  header->overhead = parcast_recorder.overhead * parcast_clock.nanoseconds_per_tick * 1e-9;
  header->init_exit = parcast_ticks();
  parcast_writer_seal_header(&parcast_recorder.writer);
}

static bool start(uint32_t call, const void* site) {
  char library[128] = "";
  const uint64_t returned = parcast_ticks();
  if (!find_place(library)) return false;
  const char* classes = getenv("PARCAST_CLASSES");
  parcast_recorder.classes = parcast_recorder.wanted = parcast_classes_in(classes);
  volatile int* gate = make_gate();
  if (!gate || pthread_key_create(&thread_key, thread_ends) != 0 || !open_file(library)) return false;

  const char* stack = getenv("PARCAST_STACK");
  parcast_stack_on = stack && strcmp(stack, "on") == 0;
  const char* times = getenv("PARCAST_TIMES");
  keep_times = times && strcmp(times, "all") == 0;
  parcast_recorder.writer.ticks_per_nanosecond = 1 / parcast_clock.nanoseconds_per_tick;

  struct parcast_thread* thread = parcast_new_thread();
  parcast_define_executable(thread);
  parcast_define_regions(thread);
  parcast_counting_start(thread, folder);
  if (!define_world(thread, call, site, returned)) return false;
  parcast_gate = gate;
  *gate = 1;
  measure(thread, call, site);
  thread->carried = thread->carried_ticks = 0;
  parcast_read_processor(thread);
  if (!parcast_recorder.alone) {
    parcast_baton_start(thread, folder);
    parcast_entries_turn(parcast_family->entries, parcast_family->profiling_entries);
  }
  const char* counters = getenv("PARCAST_COUNTERS");
  parcast_usage_start(thread, parcast_records(PARCAST_RECORD_MEMORY),
                      counters && strcmp(counters, "on") == 0);
  parcast_restart_segment(thread);
  return true;
}

void parcast_begin(uint32_t call, const void* site) {
  if (stage != PARCAST_STAGE_EARLY || !init_enter) return;
  PARCAST_UNCANCELLED;
  stage = PARCAST_STAGE_RECORDING;
  if (!start(call, site)) stage = PARCAST_STAGE_OFF;
}

/* MPI_Init and MPI_Init_thread by both names; they are the same in every family. */
typedef int initialise(int*, char***);
typedef int initialise_thread(int*, char***, int, int*);

static int run_init(initialise* next, const void* site, int* argc, char*** argv) {
  parcast_prepare();
  const int result = next(argc, argv);
  if (result == 0) parcast_begin(PARCAST_CALL_MPI_Init, site);
  return result;
}

static int run_init_thread(initialise_thread* next, const void* site, int* argc, char*** argv, int wanted,
                           int* got) {
  parcast_prepare();
  const int result = next(argc, argv, wanted, got);
  if (result == 0) parcast_begin(PARCAST_CALL_MPI_Init_thread, site);
  return result;
}

int parcast_entry_MPI_Init(int* argc, char*** argv) {
  initialise* next = NEXT(PARCAST_CALL_MPI_Init);
  return run_init(next, parcast_caller(__builtin_return_address(0)), argc, argv);
}

int parcast_entry_PMPI_Init(int* argc, char*** argv) {
  initialise* next = NEXT_PROFILING(PARCAST_CALL_MPI_Init);
  if (!parcast_is_binding(__builtin_return_address(0))) return next(argc, argv);
  return run_init(next, parcast_take_fortran_site(), argc, argv);
}

int parcast_entry_MPI_Init_thread(int* argc, char*** argv, int wanted, int* got) {
  initialise_thread* next = NEXT(PARCAST_CALL_MPI_Init_thread);
  return run_init_thread(next, parcast_caller(__builtin_return_address(0)), argc, argv, wanted, got);
}

int parcast_entry_PMPI_Init_thread(int* argc, char*** argv, int wanted, int* got) {
  initialise_thread* next = NEXT_PROFILING(PARCAST_CALL_MPI_Init_thread);
  if (!parcast_is_binding(__builtin_return_address(0))) return next(argc, argv, wanted, got);
  return run_init_thread(next, parcast_take_fortran_site(), argc, argv, wanted, got);
}

void parcast_before_finalize(const struct parcast_open* open) {
  parcast_usage_end(open->thread);
  parcast_set_live(&parcast_recorder.writer, PARCAST_LIVE_FINALISED, open->enter);
}

void parcast_after_finalize(struct parcast_open* open, uint32_t call, const void* site) {
  const struct parcast_parts parts = {.call = call, .site = site};
  if (parcast_records(PARCAST_RECORD_MPI)) parcast_write(open, &parts);
  open->thread->frame = 0;
  parcast_baton_stop(open->thread);
  parcast_end(open->thread);
}

void parcast_end(struct parcast_thread* thread) {
  PARCAST_UNCANCELLED;
  *parcast_gate = 0;
  stage = PARCAST_STAGE_OFF;
  if (thread) tell_own_time(thread);
  parcast_counting_end();
  parcast_writer_close(&parcast_recorder.writer, thread_count == 1 && thread ? &thread->stream : NULL);
}
