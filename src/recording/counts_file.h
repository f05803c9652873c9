/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_COUNTS_FILE_H
#define PARCAST_RECORDING_COUNTS_FILE_H
/* Writes rank-N.counts (counts_format.h) from inside the program's process: no heap, no signals, no
 * descriptor kept open, and room allocated before it is touched. The caller must ensure that only one
 * thread runs these functions at a time. */

#include <stddef.h>

#include "recording/counts_format.h"

#ifdef __cplusplus
extern "C" {
#endif

struct parcast_counts_file {
  struct parcast_counts_header* header; /* header, keys and rows; null when not open */
  uint64_t device, inode;
  uint64_t limit; /* most bytes that the file may have */
  char path[4096];
};

/* Creates the file, which must not exist, with `header.modules` rows and no set. `header` needs rank,
 * processes, started, process_id, modules, set_bytes, host. Returns 0, or the errno of the failure. After
 * a failure an empty file remains, as a sign that something was counted but not kept. */
int parcast_counts_open(struct parcast_counts_file* file, const char* path,
                        const struct parcast_counts_header* header, const struct parcast_counts_row* rows,
                        uint64_t limit);
/* Adds a set in memory, with all counters 0 and all probes blank. Returns null when there is no room, and
 * the reason in *reason. */
char* parcast_counts_add(struct parcast_counts_file* file, const struct parcast_set_key* key,
                         enum parcast_stop* reason);
/* Maps complete pages of a set over memory at `at`. Returns false on failure; nothing has changed then. */
int parcast_counts_map_over(const struct parcast_counts_file* file, uint32_t set, uint64_t offset,
                            uint64_t bytes, void* at);

uint64_t parcast_counts_live_value(const struct parcast_counts_file* file, enum parcast_counts_live what);
void parcast_counts_set_live(struct parcast_counts_file* file, enum parcast_counts_live what, uint64_t value);

/* Sets the first word of each probe to "no value yet". */
void parcast_blank_probes(uint64_t* probes, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
