/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "parcast/parcast.h"
#include "record/mpi/recorder.h"

/* Region paths: (parent, name or function) -> number, in an open table that only grows; number 0 is the
 * empty path. The region API may be used before MPI_Init: its regions are written when the file is opened. */
enum {
  kSlots = 1 << 13,
  kMostRegions = kSlots / 2,
  kNameRoom = 1 << 18,
  kMostParameters = 64,
  kLongestName = 200
};

struct region {
  uint32_t parent;
  const char* name; /* null: slot is free */
  /* of a region on the stack; without a start: the program named the region */
  struct parcast_function function;
  bool written;
};
static struct region regions[kMostRegions];
static uint32_t region_count = 1;
static uint32_t slots[kSlots]; /* region number, 0: free */
static char names[kNameRoom];
static size_t names_used;

struct parameter {
  char name[kLongestName + 1];
  double value;
};
static struct parameter parameters[kMostParameters];
static uint32_t parameter_count;
static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;
/* parcast_left_out, also before the file is open */
static uint64_t left_out;

static __attribute__((noinline)) void leave_out(enum parcast_left_out what) {
  if (__atomic_fetch_or(&left_out, (uint64_t)what, __ATOMIC_RELAXED) & (uint64_t)what) return;
  if (*parcast_gate) parcast_note_left_out(&parcast_recorder.writer, (uint64_t)what);
}

/* State of the program's first thread before MPI_Init: it holds the stack of regions. */
static struct parcast_thread early_thread;

static uint32_t slot_of(uint32_t parent, const char* name) {
  uint64_t hash = parent + 1;
  for (const char* c = name; *c && c - name < kLongestName; ++c)
    hash = (hash ^ (unsigned char)*c) * 0x100000001b3ull;
  return (uint32_t)((hash * 0x9e3779b97f4a7c15ull) >> 51);
}

static uint32_t slot_of_function(uint32_t parent, uintptr_t start) {
  return (uint32_t)(((start ^ (uint64_t)parent << 40 ^ parent) * 0x9e3779b97f4a7c15ull) >> 51);
}

static bool same(const struct region* a, const struct region* b) {
  if (a->parent != b->parent || a->function.start != b->function.start) return false;
  return a->function.start || strncmp(a->name, b->name, kLongestName) == 0;
}

static void write_region(struct parcast_thread* thread, uint32_t number) {
  struct region* region = &regions[number];
  if (!thread || !parcast_recorder.writer.header || region->written) return;
  struct parcast_writer* writer = &parcast_recorder.writer;
  region->written = region->function.start
                        ? parcast_put_frame(writer, &thread->stream, number, region->parent,
                                            region->function.module, region->function.offset)
                        : parcast_put_region(writer, &thread->stream, number, region->parent, region->name);
}

static uint32_t new_region(struct parcast_thread* thread, const struct region* wanted, uint32_t slot) {
  uint32_t number = 0;
  pthread_mutex_lock(&growing);
  while (slots[slot] && !same(&regions[slots[slot]], wanted)) slot = (slot + 1) % kSlots;
  const size_t length = strnlen(wanted->name, kLongestName);
  if (slots[slot]) {
    number = slots[slot];
  } else if (region_count < kMostRegions && names_used + length + 1 <= kNameRoom) {
    number = region_count++;
    memcpy(names + names_used, wanted->name, length);
    regions[number] = (struct region){wanted->parent, names + names_used, wanted->function, false};
    names_used += length + 1;
    if (thread != &early_thread) write_region(thread, number);
    __atomic_store_n(&slots[slot], number, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&growing);
  if (!number) leave_out(PARCAST_LEFT_OUT_REGIONS);
  if (thread != &early_thread) parcast_restart_segment(thread);
  return number ? number : wanted->parent;
}

static uint32_t find(struct parcast_thread* thread, const struct region* wanted, uint32_t slot) {
  for (;;) {
    const uint32_t number = __atomic_load_n(&slots[slot], __ATOMIC_ACQUIRE);
    if (!number) return new_region(thread, wanted, slot);
    if (same(&regions[number], wanted)) return number;
    slot = (slot + 1) % kSlots;
  }
}

uint32_t parcast_region(struct parcast_thread* thread, uint32_t parent, const char* name) {
  const struct region wanted = {.parent = parent, .name = name};
  return find(thread, &wanted, slot_of(parent, name));
}

/* Returns the number of outermost functions that the path of a region and `functions` have in common. */
static uint32_t in_common(uint32_t region, const struct parcast_function* functions, uint32_t count) {
  uintptr_t outermost[PARCAST_LONGEST_PATH];
  uint32_t depth = 0;
  for (uint32_t i = region; i; i = regions[i].parent) depth += regions[i].function.start != 0;
  const uint32_t all = depth < PARCAST_LONGEST_PATH ? depth : PARCAST_LONGEST_PATH;
  for (uint32_t i = region; i; i = regions[i].parent)
    if (regions[i].function.start && --depth < PARCAST_LONGEST_PATH)
      outermost[depth] = regions[i].function.start;
  uint32_t common = 0;
  while (common < count && common < all && outermost[common] == functions[common].start) ++common;
  return common;
}

uint32_t parcast_region_of(struct parcast_thread* thread, uint32_t under,
                           const struct parcast_function* functions, uint32_t count) {
  uint32_t region = under;
  for (uint32_t i = in_common(under, functions, count); i < count; ++i) {
    const struct region wanted = {.parent = region, .name = "", .function = functions[i]};
    region = find(thread, &wanted, slot_of_function(region, functions[i].start));
  }
  return region;
}

static void write_environment_parameters(struct parcast_thread* thread) {
  const char* at = getenv("PARCAST_PARAM");
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  while (at && *at && plain) {
    const size_t length = strcspn(at, ",");
    const size_t name_length = strcspn(at, "=,");
    char name[201];
    if (name_length > 0 && name_length < length && name_length < sizeof name) {
      memcpy(name, at, name_length);
      name[name_length] = 0;
      char* end;
      const double value = strtod_l(at + name_length + 1, &end, plain);
      if (end == at + length)
        parcast_put_parameter(&parcast_recorder.writer, &thread->stream, name, value, 1);
    }
    at += length + (at[length] == ',');
  }
}

void parcast_define_regions(struct parcast_thread* thread) {
  const bool user = parcast_recorder.wanted & PARCAST_RECORD_USER;
  regions[0].name = "";
  for (uint32_t i = 0; i < (user ? region_count : 1); ++i) write_region(thread, i);
  for (uint32_t i = 0; i < parameter_count; ++i)
    parcast_put_parameter(&parcast_recorder.writer, &thread->stream, parameters[i].name, parameters[i].value,
                          0);
  write_environment_parameters(thread);
  if (left_out) parcast_note_left_out(&parcast_recorder.writer, left_out);
  if (!user) return;
  thread->region = early_thread.region;
  thread->depth = early_thread.depth;
  thread->too_deep = early_thread.too_deep;
  memcpy(thread->region_stack, early_thread.region_stack, sizeof thread->region_stack);
}

/* `parent`: the current region, or the function in it that begins a region. */
static void push(struct parcast_thread* thread, uint32_t parent, const char* name) {
  if (thread->depth == sizeof thread->region_stack / sizeof *thread->region_stack) {
    ++thread->too_deep;
    leave_out(PARCAST_LEFT_OUT_LEVELS);
    return;
  }
  thread->region_stack[thread->depth++] = thread->region;
  thread->region = parcast_region(thread, parent, name);
}

static void pop(struct parcast_thread* thread) {
  if (thread->too_deep) {
    --thread->too_deep;
  } else if (thread->depth) {
    thread->region = thread->region_stack[--thread->depth];
  }
}

struct parcast_thread* parcast_outside_mpi(void) {
  if (!*parcast_gate) return NULL;
  struct parcast_thread* thread = parcast_current ? parcast_current : parcast_new_thread();
  const bool inside = thread && thread->frame != 0 && (uintptr_t)__builtin_frame_address(0) < thread->frame;
  return inside ? NULL : thread;
}

/* Returns the thread's state when regions are recorded; null otherwise. Before MPI_Init there is one
 * state, for the thread that will call it; regions of other threads are not recorded then. */
static struct parcast_thread* recording_thread(void) {
  return parcast_recorder.wanted & PARCAST_RECORD_USER ? parcast_outside_mpi() : NULL;
}

static void write_mark(struct parcast_thread* thread, struct parcast_open* open, uint32_t call,
                       const void* site) {
  open->exit = open->enter;
  /* otherwise computing has just been restarted */
  if (!thread->exact_segment) thread->segment_start = open->enter;
  const struct parcast_parts parts = {.call = call, .site = site};
  parcast_finish(open, &parts);
}

static void open_mark(struct parcast_thread* thread, struct parcast_open* open) {
  open->thread = thread;
  open->flags = 0;
  open->compute = 0;
  thread->frame = 0; /* left by a wrapper that the program left by longjmp */
  open->enter = parcast_ticks();
  if (thread->exact_segment || parcast_clock_lost(open->enter - thread->segment_start))
    parcast_lost_before(open);
  if (thread->tracked) parcast_baton_end(open);
  thread->silent = false;
}

static void open_region_mark(struct parcast_thread* thread, struct parcast_open* open) {
  open_mark(thread, open);
  if (!parcast_records(PARCAST_RECORD_USER)) parcast_silence(open); /* its path is maintained nevertheless */
}

/* The mark of the switch belongs to no class. Otherwise a program that switched recording off would look
 * like one that stopped. */
void parcast_switch_classes(unsigned classes, uint32_t call, const void* site) {
  if (!*parcast_gate || classes == parcast_recorder.classes) return;
  struct parcast_thread* thread = parcast_outside_mpi();
  if (thread) {
    struct parcast_open open;
    open_mark(thread, &open);
    write_mark(thread, &open, call, site);
    parcast_usage_sample(thread);
  }
  __atomic_store_n(&parcast_recorder.classes, classes, __ATOMIC_RELAXED);
  if (!thread) return;
  parcast_usage_restart(thread);
  parcast_restart_segment(thread);
}

PARCAST_EXPORT void parcast_classes(const char* list) {
  const unsigned classes = list ? *list ? parcast_classes_in(list) : 0 : parcast_recorder.wanted;
  parcast_switch_classes(classes & parcast_recorder.wanted, PARCAST_CALL_parcast_classes,
                         __builtin_return_address(0));
}

PARCAST_EXPORT void parcast_region_begin(const char* name) {
  parcast_first_call();
  struct parcast_thread* thread = recording_thread();
  if (!name) name = "?";
  if (thread) {
    struct parcast_open open;
    open_region_mark(thread, &open);
    const bool sampled = parcast_usage_mark(thread);
    const void* site = __builtin_return_address(0);
    bool known;
    push(thread,
         parcast_stack_on ? parcast_stack_region(thread, site, (uintptr_t)__builtin_frame_address(0), &known)
                          : thread->region,
         name);
    write_mark(thread, &open, PARCAST_CALL_parcast_region_begin, site);
    if (sampled) parcast_restart_segment(thread);
  } else if (parcast_stage() == PARCAST_STAGE_EARLY) {
    push(&early_thread, early_thread.region, name);
  }
}

PARCAST_EXPORT void parcast_region_end(void) {
  struct parcast_thread* thread = recording_thread();
  if (thread) {
    struct parcast_open open;
    open_region_mark(thread, &open);
    const bool sampled = parcast_usage_mark(thread);
    write_mark(thread, &open, PARCAST_CALL_parcast_region_end, __builtin_return_address(0));
    pop(thread);
    thread->usage.region = thread->region;
    if (sampled) parcast_restart_segment(thread);
  } else if (parcast_stage() == PARCAST_STAGE_EARLY) {
    pop(&early_thread);
  }
}

static void keep_parameter(const char* name, double value) {
  pthread_mutex_lock(&growing);
  uint32_t i = 0;
  while (i < parameter_count && strncmp(parameters[i].name, name, kLongestName) != 0) ++i;
  if (i < kMostParameters) {
    if (i == parameter_count) {
      strncpy(parameters[i].name, name, kLongestName);
      ++parameter_count;
    }
    parameters[i].value = value;
  } else {
    leave_out(PARCAST_LEFT_OUT_PARAMETERS);
  }
  pthread_mutex_unlock(&growing);
}

PARCAST_EXPORT void parcast_parameter(const char* name, double value) {
  if (!name) return;
  parcast_first_call();
  if (parcast_stage() == PARCAST_STAGE_EARLY) {
    keep_parameter(name, value);
  } else if (*parcast_gate) {
    struct parcast_thread* thread = parcast_current ? parcast_current : parcast_new_thread();
    if (thread) parcast_put_parameter(&parcast_recorder.writer, &thread->stream, name, value, 0);
  }
}
