/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_COUNTS_FILE_H
#define PARCAST_RECORDING_COUNTS_FILE_H
/* Writes rank-N.counts (counts_format.h) from inside somebody else's process: no heap, no signals, no descriptor held, room
 * allocated before it is touched. The caller takes care that only one thread is in here at a time. */

#include <stddef.h>

#include "recording/counts_format.h"

#ifdef __cplusplus
extern "C" {
#endif

struct parcast_counts_file {
  struct parcast_counts_header* header; /* header, keys and rows; null: not open */
  uint64_t device, inode;
  uint64_t limit; /* bytes that the file may have */
  char path[4096];
};

/* Creates the file, which must not exist, with the `header.modules` rows and no set; `header`: rank, processes, started,
 * process_id, modules, set_bytes, host. 0, or the errno of what failed: then the file stays, empty, as a sign that
 * something was counted and not kept. */
int parcast_counts_open(struct parcast_counts_file* file, const char* path, const struct parcast_counts_header* header,
                        const struct parcast_counts_row* rows, uint64_t limit);
/* One more set in memory, all counters 0 and all probes blank; null where there is no room, and why in *reason. */
char* parcast_counts_add(struct parcast_counts_file* file, const struct parcast_set_key* key, enum parcast_stop* reason);
/* Maps a part of a set, whole pages, over memory at `at`. False when that failed, and nothing has changed. */
int parcast_counts_map_over(const struct parcast_counts_file* file, uint32_t set, uint64_t offset, uint64_t bytes, void* at);

uint64_t parcast_counts_live_value(const struct parcast_counts_file* file, enum parcast_counts_live what);
void parcast_counts_set_live(struct parcast_counts_file* file, enum parcast_counts_live what, uint64_t value);

/* The first word of each probe says that there is no value yet. */
void parcast_blank_probes(uint64_t* probes, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
