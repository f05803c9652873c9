/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/recorder.h"

#include <string.h>

#include "calls.h"
#include "record/mpi/counting.h"
#include "recording/cycle.h"

struct parcast_recorder parcast_recorder;
static volatile int closed_gate;
volatile int* parcast_gate = &closed_gate;
__thread struct parcast_thread* parcast_current __attribute__((tls_model("initial-exec")));

static pthread_mutex_t tables = PTHREAD_MUTEX_INITIALIZER;

void parcast_lock(void) {
  if (parcast_recorder.threaded) pthread_mutex_lock(&tables);
}

void parcast_unlock(void) {
  if (parcast_recorder.threaded) pthread_mutex_unlock(&tables);
}

static double nanoseconds(uint64_t from, uint64_t to) {
  return (double)(int64_t)(to - from) * parcast_clock.nanoseconds_per_tick;
}

/* Reads the processor clock and the ticks of one moment, with the flag set since before that moment. */
void parcast_read_processor(struct parcast_thread* thread) {
  for (int i = 0; i < 3; ++i) {
    parcast_clock_arm();
    const uint64_t before = parcast_ticks();
    thread->processor_time = parcast_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    const uint64_t after = parcast_ticks();
    thread->processor_ticks = before + (after - before) / 2;
    if (!parcast_clock_lost(0)) break;
  }
}

static double processor_time_at(const struct parcast_thread* thread, uint64_t ticks) {
  return (double)thread->processor_time + nanoseconds(thread->processor_ticks, ticks);
}

static uint64_t at_least_zero(double value) {
  return value > 0 ? (uint64_t)value : 0;
}

/* Sets the computing time before the call; `since`: nanoseconds since the last event, including the
 * recorder's own time. */
static void tell_compute(struct parcast_open* open, double since) {
  struct parcast_thread* thread = open->thread;
  const struct parcast_polls* polls = &thread->polls;
  double ticks = -parcast_recorder.overhead;
  if (polls->site && polls->counted) ticks = (double)polls->computed - (double)parcast_recorder.between_polls;
  open->compute = thread->carried + at_least_zero(since + ticks * parcast_clock.nanoseconds_per_tick);
  open->flags |= PARCAST_HAS_COMPUTE;
  thread->last_carried_ticks = thread->carried_ticks;
  thread->carried = thread->carried_ticks = 0;
}

void parcast_lost_before(struct parcast_open* open) {
  struct parcast_thread* thread = open->thread;
  double compute;
  if (parcast_clock_lost(open->enter - thread->segment_start)) {
    const double began = processor_time_at(thread, thread->segment_start);
    parcast_read_processor(thread);
    compute = (double)thread->processor_time - began;
    open->enter = parcast_ticks();
    open->flags |= PARCAST_WAS_SWITCHED;
  } else {
    compute = nanoseconds(thread->segment_start, open->enter);
  }
  tell_compute(open, compute);
  thread->exact_segment = false;
}

void parcast_lost_inside(struct parcast_open* open) {
  struct parcast_thread* thread = open->thread;
  const double began = processor_time_at(thread, open->enter);
  parcast_read_processor(thread);
  const double used = (double)thread->processor_time - began;
  open->stolen = at_least_zero(nanoseconds(open->enter, open->exit) - used);
  open->flags |= PARCAST_HAS_STOLEN;
  thread->segment_start = parcast_ticks();
  thread->exact_segment = true;
}

void parcast_silence(struct parcast_open* open) {
  open->thread->silent = true;
  parcast_settle(open);
}

void parcast_restart_segment(struct parcast_thread* thread) {
  if (parcast_clock_lost(parcast_ticks() - thread->segment_start)) parcast_read_processor(thread);
  thread->segment_start = parcast_ticks();
  thread->exact_segment = true;
}

/* Ends the segment at `ticks`, with that many nanoseconds on the processor. */
static void carry(struct parcast_thread* thread, uint64_t ticks, double compute) {
  thread->carried += at_least_zero(compute);
  thread->carried_ticks += ticks - thread->segment_start;
}

/* The kernel may find at the reading that the thread has used up its share, and stop it for the rest of the
 * period. So the reading counts, and no time at which it was made. */
struct parcast_pause parcast_pause_segment(struct parcast_thread* thread) {
  const uint64_t now = parcast_ticks();
  const struct parcast_pause pause = {now, parcast_clock_lost(now - thread->segment_start)};
  if (!pause.lost) return pause;
  const double used =
      (double)parcast_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - processor_time_at(thread, thread->segment_start);
  carry(thread, now, used);
  return pause;
}

void parcast_resume_segment(struct parcast_thread* thread, const struct parcast_pause* pause) {
  const uint64_t now = parcast_ticks();
  thread->exact_segment = true;
  if (!pause->lost && !parcast_clock_lost(now - pause->ticks)) {
    thread->segment_start += now - pause->ticks;
    return;
  }
  if (!pause->lost) carry(thread, pause->ticks, nanoseconds(thread->segment_start, pause->ticks));
  parcast_read_processor(thread);
  thread->segment_start = parcast_ticks();
}

enum { kEventWords = sizeof(struct parcast_event) / 8, kMostWords = 16 };
_Static_assert(kEventWords == 5 && sizeof(struct parcast_message) == 16,
               "parcast_write puts them together as words");

static uint64_t pair(uint32_t low, uint32_t high) {
  return (uint64_t)high << 32 | low;
}

static uint32_t put_message(uint64_t* words, uint32_t at, int32_t peer, int32_t tag, uint64_t bytes) {
  words[at] = pair((uint32_t)peer, (uint32_t)tag);
  words[at + 1] = bytes;
  return at + 2;
}

/* Returns the region of an event. Marks of regions have no open wrapper: their region is the one that they
 * begin or end. */
static inline uint32_t region_of(struct parcast_thread* thread, const void* site, bool* known) {
  if (__builtin_expect(!parcast_stack_on, 1) || thread->frame == 0) return thread->region;
  return parcast_stack_region(thread, site, thread->frame, known);
}

/* Ends a loop of polls before the next event. The polls' event ends without the recorder's own time. So
 * the computing before the next event is not the time since then, and is written explicitly. */
static void end_polls(struct parcast_open* open) {
  struct parcast_thread* thread = open->thread;
  struct parcast_polls* polls = &thread->polls;
  if (polls->pending) parcast_write_polls(thread);
  if (polls->counted && !(open->flags & PARCAST_HAS_COMPUTE))
    tell_compute(open, nanoseconds(polls->exit, open->enter));
  polls->site = NULL;
}

void parcast_write(struct parcast_open* open, const struct parcast_parts* parts) {
  struct parcast_thread* thread = open->thread;
  if (__builtin_expect(thread->silent, 0)) return;
  if (__builtin_expect(thread->polls.site != NULL, 0)) end_polls(open);
  const uint32_t site = parcast_site(thread, parts->site);
  bool known = true;
  const uint32_t region = region_of(thread, parts->site, &known);
  parcast_define_call(thread, parts->call);
  if (__builtin_expect(parcast_counting == thread, 0) && !(open->flags & PARCAST_CONTINUED))
    parcast_counting_turn(region, parts->call, site);
  const struct parcast_comm* comm = parts->known;
  if (parts->communicator) comm = parcast_communicator(thread, parts->communicator);
  uint64_t* room = parcast_reserve(&parcast_recorder.writer, &thread->stream, 8 * kMostWords);
  if (__builtin_expect(!room, 0)) {
    parcast_count_dropped(&parcast_recorder.writer, 1);
    return;
  }
  const uint8_t flags = open->flags | parts->flags;
  uint64_t words[kMostWords];
  words[0] = PARCAST_EVENT | (uint64_t)flags << 8;
  words[1] = open->enter;
  words[2] = open->exit;
  words[3] = pair(parts->call | thread->stream.thread << 16, site);
  words[4] = pair(region, comm ? comm->id : 0);
  uint32_t at = kEventWords;
  if (flags & PARCAST_HAS_MESSAGE) {
    const int32_t partner =
        parts->own_root ? parcast_recorder.rank : parcast_world_rank(comm, parts->sent_peer);
    at = put_message(words, at, partner, parts->sent_tag, parts->sent_bytes);
  }
  if (flags & PARCAST_HAS_RECEIVED)
    at = put_message(words, at, parcast_world_rank(comm, parts->received_peer), parts->received_tag,
                     parts->received_bytes);
  if (flags & PARCAST_HAS_REQUEST) words[at++] = parts->request;
  if (flags & PARCAST_HAS_COMPUTE) words[at++] = open->compute;
  if (flags & PARCAST_HAS_CREATED) words[at++] = parts->created;
  if (flags & PARCAST_HAS_STOLEN) words[at++] = open->stolen;
  parcast_commit_words(&thread->stream, room, words, at);
  if (__builtin_expect(!known, 0)) parcast_add_live(&parcast_recorder.writer, PARCAST_LIVE_WITHOUT_PATH, 1);
  if (__builtin_expect(parcast_stack_on, 0)) parcast_usage_enter(thread, region);
}

/* Folds a slice of the recorded events; the time counts as the recorder's. */
static void fold_on(struct parcast_thread* thread) {
  const uint64_t begin = parcast_ticks();
  parcast_cycle_go_on(&parcast_recorder.writer, &thread->stream);
  parcast_restart_segment(thread);
  thread->stream.own_ticks += thread->segment_start - begin;
}

void parcast_finish(struct parcast_open* open, const struct parcast_parts* parts) {
  const char* block = open->thread->stream.block;
  if (__builtin_expect(open->thread->silent, 0)) {
    parcast_finish_silent(open);
    return;
  }
  parcast_write(open, parts);
  if (__builtin_expect(open->exit > open->thread->usage.due, 0)) {
    parcast_usage_sample(open->thread);
    parcast_restart_segment(open->thread);
  }
  if (__builtin_expect(block != open->thread->stream.block, 0))
    parcast_restart_segment(open->thread);
  else if (__builtin_expect(open->thread->stream.offset >= open->thread->stream.next_slice, 0))
    fold_on(open->thread);
  open->thread->frame = 0;
  if (__builtin_expect(parcast_baton_on, 0)) parcast_baton_begin(open->thread, parts->site);
}

void parcast_write_polls(struct parcast_thread* thread) {
  struct parcast_repeat* repeat = parcast_reserve(&parcast_recorder.writer, &thread->stream, sizeof *repeat);
  if (repeat) {
    *repeat = (struct parcast_repeat){.record.kind = PARCAST_REPEAT,
                                      .exit = thread->polls.end,
                                      .count = thread->polls.pending,
                                      .thread = (uint16_t)thread->stream.thread};
    parcast_commit(&thread->stream, &repeat->record, sizeof *repeat);
  } else {
    parcast_count_dropped(&parcast_recorder.writer, thread->polls.pending);
  }
  thread->polls.pending = 0;
  thread->polls.written = thread->polls.exit;
}

static uint64_t at_most(uint64_t value, uint64_t limit) {
  return value < limit ? value : limit;
}

static bool goes_on(const struct parcast_polls* polls, const struct parcast_open* open,
                    const struct parcast_parts* parts, uint32_t region) {
  return polls->site == parts->site && polls->call == parts->call &&
         polls->communicator == parts->communicator && polls->region == region &&
         open->enter - polls->exit <= parcast_recorder.poll_gap && !(open->flags & PARCAST_WAS_SWITCHED);
}

void parcast_finish_poll(struct parcast_open* open, const struct parcast_parts* parts) {
  struct parcast_thread* thread = open->thread;
  struct parcast_polls* polls = &thread->polls;
  bool known;
  const uint32_t region = thread->silent ? 0 : region_of(thread, parts->site, &known);
  if (!thread->silent && goes_on(polls, open, parts, region)) {
    const uint64_t between = open->enter - polls->exit, inside = open->exit - open->enter;
    const uint64_t gap = between - at_most(parcast_recorder.between_polls, between),
                   in = inside - at_most(parcast_recorder.in_poll, inside);
    const bool computes = gap > parcast_recorder.poll_turn;
    ++polls->pending;
    polls->counted = true;
    polls->exit = open->exit;
    polls->end += in + (computes ? 0 : gap);
    thread->stream.own_ticks += between + inside - gap - in;
    polls->computed += computes ? gap : 0;
    if (open->exit - polls->written > parcast_recorder.poll_delay) {
      parcast_write_polls(thread);
      parcast_restart_segment(thread);
      polls->end += thread->segment_start - polls->exit;
      polls->exit = thread->segment_start;
    }
    thread->frame = 0;
    return;
  }
  parcast_finish(open, parts);
  if (thread->silent) return;
  *polls = (struct parcast_polls){parts->site, parts->communicator, parts->call, region, 0,
                                  false,       open->exit,          open->exit,  0,      open->exit};
}

/* Adds the computing before a call without an event to the next event; the call itself is no computing. */
void parcast_finish_silent(struct parcast_open* open) {
  struct parcast_thread* thread = open->thread;
  if (thread->polls.pending) parcast_write_polls(thread);
  thread->polls.site = NULL;
  if (open->flags & PARCAST_HAS_COMPUTE) thread->carried += open->compute;
  parcast_restart_segment(thread);
  thread->frame = 0;
  if (__builtin_expect(parcast_baton_on, 0)) parcast_baton_begin(thread, NULL);
}

void parcast_give_up(struct parcast_open* open) {
  parcast_settle(open);
  parcast_count_dropped(&parcast_recorder.writer, 1);
  parcast_finish_silent(open);
}

void parcast_finish_unfollowed(struct parcast_open* open, uint32_t call) {
  parcast_define_call(open->thread, call);
  parcast_count_unfollowed(&parcast_recorder.writer, call);
  parcast_finish_silent(open);
}

static bool defined[PARCAST_CALL_COUNT];

static __attribute__((noinline)) void define_call(struct parcast_thread* thread, uint32_t call) {
  const struct parcast_call_row* row = &parcast_calls[call];
  if (parcast_put_call(&parcast_recorder.writer, &thread->stream, call, row->call_class, row->pattern,
                       row->name))
    __atomic_store_n(&defined[call], true, __ATOMIC_RELAXED);
}

void parcast_define_call(struct parcast_thread* thread, uint32_t call) {
  if (__builtin_expect(!__atomic_load_n(&defined[call], __ATOMIC_RELAXED), 0)) define_call(thread, call);
}
