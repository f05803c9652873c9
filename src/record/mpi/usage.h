/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_USAGE_H
#define PARCAST_RECORD_USAGE_H
/* What a thread uses in regions besides time: page faults, switches, growth of memory, and hardware counters where asked
 * for. Sampled at begins and ends of regions at least 0.2 ms apart, else every 10 ms at an event, so that it costs less than
 * half a percent whatever the program does. What was used since the last sample counts for the region open now: where
 * regions are shorter than that distance, each gets its share on average. With paths by the stack (stack.h) a path is open from
 * one event in it to the next event. Phases of the probe are sampled apart from regions, so that neither is charged with what the
 * other's last sample left over. */

#include "record/mpi/counters.h"
#include "recording/usage.h"

struct parcast_thread;

/* Where the next difference begins. */
struct parcast_usage_since {
  bool known;
  uint64_t sampled; /* ticks */
  struct parcast_resources last, own;
  uint64_t counts[PARCAST_COUNTERS];
};

struct parcast_usage_state {
  uint32_t region;      /* with paths by the stack: that of the last event */
  uint64_t due;         /* ticks: an event later than that takes a sample */
  unsigned counting;    /* bits of counters that run */
  struct parcast_counters counters;
  struct parcast_usage_since regions, phases;
  struct parcast_usage_places places;
};

/* Whether usage is recorded at all, and with hardware counters: once; from then on, for this first thread. */
void parcast_usage_start(struct parcast_thread* thread, bool wanted, bool counters);
/* Another thread begins, or one ends: the calling one. */
void parcast_usage_begin(struct parcast_thread* thread);
void parcast_usage_end(struct parcast_thread* thread);
/* What was used since the last sample counts for the region open now; nothing while the class is switched off. */
void parcast_usage_sample(struct parcast_thread* thread);
/* The same, unless the last sample was just taken: whether it was. For the moment before a region begins or ends. */
bool parcast_usage_mark(struct parcast_thread* thread);
/* With paths by the stack: from the event just written on, the region is this one. */
void parcast_usage_enter(struct parcast_thread* thread, uint32_t region);
/* What was used up to now is nobody's. */
void parcast_usage_restart(struct parcast_thread* thread);

/* The probe's first phase begins. */
void parcast_usage_line(struct parcast_thread* thread);
struct parcast_phase_sample {
  struct parcast_phase_used used;
  struct parcast_phase_counts counts;
  bool counted;
};
/* A phase ends at `now`: what was used since the last one for which this was true. False within 0.2 ms of that, but not for the first, and where the
 * class is not recorded; switching the class off and on does not interrupt phases. */
bool parcast_usage_phase(struct parcast_thread* thread, uint64_t now, struct parcast_phase_sample* sample);

#endif
