/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/baton.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "record/mpi/handle_map.h"
#include "record/mpi/history.h"
#include "record/mpi/recorder.h"
#include "record/mpi/token.h"
#include "recording/system_calls.h"

/* Nanoseconds: least and largest limit for keeping a token, and longest wait for one. */
static const double kLeastLimit = 4e6, kMostLimit = 80e6;
static const uint64_t kLongestWait = 2000000000, kBreath = 20000000;
/* Largest part of a run's time that waiting may add: the run takes at most 1.33 times as long. */
static const double kMostLost = 0.25;

bool parcast_baton_on;
static struct {
  const struct parcast_thread* thread;
  struct parcast_tokens* tokens;
  struct parcast_history* history;
  size_t history_bytes;
  bool always; /* take tokens whatever the history shows */
  /* all processes of the host are present, and they are more than its cores */
  bool ready;
  uint32_t local; /* processes of the launch on this host; 0: unknown */
  uint32_t cores, seat;
} baton = {.seat = PARCAST_SEATS};

/* The current segment. */
static struct {
  struct parcast_class* class;
  enum parcast_wish wish;
  struct parcast_token* token;
  bool held, forced, loose;
  uint64_t carried_ticks, carried, taken, idle;
  long sleeps; /* sleeps of the thread before the segment */
} stint;

static uint32_t number_in(const char* name) {
  const char* text = getenv(name);
  const long value = text ? strtol(text, NULL, 10) : 0;
  return value > 0 && value < PARCAST_SEATS * 64 ? (uint32_t)value : 0;
}

static uint32_t local_processes(void) {
  const uint32_t open_mpi = number_in("OMPI_COMM_WORLD_LOCAL_SIZE");
  return open_mpi ? open_mpi : number_in("MPI_LOCALNRANKS");
}

/* Reads the processors that this process may run on. Ranks bound to one core each together have all their
 * cores. */
static uint32_t own_cores(uint64_t processors[16]) {
  cpu_set_t set;
  memset(processors, 0, 16 * sizeof *processors);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < 1024 && i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) processors[i / 64] |= 1ull << i % 64, ++count;
  return count;
}

/* Names the tokens after the user and the folder, which belongs to one launch. The hash is FNV-1a. */
static void name_tokens(const char* folder, char path[64]) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char* c = folder; *c; ++c) hash = (hash ^ (unsigned char)*c) * 0x100000001b3ull;
  snprintf(path, 64, "/dev/shm/parcast-%lu-%016llx", (unsigned long)geteuid(), (unsigned long long)hash);
}

static char token_path[64];

void parcast_baton_start(struct parcast_thread* thread, const char* folder) {
  const char* mode = getenv("PARCAST_BATON");
  baton.always = mode && strcmp(mode, "always") == 0;
  if ((mode && strcmp(mode, "off") == 0) || getauxval(AT_SECURE)) return;
  uint64_t processors[16];
  const uint32_t cores = own_cores(processors);
  baton.local = local_processes();
  const uint32_t most = baton.local ? baton.local : (uint32_t)parcast_recorder.processes;
  if (cores == 0 || most <= cores || parcast_recorder.processes < 2) return;
  baton.history_bytes = sizeof *baton.history;
  baton.history = parcast_pages(&baton.history_bytes);
  name_tokens(folder, token_path);
  if (baton.history) baton.tokens = parcast_tokens_open(token_path);
  if (!baton.tokens) {
    if (baton.history) parcast_pages_free(baton.history, baton.history_bytes);
    return;
  }
  baton.history->opinions = baton.tokens->opinions;
  for (int i = 0; i < 16; ++i)
    __atomic_fetch_or(&baton.tokens->processors[i], processors[i], __ATOMIC_ACQ_REL);
  baton.thread = thread;
  parcast_baton_on = true;
}

static void go_without(void) {
  parcast_baton_on = false;
  parcast_tokens_close(baton.tokens);
  parcast_pages_free(baton.history, baton.history_bytes);
}

/* Returns whether there are more processes than cores, which is known when all are present. The file's
 * name is then not needed any more. */
static bool is_ready(void) {
  if (baton.ready) return true;
  const uint32_t present = __atomic_load_n(&baton.tokens->present, __ATOMIC_ACQUIRE);
  if (present < baton.local) return false;
  if (baton.local || present == (uint32_t)parcast_recorder.processes) unlink(token_path);
  baton.cores = 0;
  for (int i = 0; i < 16; ++i)
    baton.cores +=
        (uint32_t)__builtin_popcountll(__atomic_load_n(&baton.tokens->processors[i], __ATOMIC_ACQUIRE));
  baton.ready = present > baton.cores;
  if (!baton.ready && baton.local) go_without();
  return baton.ready;
}

void parcast_baton_stop(const struct parcast_thread* thread) {
  if (!parcast_baton_on || thread != baton.thread) return;
  parcast_baton_on = false;
  if (stint.held) parcast_token_give(stint.token, baton.seat);
  stint.held = false;
  if (baton.seat != PARCAST_SEATS) parcast_seat_leave(baton.tokens, baton.seat);
  if (__atomic_sub_fetch(&baton.tokens->present, 1, __ATOMIC_ACQ_REL) == 0) unlink(token_path);
}

/* Returns the token of this NUMA node, whose cores share the path to memory. */
static struct parcast_token* token_here(void) {
  unsigned processor = 0, node = 0;
  if (getcpu(&processor, &node) != 0) node = 0;
  return &baton.tokens->tokens[node % PARCAST_TOKENS];
}

/* Returns several times the usual duration by wall clock: threads that wait in MPI may share the holder's
 * core. */
static uint64_t limit_of(const struct parcast_class* class) {
  const double wall = parcast_median(&class->held_wall), length = parcast_class_length(class);
  const double limit = wall > 0 || length > 0 ? 4 * (wall > length ? wall : length) : kMostLimit;
  return (uint64_t)(limit < kLeastLimit ? kLeastLimit : limit > kMostLimit ? kMostLimit : limit);
}

/* Returns whether waiting is still allowed. It may add a share of the run's time; above that, waiting
 * pauses until enough time has passed. */
static bool may_wait(struct parcast_token* token, uint64_t now) {
  if (baton.always) return true;
  const double lost = (double)__atomic_load_n(&token->lost, __ATOMIC_RELAXED);
  const double allowed = kMostLost * (double)(now - baton.tokens->started);
  const bool paused = __atomic_load_n(&token->paused, __ATOMIC_RELAXED);
  if (!paused && lost > allowed) parcast_token_pause(token);
  if (paused && lost + (double)kBreath < allowed)
    parcast_token_resume(token, now + (uint64_t)(2 * parcast_class_length(stint.class)));
  return !__atomic_load_n(&token->paused, __ATOMIC_RELAXED);
}

/* Returns how often the thread gave up the processor to wait. */
static long sleeps_so_far(void) {
  struct rusage usage;
  return parcast_resources_used(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

static void take(uint64_t now) {
  struct parcast_token* token = token_here();
  if (baton.seat == PARCAST_SEATS) baton.seat = parcast_seat_take(baton.tokens);
  if (baton.seat == PARCAST_SEATS || !may_wait(token, now)) return;
  const enum parcast_taking taking =
      parcast_token_take(baton.tokens, token, baton.seat, limit_of(stint.class), kLongestWait, &stint.idle);
  stint.token = token;
  stint.taken = parcast_nanoseconds(CLOCK_MONOTONIC);
  stint.held = taking != PARCAST_NOT_TAKEN;
  stint.sleeps = sleeps_so_far();
  stint.forced = taking == PARCAST_TAKEN_BY_FORCE;
  stint.loose = !stint.held && !__atomic_load_n(&token->paused, __ATOMIC_RELAXED);
  if (stint.loose) parcast_token_loose(token, baton.seat);
}

static enum parcast_wish always_wish(const struct parcast_class* class) {
  return class->state == PARCAST_CLASS_UNFIT ? PARCAST_WISH_NOTHING : PARCAST_WISH_TOKEN;
}

void parcast_baton_begin(struct parcast_thread* thread, const void* site) {
  if (thread != baton.thread || thread->tracked || !*parcast_gate || !is_ready()) return;
  const struct parcast_pause pause = parcast_pause_segment(thread);
  const int error = errno;
  bool fresh;
  struct parcast_class* class = parcast_class_of(baton.history, site, thread->region, &fresh);
  if (class) {
    memset(&stint, 0, sizeof stint);
    stint.class = class;
    stint.wish = baton.always ? always_wish(class) : parcast_class_wish(class);
    stint.carried_ticks = thread->carried_ticks, stint.carried = thread->carried;
    thread->tracked = true;
  }
  if (class && stint.wish == PARCAST_WISH_TOKEN) take(parcast_nanoseconds(CLOCK_MONOTONIC));
  if (fresh || (class && stint.wish == PARCAST_WISH_TOKEN))
    parcast_restart_segment(thread);
  else
    parcast_resume_segment(thread, &pause);
  errno = error;
}

/* Adds the time by which the run grew. Without the token, the waiting ranks would have computed
 * concurrently with this segment, each slower for it. Time that other programs took from the only
 * computing rank counts as well. */
static void count_lost(uint64_t now, double processor) {
  const uint32_t waiting = __atomic_load_n(&stint.token->waiting, __ATOMIC_RELAXED);
  const double beside = waiting + 1 < baton.cores ? waiting + 1 : baton.cores;
  const double told = parcast_class_slowdown(stint.class);
  const double slowdown = told > 1 ? told : 1;
  const double lost = (double)(now - stint.taken) - processor * slowdown / beside + (double)stint.idle;
  if (lost > 0) __atomic_add_fetch(&stint.token->lost, (uint64_t)lost, __ATOMIC_RELAXED);
}

/* Gives the token back. Returns false when the segment may have been slowed by neighbours. */
static bool give(double processor) {
  const uint64_t now = parcast_nanoseconds(CLOCK_MONOTONIC);
  const bool disturbed = stint.forced || parcast_token_disturbed(stint.token, stint.taken, now);
  count_lost(now, processor);
  if (parcast_token_give(stint.token, baton.seat)) return !disturbed;
  stint.loose = true; /* the token was taken by force */
  return false;
}

void parcast_baton_end(struct parcast_open* open) {
  const struct parcast_thread* thread = open->thread;
  const uint64_t carried =
      open->flags & PARCAST_HAS_COMPUTE ? thread->last_carried_ticks - stint.carried_ticks : 0;
  const double wall =
      (double)(int64_t)(open->enter - thread->segment_start + carried) * parcast_clock.nanoseconds_per_tick;
  const double told = (double)open->compute - (double)stint.carried;
  const double processor = open->flags & PARCAST_HAS_COMPUTE ? told : wall;
  const int error = errno;
  const bool alone = stint.held && give(processor);
  if (stint.loose) parcast_token_settled(stint.token, baton.seat);
  const struct parcast_execution execution = {
      .processor = processor,
      .wall = wall,
      .held = stint.held,
      .vain = stint.held && (stint.loose || sleeps_so_far() != stint.sleeps),
      .disturbed = stint.held && !alone};
  if (stint.held ? !alone : parcast_class_suspect(stint.class, execution.processor))
    open->flags |= PARCAST_WAS_SWITCHED;
  parcast_class_ran(stint.class, &execution);
  open->thread->tracked = false;
  errno = error;
}
