/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_COUNTERS_H
#define PARCAST_RECORD_COUNTERS_H
/* Hardware counters of a thread, read without a system call and without an open descriptor. The kernel's
 * page of an event (perf_event_open(2), perf_event_mmap_page) remains after its descriptor is closed, and
 * describes how to read the processor's counter. Only the program's instructions count, not those of the
 * kernel on its behalf. */

#include <stdbool.h>
#include <stdint.h>

/* cycles, instructions, cache misses: PARCAST_USED_CYCLES and the two after it */
enum { PARCAST_COUNTERS = 3 };

struct parcast_counters {
  void* pages[PARCAST_COUNTERS]; /* null: not counted */
};

/* Begins to count for the calling thread. Bit i of the result: counter i runs and can be read. */
unsigned parcast_counters_open(struct parcast_counters* counters);
/* Reads the counters in `which`. Returns false when one of them is not on the processor now, so that its
 * value is unknown. */
bool parcast_counters_read(const struct parcast_counters* counters, unsigned which,
                           uint64_t values[PARCAST_COUNTERS]);
void parcast_counters_close(struct parcast_counters* counters);

#endif
