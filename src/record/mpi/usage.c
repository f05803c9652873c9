/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/usage.h"

#include <string.h>

#include "record/mpi/recorder.h"

static bool wanted, with_counters;
static uint64_t mark_distance, event_distance; /* ticks */

/* Of what all threads count, only these go on being told. */
static void leave_counters(unsigned running) {
  struct parcast_writer* writer = &parcast_recorder.writer;
  pthread_mutex_lock(&writer->lock);
  parcast_set_live(writer, PARCAST_LIVE_COUNTERS, writer->header->live[PARCAST_LIVE_COUNTERS].value & running);
  pthread_mutex_unlock(&writer->lock);
}

static void postpone(struct parcast_usage_state* usage) {
  usage->sampled = parcast_ticks();
  usage->due = wanted ? usage->sampled + event_distance : UINT64_MAX;
}

void parcast_usage_begin(struct parcast_thread* thread) {
  struct parcast_usage_state* usage = &thread->usage;
  usage->known = false;
  if (with_counters) {
    usage->counting = parcast_counters_open(&usage->counters);
    if (thread->stream.thread == 0)
      parcast_set_live(&parcast_recorder.writer, PARCAST_LIVE_COUNTERS, usage->counting);
    else
      leave_counters(usage->counting);
  }
  parcast_usage_sample(thread);
}

void parcast_usage_end(struct parcast_thread* thread) {
  parcast_usage_sample(thread);
  parcast_counters_close(&thread->usage.counters);
  thread->usage.counting = 0;
}

static uint64_t grown(uint64_t now, uint64_t before) { return now > before ? now - before : 0; }

/* Of `now` - `before` the part that is the host's. */
static uint64_t of_host(uint64_t now, uint64_t before, uint64_t own_now, uint64_t own_before) {
  return grown(grown(now, before), grown(own_now, own_before));
}

static void add(struct parcast_usage* place, const struct parcast_resources* now, const struct parcast_resources* own_now,
                const struct parcast_usage_state* since) {
  const struct parcast_resources *last = &since->last, *own = &since->own;
  parcast_add_usage(place, PARCAST_USED_MINOR_FAULTS,
                    of_host(now->minor_faults, last->minor_faults, own_now->minor_faults, own->minor_faults));
  parcast_add_usage(place, PARCAST_USED_MAJOR_FAULTS,
                    of_host(now->major_faults, last->major_faults, own_now->major_faults, own->major_faults));
  parcast_add_usage(place, PARCAST_USED_VOLUNTARY,
                    of_host(now->voluntary, last->voluntary, own_now->voluntary, own->voluntary));
  parcast_add_usage(place, PARCAST_USED_INVOLUNTARY,
                    of_host(now->involuntary, last->involuntary, own_now->involuntary, own->involuntary));
  parcast_add_usage(place, PARCAST_USED_PEAK_GROWTH, parcast_peak_growth(&parcast_recorder.writer, now));
  parcast_set_usage(place, PARCAST_USED_PEAK_MEMORY, now->peak_memory);
  parcast_add_usage(place, PARCAST_USED_SAMPLES, 1);
}

/* A counter that is not on the processor has no value that could be trusted, now or later: the thread counts no more. */
static void add_counts(struct parcast_usage_state* usage, struct parcast_usage* place) {
  uint64_t counts[PARCAST_COUNTERS] = {0};
  if (!parcast_counters_read(&usage->counters, usage->counting, counts)) {
    leave_counters(0);
    usage->counting = 0;
    return;
  }
  for (int i = 0; place && i < PARCAST_COUNTERS; ++i)
    parcast_add_usage(place, PARCAST_USED_CYCLES + i, grown(counts[i], usage->counts[i]));
  memcpy(usage->counts, counts, sizeof counts);
}

void parcast_usage_sample(struct parcast_thread* thread) {
  struct parcast_usage_state* usage = &thread->usage;
  struct parcast_resources now;
  struct parcast_usage* place = NULL;
  const bool on = wanted && parcast_records(PARCAST_RECORD_MEMORY) && parcast_read_resources(&now);
  if (on && usage->known) {
    const uint32_t region = parcast_stack_on ? usage->region : thread->region;
    place = parcast_usage_place(&parcast_recorder.writer, &usage->places, thread->stream.thread, region);
    if (place) add(place, &now, &thread->stream.own, usage);
  }
  if (on && usage->counting) add_counts(usage, place);
  if (on) {
    usage->last = now;
    usage->own = thread->stream.own;
  }
  usage->known = on;
  postpone(usage);
}

bool parcast_usage_mark(struct parcast_thread* thread) {
  if (!wanted || parcast_ticks() - thread->usage.sampled < mark_distance) return false;
  parcast_usage_sample(thread);
  return true;
}

void parcast_usage_enter(struct parcast_thread* thread, uint32_t region) {
  if (region == thread->usage.region) return;
  if (parcast_usage_mark(thread)) parcast_restart_segment(thread);
  thread->usage.region = region;
}

void parcast_usage_restart(struct parcast_thread* thread) {
  thread->usage.known = false;
  parcast_usage_sample(thread);
  if (thread->usage.known) parcast_peak_growth(&parcast_recorder.writer, &thread->usage.last);
}

void parcast_usage_start(struct parcast_thread* thread, bool is_wanted, bool counters) {
  wanted = is_wanted;
  with_counters = is_wanted && counters;
  mark_distance = (uint64_t)(200e3 / parcast_clock.nanoseconds_per_tick);
  event_distance = (uint64_t)(10e6 / parcast_clock.nanoseconds_per_tick);
  parcast_usage_begin(thread);
  parcast_usage_restart(thread);
}
