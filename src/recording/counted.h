/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_COUNTED_H
#define PARCAST_RECORDING_COUNTED_H
/* The data that an object file compiled by `parcast cc` adds to a process, as the recorder finds it.
 * docs/formats/facts.md.
 *
 * Section parcast_modules: one structure per object file. Section parcast_counters: their counters, in
 * complete pages, so that memory that outlives the process can be mapped over them. Section parcast_facts:
 * the compiler's facts about the program, as text; only files are read for it. */

#include <stdint.h>

#define PARCAST_MODULES_SECTION "parcast_modules"
#define PARCAST_COUNTERS_SECTION "parcast_counters"
#define PARCAST_FACTS_SECTION "parcast_facts"

enum { PARCAST_COUNTED_PAGE = 4096, PARCAST_PROBE_WORDS = 4 };
#define PARCAST_COUNTED_MAGIC UINT64_C(0x31444f4d54534350) /* "PCSTMOD1" */

struct parcast_counted_module {
  uint64_t magic;
  uint64_t id;        /* of the module's facts */
  uint64_t* counters; /* `counts` counters, then `probes` probes of PARCAST_PROBE_WORDS words */
  uint64_t counts, probes;
  /* Returns where the calling thread counts: bytes to add to the address of a counter; 0 for the counters
   * themselves. */
  int64_t* (*displacement)(void);
};

/* Words of a probe: the first value, the number of times that a different value occurred, the least and
 * the largest value. After PARCAST_PROBE_CHANGES differing values the probe is no longer updated. A value
 * equal to the first word changes nothing. Before the program counts into the recorder's memory, the first
 * word there is PARCAST_PROBE_NOTHING. */
enum {
  PARCAST_PROBE_VALUE,
  PARCAST_PROBE_SEEN,
  PARCAST_PROBE_LEAST,
  PARCAST_PROBE_MOST,
  PARCAST_PROBE_CHANGES = 256
};
#define PARCAST_PROBE_NOTHING UINT64_C(0x8000000000000001)

#endif
