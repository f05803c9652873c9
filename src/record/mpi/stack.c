/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/stack.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/mpi/handle_map.h"
#include "record/mpi/recorder.h"
#include "record/mpi/stack_range.h"
#include "recording/room.h"

bool parcast_stack_on;

enum {
  kPaths = 1 << 10,  /* paths kept per thread */
  kTries = 8,        /* places in the table where a path may be */
  kMostFrames = 256, /* most frames in a walk */
  /* most frames of the MPI library between the wrapper and the program */
  kMostBindings = 16,
  kMostWords = 2 * kMostFrames + 4,
  /* bytes for the words of a thread's paths; when exceeded, all paths are forgotten */
  kMostRoom = 1 << 20
};
#define UNKNOWN UINT32_MAX
/* Most time for walks: ALLOWANCE, plus 1 / SHARE of the time since the thread's first event. */
#define ALLOWANCE 100e6 /* nanoseconds */
#define SHARE 50

struct word {
  uint64_t offset; /* bytes above the wrapper's frame */
  uint64_t value;
};

struct path {
  const void* site; /* null: free */
  uintptr_t frame;
  struct word* words;
  uint32_t under;  /* the region set by the program */
  uint32_t region; /* UNKNOWN: no path was found */
  uint32_t count;  /* number of words */
};

struct parcast_stack {
  struct parcast_stack_range range;
  uint64_t began, spent; /* ticks */
  struct parcast_room room;
  uint32_t turn;
  struct path paths[kPaths];
  /* State of the current walk. */
  uintptr_t frame;
  uint32_t word_count, function_count;
  struct word words[kMostWords];
  struct parcast_function functions[kMostFrames];
};

static uint32_t slot_of(const void* site, uintptr_t frame, uint32_t under) {
  const uint64_t all = (uintptr_t)site * 0x9e3779b97f4a7c15ull ^ (frame + under) * 0xbf58476d1ce4e5b9ull;
  return (uint32_t)((all * 0x94d049bb133111ebull) >> 54);
}
_Static_assert(kPaths == 1 << 10, "slot_of leaves ten bits");

static uint64_t word_at(uintptr_t address) {
  return *(const parcast_word*)address;
}

/* Returns whether the words of a path with the same frame, on the same thread's stack, are unchanged. */
static inline bool still_so(const struct path* path) {
  for (uint32_t i = 0; i < path->count; ++i)
    if (word_at(path->frame + path->words[i].offset) != path->words[i].value) return false;
  return true;
}

static inline const struct path* known_path(const struct parcast_stack* stack, const void* site,
                                            uintptr_t frame, uint32_t under) {
  const uint32_t slot = slot_of(site, frame, under);
  for (uint32_t i = 0; i < kTries; ++i) {
    const struct path* path = &stack->paths[(slot + i) % kPaths];
    if (!path->site) return NULL;
    if (path->site == site && path->frame == frame && path->under == under && still_so(path)) return path;
  }
  return NULL;
}

static void forget_paths(struct parcast_stack* stack) {
  parcast_room_clear(&stack->room);
  memset(stack->paths, 0, sizeof stack->paths);
}

static struct path* place_for(struct parcast_stack* stack, uint32_t slot) {
  for (uint32_t i = 0; i < kTries; ++i)
    if (!stack->paths[(slot + i) % kPaths].site) return &stack->paths[(slot + i) % kPaths];
  return &stack->paths[(slot + stack->turn++ % kTries) % kPaths];
}

static void keep(struct parcast_stack* stack, const void* site, uint32_t under, uint32_t region) {
  if (stack->room.bytes > kMostRoom) forget_paths(stack);
  struct path* path = place_for(stack, slot_of(site, stack->frame, under));
  parcast_room_give(&stack->room, path->words, path->count * sizeof(struct word));
  struct word* words = parcast_room_take(&stack->room, stack->word_count * sizeof(struct word));
  if (words) memcpy(words, stack->words, stack->word_count * sizeof(struct word));
  *path = (struct path){site, stack->frame, words, under, region, words ? stack->word_count : 0};
  if (!words) path->frame = 0; /* matches no key: the place is in use but has no path */
}

/* A walk from the wrapper's frame outward. */
struct walk {
  struct parcast_stack* stack;
  uintptr_t pointer, frame; /* stack pointer and frame pointer */
  /* where the frame pointer is stored in the stack; 0: unknown */
  uintptr_t frame_at;
  bool frame_used; /* the frame pointer is one of the words that determine the path */
};

static bool read_word(const struct walk* walk, uintptr_t at, uintptr_t* value) {
  if (at % 8 != 0 || at < walk->stack->frame || at >= walk->stack->range.high) return false;
  *value = word_at(at);
  return true;
}

static bool note_word(struct walk* walk, uintptr_t at, uintptr_t value) {
  struct parcast_stack* stack = walk->stack;
  if (stack->word_count == kMostWords) return false;
  stack->words[stack->word_count++] = (struct word){at - stack->frame, value};
  return true;
}

static bool use_frame_pointer(struct walk* walk) {
  if (walk->frame_at == 0) return false;
  if (walk->frame_used) return true;
  walk->frame_used = true;
  return note_word(walk, walk->frame_at, walk->frame);
}

/* Reads the frame pointer. Its word determines the path only if the frame pointer is used. */
static bool take_frame_pointer(struct walk* walk, uintptr_t at) {
  walk->frame_at = at;
  walk->frame_used = false;
  return read_word(walk, at, &walk->frame);
}

static bool find_cfa(struct walk* walk, const struct parcast_rule* rule, uintptr_t* cfa) {
  const uintptr_t offset = (uintptr_t)(intptr_t)rule->cfa_offset;
  *cfa = walk->pointer + offset;
  if (rule->cfa == PARCAST_CFA_STACK) return true;
  if (!use_frame_pointer(walk)) return false;
  *cfa = walk->frame + offset;
  if (rule->cfa == PARCAST_CFA_FRAME) return true;
  const uintptr_t at = *cfa;
  return read_word(walk, at, cfa) && note_word(walk, at, *cfa);
}

/* Moves to the caller; returns false when the stack does not match the rule. */
static bool step(struct walk* walk, const struct parcast_rule* rule, uintptr_t* returns_to) {
  uintptr_t cfa = 0;
  if (!find_cfa(walk, rule, &cfa) || cfa <= walk->pointer) return false;
  const uintptr_t at = cfa + (uintptr_t)(intptr_t)rule->return_offset;
  if (!read_word(walk, at, returns_to) || !note_word(walk, at, *returns_to)) return false;
  const uintptr_t offset = (uintptr_t)(intptr_t)rule->frame_offset;
  if (rule->frame == PARCAST_FRAME_BY_CFA && !take_frame_pointer(walk, cfa + offset)) return false;
  if (rule->frame == PARCAST_FRAME_BY_FRAME &&
      !(use_frame_pointer(walk) && take_frame_pointer(walk, walk->frame + offset)))
    return false;
  if (rule->frame == PARCAST_FRAME_LOST) walk->frame_at = 0;
  walk->pointer = cfa;
  return true;
}

enum end { REACHED_THE_END, CUT, BROKEN };

/* Adds a function; direct recursion is added once. */
static void add_function(struct parcast_stack* stack, const struct parcast_function* function) {
  if (stack->function_count && stack->functions[stack->function_count - 1].start == function->start) return;
  stack->functions[stack->function_count++] = *function;
}

/* Returns whether an unknown caller is expected here, at the end of the stack. */
static bool is_at_the_end(const struct parcast_stack* stack, uintptr_t returns_to) {
  return stack->function_count &&
         (returns_to == 0 || stack->functions[stack->function_count - 1].of_c_library);
}

/* Collects the functions from the one that called at `site` outward, innermost first, and the words that
 * determine them. */
static enum end walk_outward(struct parcast_thread* thread, struct parcast_stack* stack, const void* site) {
  struct walk walk = {.stack = stack, .pointer = stack->frame + 16};
  uintptr_t returns_to = 0;
  stack->word_count = stack->function_count = 0;
  if (!take_frame_pointer(&walk, stack->frame) || !read_word(&walk, stack->frame + 8, &returns_to))
    return BROKEN;
  note_word(&walk, stack->frame + 8, returns_to);
  bool reached = false;
  for (int i = 0; i < kMostFrames; ++i) {
    const struct parcast_place place = parcast_place_of(thread, returns_to);
    reached = reached || returns_to == (uintptr_t)site;
    if (!reached && i == kMostBindings) return BROKEN;
    if (place.rule.cfa == PARCAST_CFA_OUTERMOST) return reached ? REACHED_THE_END : BROKEN;
    if (place.rule.cfa == PARCAST_CFA_UNKNOWN)
      return is_at_the_end(stack, returns_to) ? REACHED_THE_END : BROKEN;
    if (reached) add_function(stack, &place.function);
    if (!step(&walk, &place.rule, &returns_to)) return BROKEN;
  }
  return CUT;
}

/* Removes the callers of main and of thread functions: the C library is not part of the program. */
static void drop_c_library(struct parcast_stack* stack) {
  while (stack->function_count && stack->functions[stack->function_count - 1].of_c_library)
    --stack->function_count;
}

static uint32_t find_region(struct parcast_thread* thread, struct parcast_stack* stack, const void* site) {
  const enum end end = walk_outward(thread, stack, site);
  if (end == REACHED_THE_END) drop_c_library(stack);
  if (end == BROKEN || stack->function_count == 0) return UNKNOWN;
  const uint32_t found = stack->function_count,
                 count = found < PARCAST_LONGEST_PATH ? found : PARCAST_LONGEST_PATH;
  struct parcast_function outermost_first[PARCAST_LONGEST_PATH];
  for (uint32_t i = 0; i < count; ++i) outermost_first[count - 1 - i] = stack->functions[i];
  uint32_t under = thread->region;
  if (end == CUT || found > count) under = parcast_region(thread, under, "...");
  return parcast_region_of(thread, under, outermost_first, count);
}

/* Allocates a stack state. After a failure it does not try again at every event. */
static struct parcast_stack* new_stack(void) {
  static bool refused;
  if (__atomic_load_n(&refused, __ATOMIC_RELAXED)) return NULL;
  size_t bytes = sizeof(struct parcast_stack);
  struct parcast_stack* stack = parcast_pages(&bytes);
  if (stack)
    stack->began = parcast_ticks();
  else
    __atomic_store_n(&refused, true, __ATOMIC_RELAXED);
  return stack;
}

static bool may_walk(const struct parcast_stack* stack, uint64_t now) {
  const uint64_t allowance = (uint64_t)(ALLOWANCE / parcast_clock.nanoseconds_per_tick);
  return stack->spent < allowance + (now - stack->began) / SHARE;
}

/* Walks the stack. The time counts as the recorder's, not as computing. */
static uint32_t look_up(struct parcast_thread* thread, const void* site, uintptr_t frame) {
  struct parcast_stack* stack = thread->stack;
  const uint64_t begin = parcast_ticks();
  if (!site || !may_walk(stack, begin)) return UNKNOWN;
  uint32_t region = UNKNOWN;
  if (parcast_stack_range_holds(&stack->range, frame)) {
    stack->frame = frame;
    region = find_region(thread, stack, site);
    keep(stack, site, thread->region, region);
  }
  const uint64_t spent = parcast_ticks() - begin;
  stack->spent += spent;
  parcast_add_live(&parcast_recorder.writer, PARCAST_LIVE_OWN_TICKS, spent);
  parcast_restart_segment(thread);
  return region;
}

uint32_t parcast_stack_region(struct parcast_thread* thread, const void* site, uintptr_t frame, bool* known) {
  if (__builtin_expect(!thread->stack, 0)) thread->stack = new_stack();
  *known = thread->stack != NULL;
  if (!*known) return thread->region;
  const struct path* path = known_path(thread->stack, site, frame, thread->region);
  const uint32_t region = __builtin_expect(path != NULL, 1) ? path->region : look_up(thread, site, frame);
  *known = region != UNKNOWN;
  return *known ? region : thread->region;
}

void parcast_stack_forget(struct parcast_thread* thread) {
  struct parcast_stack* stack = thread->stack;
  if (!stack) return;
  forget_paths(stack);
  stack->range = (struct parcast_stack_range){0, 0};
  stack->began = parcast_ticks();
  stack->spent = 0;
}
