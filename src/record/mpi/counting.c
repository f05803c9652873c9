/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/counting.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/mpi/counted.h"
#include "record/mpi/counting_threads.h"
#include "record/mpi/handle_map.h"
#include "record/mpi/recorder.h"
#include "recording/counts_file.h"

/* Sets of events leave some sets for threads. kMostKeys limits the number of distinguished keys, with or
 * without a set. */
enum { kSlots = 1 << 12, kMostKeys = kSlots / 2, kMostEventSets = PARCAST_MOST_SETS - 64 };

struct parcast_thread* parcast_counting;

static struct parcast_counted found;
static uint64_t loaded; /* number of libraries when the program started */
/* true from the recording's start; never in a forked child */
static bool on;
static struct {
  struct parcast_counts_file file;
  uint64_t offsets[PARCAST_MOST_BINARIES]; /* offset of a binary's counters in a set */
  char* sets[PARCAST_MOST_SETS];
  uint32_t event_sets;
  uint32_t unused[PARCAST_MOST_SETS], unused_count; /* sets of threads that have ended */
} kept;

/* The keys of events, in an open table that only grows. Only the thread that counts by events uses it. */
static struct {
  uint64_t key; /* 0: free */
  uint32_t set;
} slots[kSlots];
static struct {
  int64_t* words[PARCAST_MOST_BINARIES];
  uint64_t key, key_before_trials;
  uint32_t set, set_before_trials, keys;
  bool trying;
} by_events;

/* Counts a key or a thread that got no set, and stores the first reason. */
static void give_up(enum parcast_counts_live what, enum parcast_stop reason) {
  parcast_counts_set_live(&kept.file, what, parcast_counts_live_value(&kept.file, what) + 1);
  if (parcast_counts_live_value(&kept.file, PARCAST_COUNTS_STOP) == PARCAST_STOP_NONE)
    parcast_counts_set_live(&kept.file, PARCAST_COUNTS_STOP, reason);
}

/* Adds a set; returns PARCAST_OTHERS_SET when there is no room. */
static uint32_t new_set(const struct parcast_set_key* key, enum parcast_counts_live otherwise) {
  const uint32_t set = (uint32_t)parcast_counts_live_value(&kept.file, PARCAST_COUNTS_SETS);
  enum parcast_stop reason = PARCAST_STOP_LIMIT;
  const bool may = key->kind != PARCAST_SET_EVENT || kept.event_sets < kMostEventSets;
  char* memory = may ? parcast_counts_add(&kept.file, key, &reason) : NULL;
  if (!memory) {
    give_up(otherwise, reason);
    return PARCAST_OTHERS_SET;
  }
  kept.sets[set] = memory;
  kept.event_sets += key->kind == PARCAST_SET_EVENT;
  return set;
}

void parcast_counting_point(int64_t* const words[PARCAST_MOST_BINARIES], uint32_t set) {
  for (uint32_t i = 0; i < found.count; ++i)
    *words[i] = set == PARCAST_FIRST_SET
                    ? 0
                    : (int64_t)(kept.sets[set] + kept.offsets[i] - found.binaries[i].counters);
}

void parcast_counting_words(int64_t* words[PARCAST_MOST_BINARIES]) {
  for (uint32_t i = 0; i < found.count; ++i) words[i] = found.binaries[i].displacement();
}

uint32_t parcast_counting_take_set(void) {
  static const struct parcast_set_key key = {.kind = PARCAST_SET_THREAD};
  return kept.unused_count ? kept.unused[--kept.unused_count] : new_set(&key, PARCAST_COUNTS_THREADS);
}

void parcast_counting_give_set(uint32_t set) {
  if (set > PARCAST_OTHERS_SET) kept.unused[kept.unused_count++] = set;
}

static void note_left_out(void) {
  static uint64_t seen;
  const uint64_t now = parcast_libraries_loaded();
  if (now == (seen ? seen : loaded)) return;
  seen = now;
  struct parcast_counted all;
  parcast_find_counted(&all);
  uint64_t more = (uint64_t)all.count + all.left_out;
  for (uint32_t i = 0; i < all.count; ++i)
    for (uint32_t k = 0; k < found.count; ++k) more -= all.binaries[i].counters == found.binaries[k].counters;
  if (more > parcast_counts_live_value(&kept.file, PARCAST_COUNTS_LEFT_OUT))
    parcast_counts_set_live(&kept.file, PARCAST_COUNTS_LEFT_OUT, more);
}

/* Adds a set for a kind of event. The time counts as the recorder's. */
static uint32_t new_event_set(uint64_t key, uint32_t region, uint32_t call, uint32_t site) {
  struct parcast_writer* writer = &parcast_recorder.writer;
  struct parcast_stream* stream = &parcast_counting->stream;
  struct parcast_resources before, after;
  const uint64_t begin = parcast_ticks();
  const int error = errno, told = parcast_read_resources(&before);
  const struct parcast_set_key wanted = {
      .kind = PARCAST_SET_EVENT, .call = (uint16_t)call, .region = region, .site = site};
  parcast_counting_lock();
  note_left_out();
  const uint32_t set = new_set(&wanted, PARCAST_COUNTS_TOGETHER);
  parcast_counting_unlock();
  uint32_t slot = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 52);
  while (slots[slot].key) slot = (slot + 1) % kSlots;
  slots[slot].set = set;
  slots[slot].key = key;
  ++by_events.keys;
  if (told && parcast_read_resources(&after)) parcast_add_resources(writer, &stream->own, &after, &before);
  parcast_restart_segment(parcast_counting);
  stream->own_ticks += parcast_counting->segment_start - begin;
  errno = error;
  return set;
}

static uint32_t set_of(uint64_t key, uint32_t region, uint32_t call, uint32_t site) {
  for (uint32_t slot = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 52);; slot = (slot + 1) % kSlots) {
    if (slots[slot].key == key) return slots[slot].set;
    if (!slots[slot].key) break;
  }
  return by_events.trying || by_events.keys == kMostKeys ? PARCAST_OTHERS_SET
                                                         : new_event_set(key, region, call, site);
}
_Static_assert(kSlots == 1 << 12, "twelve bits are left of a hash");

void parcast_counting_turn(uint32_t region, uint32_t call, uint32_t site) {
  const uint64_t key = 1ull << 63 | (uint64_t)region << 40 | (uint64_t)site << 16 | call;
  if (key == by_events.key) return;
  by_events.key = key;
  by_events.set = set_of(key, region, call, site);
  parcast_counting_point(by_events.words, by_events.set);
}

void parcast_counting_try(void) {
  by_events.key_before_trials = by_events.key;
  by_events.set_before_trials = by_events.set;
  by_events.trying = true;
}

void parcast_counting_tried(void) {
  by_events.trying = false;
  if (!parcast_counting) return;
  by_events.key = by_events.key_before_trials;
  by_events.set = by_events.set_before_trials;
  parcast_counting_point(by_events.words, by_events.set);
}

/* Builds the rows of all modules of all binaries, and their places in a set. */
static struct parcast_counts_row* make_rows(uint64_t* count, uint64_t* set_bytes, size_t* bytes) {
  *count = *set_bytes = 0;
  for (uint32_t i = 0; i < found.count; ++i) {
    *count += found.binaries[i].module_count;
    kept.offsets[i] = *set_bytes;
    *set_bytes += found.binaries[i].bytes;
  }
  *bytes = *count * sizeof(struct parcast_counts_row);
  struct parcast_counts_row *rows = parcast_pages(bytes), *row = rows;
  for (uint32_t i = 0; rows && i < found.count; ++i) {
    const struct parcast_counted_binary* binary = &found.binaries[i];
    for (uint64_t k = 0; k < binary->module_count; ++k) {
      const struct parcast_counted_module* module = &binary->modules[k];
      *row++ = (struct parcast_counts_row){
          .id = module->id,
          .counts = module->counts,
          .probes = module->probes,
          .offset = kept.offsets[i] + (uint64_t)((char*)module->counters - binary->counters)};
    }
  }
  return rows;
}

static bool open_file(const char* folder) {
  char path[4096];
  const struct parcast_header* rank = parcast_recorder.writer.header;
  struct parcast_counts_header header = {.rank = rank->rank,
                                         .processes = rank->processes,
                                         .started = rank->started,
                                         .process_id = rank->process_id};
  memcpy(header.host, rank->host, sizeof header.host);
  const int length = snprintf(path, sizeof path, "%s/rank-%d.counts", folder, (int)rank->rank);
  size_t bytes;
  struct parcast_counts_row* rows = make_rows(&header.modules, &header.set_bytes, &bytes);
  const bool opened = rows && length > 0 && length < (int)sizeof path &&
                      parcast_counts_open(&kept.file, path, &header, rows, rank->limit / 4) == 0;
  parcast_pages_free(rows, bytes);
  return opened;
}

/* Creates the first two sets. The first one gets the counts so far and replaces the memory of the
 * counters. */
static bool begin_sets(void) {
  static const struct parcast_set_key start = {.kind = PARCAST_SET_START},
                                      others = {.kind = PARCAST_SET_OTHERS};
  enum parcast_stop reason;
  char* first = parcast_counts_add(&kept.file, &start, &reason);
  kept.sets[PARCAST_OTHERS_SET] = first ? parcast_counts_add(&kept.file, &others, &reason) : NULL;
  if (!kept.sets[PARCAST_OTHERS_SET]) {
    parcast_counts_set_live(&kept.file, PARCAST_COUNTS_STOP, reason);
    return false;
  }
  for (uint32_t i = 0; i < found.count; ++i) {
    const struct parcast_counted_binary* binary = &found.binaries[i];
    memcpy(first + kept.offsets[i], binary->counters, binary->bytes);
    if (!parcast_counts_map_over(&kept.file, PARCAST_FIRST_SET, kept.offsets[i], binary->bytes,
                                 binary->counters))
      /* set 0 does without it */
      parcast_counts_set_live(&kept.file, PARCAST_COUNTS_STOP, PARCAST_STOP_MEMORY);
  }
  munmap(first, kept.file.header->set_bytes);
  parcast_counts_set_live(&kept.file, PARCAST_COUNTS_LEFT_OUT, found.left_out);
  return true;
}

void parcast_counting_start(struct parcast_thread* thread, const char* folder) {
  if (!found.count) return;
  struct parcast_in_module in;
  for (uint32_t i = 0; i < found.count; ++i)
    parcast_find_module(thread, (uintptr_t)found.binaries[i].counters, &in);
  parcast_counting_lock();
  if (open_file(folder) && begin_sets()) {
    parcast_counting_words(by_events.words);
    parcast_counting_all_threads();
    note_left_out();
    parcast_counting = thread;
    on = true;
  }
  parcast_counting_unlock();
}

void parcast_counting_leave(void) {
  parcast_counting = NULL;
}

bool parcast_counting_is_on(void) {
  return on;
}

void parcast_counting_end(void) {
  if (!on) return;
  parcast_counting_lock();
  note_left_out();
  parcast_counting_unlock();
}

/* Makes a forked child count in its own memory, as without the recorder. */
void parcast_counting_in_child(void) {
  if (!on) return;
  on = false;
  parcast_counting = NULL;
  for (uint32_t i = 0; i < found.count; ++i) {
    const struct parcast_counted_binary* binary = &found.binaries[i];
    mmap(binary->counters, binary->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
         0);
    *binary->displacement() = 0;
  }
}

/* Sets unused probes to blank. Before a recording the counters belong to the program; values that earlier
 * libraries gave to a probe stay. */
static void blank_probes(void) {
  for (uint32_t i = 0; i < found.count; ++i)
    for (uint64_t k = 0; k < found.binaries[i].module_count; ++k) {
      const struct parcast_counted_module* module = &found.binaries[i].modules[k];
      for (uint64_t j = 0; j < module->probes; ++j) {
        uint64_t* probe = module->counters + module->counts + j * PARCAST_PROBE_WORDS;
        if (!probe[PARCAST_PROBE_VALUE] && !probe[PARCAST_PROBE_SEEN]) parcast_blank_probes(probe, 1);
      }
    }
}

/* A program that counts and has no MPI is recorded from its start, since it is unknown whether it will
 * ever name a region. */
__attribute__((constructor)) static void look_at_start(void) {
  const char* wanted = getenv("PARCAST_OUT");
  if (!wanted || !*wanted) return;
  const int before = errno;
  parcast_find_counted(&found);
  if (found.count) {
    loaded = parcast_libraries_loaded();
    blank_probes();
    if (parcast_counting_threads_begin())
      parcast_start_alone();
    else
      found.count = 0;
  }
  errno = before;
}
