/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_USAGE_H
#define PARCAST_RECORD_USAGE_H
/* Resource use of a thread in regions besides time: page faults, context switches, growth of memory, and
 * hardware counters on request. It is sampled at begins and ends of regions at distances of 0.2 ms or more,
 * otherwise every 10 ms at an event. This costs less than half a percent of the time of any program. The
 * usage since the last sample counts for the current region; when regions are shorter than 0.2 ms, each gets
 * its share on average. With paths from the stack (stack.h) a path is current from one event in it to the
 * next event. Phases of the probe have separate samples, so that neither gets usage left over from the
 * other's last sample. */

#include "record/mpi/counters.h"
#include "recording/usage.h"

struct parcast_thread;

/* Start of the next difference. */
struct parcast_usage_since {
  bool known;
  uint64_t sampled; /* ticks */
  struct parcast_resources last, own;
  uint64_t counts[PARCAST_COUNTERS];
};

struct parcast_usage_state {
  /* with paths from the stack: region of the last event */
  uint32_t region;
  uint64_t due;      /* ticks: an event after this time takes a sample */
  unsigned counting; /* bits of counters that run */
  struct parcast_counters counters;
  struct parcast_usage_since regions, phases;
  struct parcast_usage_places places;
};

/* Sets whether usage is recorded, and with hardware counters. Called once; begins with this first thread. */
void parcast_usage_start(struct parcast_thread* thread, bool wanted, bool counters);
/* Called by a thread that begins or ends. */
void parcast_usage_begin(struct parcast_thread* thread);
void parcast_usage_end(struct parcast_thread* thread);
/* Counts the usage since the last sample for the current region; nothing while the class is switched off. */
void parcast_usage_sample(struct parcast_thread* thread);
/* Same, unless the last sample was too recent; returns whether it sampled. Called just before a region
 * begins or ends. */
bool parcast_usage_mark(struct parcast_thread* thread);
/* With paths from the stack: sets the region from the event just written on. */
void parcast_usage_enter(struct parcast_thread* thread, uint32_t region);
/* Discards the usage up to now. */
void parcast_usage_restart(struct parcast_thread* thread);

/* Begins the probe's first phase. */
void parcast_usage_line(struct parcast_thread* thread);
struct parcast_phase_sample {
  struct parcast_phase_used used;
  struct parcast_phase_counts counts;
  bool counted;
};
/* Takes a sample for a phase that ends at `now`: the usage since the last call that returned true. Returns
 * false within 0.2 ms of that call (except the first), and when the class is not recorded. Switching the
 * class off and on does not interrupt phases. */
bool parcast_usage_phase(struct parcast_thread* thread, uint64_t now, struct parcast_phase_sample* sample);

#endif
