/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/usage.h"

#include <string.h>

#include "record/mpi/recorder.h"

static bool wanted, with_counters;
static uint64_t mark_distance, event_distance; /* ticks */
/* the probe's thread, once a phase was sampled; only one thread has phases */
static struct parcast_thread* of_probe;

/* Keeps only these of the counters that all threads count. */
static void leave_counters(unsigned running) {
  struct parcast_writer* writer = &parcast_recorder.writer;
  pthread_mutex_lock(&writer->lock);
  parcast_set_live(writer, PARCAST_LIVE_COUNTERS,
                   writer->header->live[PARCAST_LIVE_COUNTERS].value & running);
  pthread_mutex_unlock(&writer->lock);
}

static void postpone(struct parcast_usage_state* usage) {
  usage->regions.sampled = parcast_ticks();
  usage->due = wanted ? usage->regions.sampled + event_distance : UINT64_MAX;
}

void parcast_usage_begin(struct parcast_thread* thread) {
  struct parcast_usage_state* usage = &thread->usage;
  usage->regions.known = false;
  if (with_counters) {
    usage->counting = parcast_counters_open(&usage->counters);
    if (thread->stream.thread == 0)
      parcast_set_live(&parcast_recorder.writer, PARCAST_LIVE_COUNTERS, usage->counting);
    else
      leave_counters(usage->counting);
  }
  parcast_usage_sample(thread);
  parcast_usage_line(thread);
}

void parcast_usage_end(struct parcast_thread* thread) {
  parcast_usage_sample(thread);
  parcast_counters_close(&thread->usage.counters);
  thread->usage.counting = 0;
}

static uint64_t grown(uint64_t now, uint64_t before) {
  return now > before ? now - before : 0;
}

/* Returns the recorder's own usage in a thread: for the blocks of its events, and for those of its phases
 * if it is the probe's thread. */
static struct parcast_resources own_of(const struct parcast_thread* thread) {
  struct parcast_resources own = thread->stream.own;
  if (__atomic_load_n(&of_probe, __ATOMIC_RELAXED) != thread) return own;
  const struct parcast_resources* phases = &parcast_recorder.writer.phases.own;
  own.minor_faults += phases->minor_faults;
  own.major_faults += phases->major_faults;
  own.voluntary += phases->voluntary;
  own.involuntary += phases->involuntary;
  return own;
}

/* Returns the program's part of `now` - `before`. */
static uint64_t of_host(uint64_t now, uint64_t before, uint64_t own_now, uint64_t own_before) {
  return grown(grown(now, before), grown(own_now, own_before));
}

/* Reads the counters. A counter that is not on the processor has no reliable value, now or later, so the
 * thread stops counting. */
static void read_counts(struct parcast_usage_state* usage, uint64_t counts[PARCAST_COUNTERS]) {
  memset(counts, 0, PARCAST_COUNTERS * sizeof *counts);
  if (!usage->counting || parcast_counters_read(&usage->counters, usage->counting, counts)) return;
  leave_counters(0);
  usage->counting = 0;
  memset(counts, 0, PARCAST_COUNTERS * sizeof *counts);
}

/* Resource use of the program's thread since the last sample; `peak_memory` is the process's peak now. */
struct used {
  struct parcast_resources resources;
  uint64_t counts[PARCAST_COUNTERS];
};

/* Computes the usage since the last call and begins the next difference, which is unknown while nothing is
 * recorded. Returns false when the current difference is unknown. */
static bool used_since(struct parcast_thread* thread, struct parcast_usage_since* since, bool on,
                       struct used* used) {
  struct parcast_resources now;
  const bool known = since->known;
  since->known = on && parcast_read_resources(&now);
  if (!since->known) return false;
  const struct parcast_resources own = own_of(thread), *last = &since->last, *own_last = &since->own;
  uint64_t counts[PARCAST_COUNTERS];
  read_counts(&thread->usage, counts);
  if (known) {
    used->resources = (struct parcast_resources){
        .minor_faults =
            of_host(now.minor_faults, last->minor_faults, own.minor_faults, own_last->minor_faults),
        .major_faults =
            of_host(now.major_faults, last->major_faults, own.major_faults, own_last->major_faults),
        .voluntary = of_host(now.voluntary, last->voluntary, own.voluntary, own_last->voluntary),
        .involuntary = of_host(now.involuntary, last->involuntary, own.involuntary, own_last->involuntary),
        .peak_memory = now.peak_memory};
    for (int i = 0; i < PARCAST_COUNTERS; ++i) used->counts[i] = grown(counts[i], since->counts[i]);
  }
  since->last = now;
  since->own = own;
  memcpy(since->counts, counts, sizeof counts);
  return known;
}

static void add(struct parcast_usage* place, const struct used* used) {
  parcast_add_usage(place, PARCAST_USED_MINOR_FAULTS, used->resources.minor_faults);
  parcast_add_usage(place, PARCAST_USED_MAJOR_FAULTS, used->resources.major_faults);
  parcast_add_usage(place, PARCAST_USED_VOLUNTARY, used->resources.voluntary);
  parcast_add_usage(place, PARCAST_USED_INVOLUNTARY, used->resources.involuntary);
  parcast_add_usage(place, PARCAST_USED_PEAK_GROWTH,
                    parcast_peak_growth(&parcast_recorder.writer, &used->resources));
  parcast_set_usage(place, PARCAST_USED_PEAK_MEMORY, used->resources.peak_memory);
  parcast_add_usage(place, PARCAST_USED_SAMPLES, 1);
  for (int i = 0; i < PARCAST_COUNTERS; ++i)
    parcast_add_usage(place, PARCAST_USED_CYCLES + i, used->counts[i]);
}

void parcast_usage_sample(struct parcast_thread* thread) {
  struct parcast_usage_state* usage = &thread->usage;
  struct used used;
  if (used_since(thread, &usage->regions, wanted && parcast_records(PARCAST_RECORD_MEMORY), &used)) {
    const uint32_t region = parcast_stack_on ? usage->region : thread->region;
    struct parcast_usage* place =
        parcast_usage_place(&parcast_recorder.writer, &usage->places, thread->stream.thread, region);
    if (place) add(place, &used);
  }
  postpone(usage);
}

bool parcast_usage_mark(struct parcast_thread* thread) {
  if (!wanted || parcast_ticks() - thread->usage.regions.sampled < mark_distance) return false;
  parcast_usage_sample(thread);
  return true;
}

void parcast_usage_enter(struct parcast_thread* thread, uint32_t region) {
  if (region == thread->usage.region) return;
  if (parcast_usage_mark(thread)) parcast_restart_segment(thread);
  thread->usage.region = region;
}

void parcast_usage_restart(struct parcast_thread* thread) {
  struct parcast_usage_since* since = &thread->usage.regions;
  since->known = false;
  parcast_usage_sample(thread);
  if (since->known) parcast_peak_growth(&parcast_recorder.writer, &since->last);
}

void parcast_usage_line(struct parcast_thread* thread) {
  struct used nobodys;
  thread->usage.phases.known = false;
  thread->usage.phases.sampled = 0;
  used_since(thread, &thread->usage.phases, wanted, &nobodys);
}

bool parcast_usage_phase(struct parcast_thread* thread, uint64_t now, struct parcast_phase_sample* sample) {
  struct parcast_usage_since* since = &thread->usage.phases;
  struct used used;
  if (!wanted || now - since->sampled < mark_distance) return false;
  __atomic_store_n(&of_probe, thread, __ATOMIC_RELAXED);
  if (!used_since(thread, since, true, &used)) return false;
  since->sampled = now;
  sample->used = (struct parcast_phase_used){used.resources.minor_faults, used.resources.major_faults,
                                             used.resources.voluntary, used.resources.involuntary};
  sample->counts = (struct parcast_phase_counts){used.counts[0], used.counts[1], used.counts[2]};
  sample->counted = thread->usage.counting != 0;
  return true;
}

void parcast_usage_start(struct parcast_thread* thread, bool is_wanted, bool counters) {
  wanted = is_wanted;
  with_counters = is_wanted && counters;
  mark_distance = (uint64_t)(200e3 / parcast_clock.nanoseconds_per_tick);
  event_distance = (uint64_t)(10e6 / parcast_clock.nanoseconds_per_tick);
  parcast_usage_begin(thread);
  parcast_usage_restart(thread);
}
