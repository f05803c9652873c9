/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_USAGE_H
#define PARCAST_RECORDING_USAGE_H
/* What threads used of the machine in regions: page faults, switches, memory. It stands in the file in one place per thread
 * and region, which is added to in place (format.h: parcast_usage), so that a process that dies leaves what it had used. */

#include <stdint.h>

#include "recording/format.h"
#include "recording/room.h"

#ifdef __cplusplus
extern "C" {
#endif

struct parcast_writer;

/* Of the calling thread since it began; of memory, of the process. */
struct parcast_resources {
  uint64_t minor_faults, major_faults;
  uint64_t voluntary, involuntary; /* switches */
  uint64_t peak_memory;            /* bytes */
};
/* False when the kernel does not tell. */
int parcast_read_resources(struct parcast_resources* resources);
/* Sums up what a thread used between two moments to write, which is not the host's: faults and switches in `into`, growth of
 * the process's memory with the writer, since all threads see that. */
void parcast_add_resources(struct parcast_writer* writer, struct parcast_resources* into, const struct parcast_resources* now,
                           const struct parcast_resources* before);
/* By how much the process's peak has grown since a thread asked last, what the writer used left out. */
uint64_t parcast_peak_growth(struct parcast_writer* writer, const struct parcast_resources* now);

/* The places of one thread, by region. Zero-initialised before first use. */
struct parcast_usage_places {
  struct parcast_usage** list;
  uint32_t capacity;
  struct parcast_room room;
};
/* The place of a region, made at its first use; null without room. */
struct parcast_usage* parcast_usage_place(struct parcast_writer* writer, struct parcast_usage_places* places,
                                          uint32_t thread, uint32_t region);

/* One value of a place; the reader takes it when it fits its twin. */
static inline void parcast_set_usage(struct parcast_usage* usage, enum parcast_used what, uint64_t value) {
  __atomic_store_n(&usage->values[what].value, value, __ATOMIC_RELAXED);
  __atomic_store_n(&usage->values[what].twin, value ^ parcast_usage_twin(usage->region, usage->thread), __ATOMIC_RELAXED);
}
static inline void parcast_add_usage(struct parcast_usage* usage, enum parcast_used what, uint64_t amount) {
  if (amount) parcast_set_usage(usage, what, usage->values[what].value + amount);
}

#ifdef __cplusplus
}
#endif

#endif
