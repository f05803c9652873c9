/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_USAGE_H
#define PARCAST_RECORDING_USAGE_H
/* Resource use of threads in regions: page faults, context switches, memory. The file has one place per
 * thread and region, which is updated in place (format.h: parcast_usage), so that a process that dies leaves
 * its usage. */

#include <stdint.h>

#include "recording/format.h"
#include "recording/room.h"

#ifdef __cplusplus
extern "C" {
#endif

struct parcast_writer;

/* Usage of the calling thread since it began; `peak_memory` is that of the process. */
struct parcast_resources {
  uint64_t minor_faults, major_faults;
  uint64_t voluntary, involuntary; /* context switches */
  uint64_t peak_memory;            /* bytes */
};
/* Returns false when the kernel does not provide the values. */
int parcast_read_resources(struct parcast_resources* resources);
/* Adds what the recorder itself used between two moments, which must not count as the program's usage.
 * Faults and switches are added to `into`; growth of the process's memory is added to the writer, since
 * all threads see it. */
void parcast_add_resources(struct parcast_writer* writer, struct parcast_resources* into,
                           const struct parcast_resources* now, const struct parcast_resources* before);
/* Returns the growth of the process's peak memory since the last call by any thread, without the writer's
 * own part. */
uint64_t parcast_peak_growth(struct parcast_writer* writer, const struct parcast_resources* now);

/* The places of one thread, by region. Zero-initialise it before first use. */
struct parcast_usage_places {
  struct parcast_usage** list;
  uint32_t capacity;
  struct parcast_room room;
};
/* Returns the place of a region, created on first use; null when there is no memory. */
struct parcast_usage* parcast_usage_place(struct parcast_writer* writer, struct parcast_usage_places* places,
                                          uint32_t thread, uint32_t region);

/* Sets one value of a place. The reader accepts a value that matches its twin. */
static inline void parcast_set_usage(struct parcast_usage* usage, enum parcast_used what, uint64_t value) {
  __atomic_store_n(&usage->values[what].value, value, __ATOMIC_RELAXED);
  __atomic_store_n(&usage->values[what].twin, value ^ parcast_usage_twin(usage->region, usage->thread),
                   __ATOMIC_RELAXED);
}
static inline void parcast_add_usage(struct parcast_usage* usage, enum parcast_used what, uint64_t amount) {
  if (amount) parcast_set_usage(usage, what, usage->values[what].value + amount);
}

#ifdef __cplusplus
}
#endif

#endif
