/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_COUNTERS_H
#define PARCAST_RECORD_COUNTERS_H
/* Hardware counters of a thread, read without a system call and without a descriptor held: the kernel's page of an event
 * (perf_event_open(2), perf_event_mmap_page) stays when its descriptor is closed, and tells how the processor's own counter
 * is to be read. Counters are of the program, not of the kernel on its behalf. */

#include <stdbool.h>
#include <stdint.h>

enum { PARCAST_COUNTERS = 3 }; /* cycles, instructions, cache misses: PARCAST_USED_CYCLES and the two after it */

struct parcast_counters {
  void* pages[PARCAST_COUNTERS]; /* null: not counted */
};

/* Begins to count for the calling thread; bit i: counter i runs and can be read. */
unsigned parcast_counters_open(struct parcast_counters* counters);
/* Those in `which`; false when one is not on the processor now, so that its value is not known. */
bool parcast_counters_read(const struct parcast_counters* counters, unsigned which, uint64_t values[PARCAST_COUNTERS]);
void parcast_counters_close(struct parcast_counters* counters);

#endif
