/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_COUNTS_FORMAT_H
#define PARCAST_RECORDING_COUNTS_FORMAT_H
/* The bytes of a rank-N.counts file: what a program that was compiled with the pass (counted.h) counts while it is recorded.
 * The program counts in the file's own pages, so that whatever ends the process, all it has counted is there.
 *
 *   0       header page: what does not change, with a check; then live values, each with its twin
 *   4096    keys: one for each set, in the order of sets; blank: none
 *   12288   modules: one row for each object file, up to the next whole page
 *   first   sets of set_bytes each, whole pages
 *
 * A set holds the counters and the probes of all modules once, as they lie in memory: it can be mapped over them. Counters
 * are words that the program itself adds to; nothing proves one of them. Header, keys and rows do, each by its own check.
 * Numbers are little-endian; calls, regions and sites have the numbers of rank-N.rec. docs/formats/recording.md. */

#include "recording/counted.h"
#include "recording/format.h"

#define PARCAST_COUNTS_MAGIC 0x31544e4354534350ull /* "PCSTCNT1" */
#define PARCAST_COUNTS_VERSION 1u        /* as it is while the program counts */
#define PARCAST_PACKED_COUNTS_VERSION 2u /* when the run has ended: counts_packing.h */
#define PARCAST_MOST_SETS 512u
#define PARCAST_KEYS_PLACE 4096u
#define PARCAST_ROWS_PLACE (PARCAST_KEYS_PLACE + PARCAST_MOST_SETS * 16u)

enum parcast_set_kind {
  PARCAST_SET_NONE,
  PARCAST_SET_START,  /* before the first event; and threads that the recorder does not know */
  PARCAST_SET_OTHERS, /* what found no set of its own */
  PARCAST_SET_EVENT,  /* behind events of one call, site and region, up to the next event */
  PARCAST_SET_THREAD  /* a thread other than the one that began the recording */
};
/* Sets 0 and 1 are always there. */
enum { PARCAST_FIRST_SET, PARCAST_OTHERS_SET };

struct parcast_set_key {
  uint16_t kind, call;
  uint32_t region, site;
  uint32_t check; /* of this key with this field 0, at its place */
};

struct parcast_counts_row {
  uint64_t id; /* of the module's facts */
  uint64_t counts, probes;
  uint64_t offset; /* in a set: `counts` words, then `probes` probes */
  uint32_t reserved, check; /* of this row with this field 0, at its place */
};

enum parcast_counts_live { /* index into parcast_counts_header.live */
  PARCAST_COUNTS_SETS,
  PARCAST_COUNTS_TOGETHER, /* keys whose executions are counted among the others */
  PARCAST_COUNTS_THREADS,  /* threads that are */
  PARCAST_COUNTS_STOP,     /* parcast_stop: why; PARCAST_STOP_NONE: there was nothing left but room of ours */
  PARCAST_COUNTS_LEFT_OUT, /* libraries that count and are left out: loaded after the program's start */
  PARCAST_COUNTS_LIVE
};

struct parcast_counts_header {
  uint64_t magic;
  uint32_t version;
  uint32_t check; /* of everything before `live`, this field 0 */
  int32_t rank, processes;
  uint64_t started; /* as in rank-N.rec: nanoseconds since 1970, UTC */
  uint64_t process_id;
  uint64_t modules;
  uint64_t first, set_bytes;
  char host[64];
  struct parcast_twin live[PARCAST_COUNTS_LIVE];
};

#endif
