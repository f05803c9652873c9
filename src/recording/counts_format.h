/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_COUNTS_FORMAT_H
#define PARCAST_RECORDING_COUNTS_FORMAT_H
/* The layout of a rank-N.counts file: what a program compiled with the pass (counted.h) counts during
 * recording. The program counts directly in the file's pages, so that its counts survive any end of the
 * process.
 *
 *   0       header page: constant fields, with a check; then live values, each with its twin
 *   4096    keys: one for each set, in the order of sets; a blank key has no set
 *   12288   modules: one row for each object file, up to the next complete page
 *   first   sets of set_bytes each, complete pages
 *
 * A set holds the counters and the probes of all modules once, in their memory layout, so that it can be
 * mapped over them. Counters are words that the program itself increments; no check covers them. Header,
 * keys and rows have checks. Numbers are little-endian; calls, regions and sites have the numbers of
 * rank-N.rec. docs/formats/recording.md. */

#include "recording/counted.h"
#include "recording/format.h"

#define PARCAST_COUNTS_MAGIC 0x31544e4354534350ull /* "PCSTCNT1" */
#define PARCAST_COUNTS_VERSION 1u                  /* layout while the program counts */
#define PARCAST_PACKED_COUNTS_VERSION 2u           /* layout after the run: counts_packing.h */
#define PARCAST_MOST_SETS 512u
#define PARCAST_KEYS_PLACE 4096u
#define PARCAST_ROWS_PLACE (PARCAST_KEYS_PLACE + PARCAST_MOST_SETS * 16u)

enum parcast_set_kind {
  PARCAST_SET_NONE,
  PARCAST_SET_START,  /* before the first event, and in threads unknown to the recorder */
  PARCAST_SET_OTHERS, /* events without a set of their own */
  PARCAST_SET_EVENT,  /* after events of one call, site and region, up to the next event */
  PARCAST_SET_THREAD  /* a thread other than the one that began the recording */
};
/* Sets 0 and 1 always exist. */
enum { PARCAST_FIRST_SET, PARCAST_OTHERS_SET };

struct parcast_set_key {
  uint16_t kind, call;
  uint32_t region, site;
  uint32_t check; /* of this key with this field 0; place: that of the key */
};

struct parcast_counts_row {
  uint64_t id; /* of the module's facts */
  uint64_t counts, probes;
  uint64_t offset;          /* place in a set: `counts` words, then `probes` probes */
  uint32_t reserved, check; /* of this row with this field 0; place: that of the row */
};

enum parcast_counts_live { /* index into parcast_counts_header.live */
                           PARCAST_COUNTS_SETS,
                           PARCAST_COUNTS_TOGETHER, /* keys whose executions are counted in `others` */
                           PARCAST_COUNTS_THREADS,  /* threads whose executions are counted in `others` */
                           /* parcast_stop: the reason; PARCAST_STOP_NONE: only the recorder's own table was
                              full */
                           PARCAST_COUNTS_STOP,
                           /* libraries with counters that are left out because they were loaded after the
                              program's start */
                           PARCAST_COUNTS_LEFT_OUT,
                           PARCAST_COUNTS_LIVE
};

struct parcast_counts_header {
  uint64_t magic;
  uint32_t version;
  uint32_t check; /* of everything before `live`, with this field 0 */
  int32_t rank, processes;
  uint64_t started; /* as in rank-N.rec: nanoseconds since 1970, UTC */
  uint64_t process_id;
  uint64_t modules;
  uint64_t first, set_bytes;
  char host[64];
  struct parcast_twin live[PARCAST_COUNTS_LIVE];
};

#endif
