/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_FOLD_H
#define PARCAST_RECORDING_FOLD_H
/* Folds the events of one thread. Per key (call, site, region) it keeps the fields of all executions, each
 * field as a sequence that folds. Per transition from key to key it keeps the computing times in between.
 * The order of events is stored as the sequence of successors of each key. So everything can be restored
 * except individual times (docs/models/folded_events.md).
 *
 * Input: the records of format.h, block by block, as the recorder writes them. Output: a description, from
 * which a reader restores the events (folded.h). This code runs in the program's process: no heap, no
 * locks, no clock. */

#include "recording/format.h"
#include "recording/sequence.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The fields of an event, one column each. FLAGS holds those parcast_event_flags that announce fields, and
 * PARCAST_CONTINUED. PARCAST_MORE_POLLS marks an entry that is no event: PARCAST_COLUMN_REPEATS further
 * polls of the previous event. */
enum parcast_column {
  PARCAST_COLUMN_FLAGS,
  PARCAST_COLUMN_COMMUNICATOR,
  PARCAST_COLUMN_SENT_PEER,
  PARCAST_COLUMN_SENT_TAG,
  PARCAST_COLUMN_SENT_BYTES,
  PARCAST_COLUMN_RECEIVED_PEER,
  PARCAST_COLUMN_RECEIVED_TAG,
  PARCAST_COLUMN_RECEIVED_BYTES,
  PARCAST_COLUMN_REQUEST, /* serial number minus that of the thread's previous request */
  PARCAST_COLUMN_CREATED,
  PARCAST_COLUMN_REPEATS,
  /* number of completions; the next four columns hold one value per completion: */
  PARCAST_COLUMN_COMPLETIONS,
  /* serial number of the thread's last request minus that of the completed request */
  PARCAST_COLUMN_COMPLETED,
  PARCAST_COLUMN_SOURCE,
  PARCAST_COLUMN_TAG,
  PARCAST_COLUMN_BYTES,
  PARCAST_COLUMN_NEXT, /* key of the next event; missing for the last event */
  PARCAST_COLUMNS
};
enum {
  PARCAST_MORE_POLLS = 256,
  PARCAST_MOST_SAMPLES = 512,
  PARCAST_ENDS = 8,
  PARCAST_DESCRIPTION_VERSION = 1,
  PARCAST_TIME_UNIT = 4
};
/* Flags before the times of an event that has more than its two times. */
enum parcast_told { PARCAST_TOLD_SWITCHED = 1, PARCAST_TOLD_COMPUTE = 2, PARCAST_TOLD_STOLEN = 4 };
/* Token in the low bits of a column's item in a description: value << 2 | token. The begin of a loop has
 * the value 0, its end the number of rounds. */
enum parcast_column_token { PARCAST_TOKEN_RUN, PARCAST_TOKEN_STRIDE, PARCAST_TOKEN_BEGIN, PARCAST_TOKEN_END };

struct parcast_fold;

/* Returns null when there is no memory. */
struct parcast_fold* parcast_fold_new(void);
void parcast_fold_free(struct parcast_fold* fold);
/* Call it before any events are taken. `overhead`: ticks that an event costs between two calls and that do
 * not count as computing. */
void parcast_fold_set_clock(struct parcast_fold* fold, double ticks_per_nanosecond, uint64_t overhead);
/* Call it before any events are taken. Every event's own times are kept as well, in units of
 * PARCAST_TIME_UNIT ticks. */
void parcast_fold_keep_times(struct parcast_fold* fold);
/* Bytes of memory that the chapter uses. */
uint64_t parcast_fold_memory(const struct parcast_fold* fold);
/* Page faults caused by this memory. */
uint64_t parcast_fold_faults(const struct parcast_fold* fold);

/* Folds consecutive records; records that are no events are skipped. Events for which there is no memory
 * are counted in the description. */
void parcast_fold_take(struct parcast_fold* fold, const void* records, uint64_t bytes);
/* Begins the next chapter. Only the state of the thread is kept, so that the next chapter has a
 * description of its own. */
void parcast_fold_next_chapter(struct parcast_fold* fold);
/* Stops keeping the order of events, for this chapter and all later ones. Only counts, sums and times are
 * kept. */
void parcast_fold_summarise(struct parcast_fold* fold);

/* Passes the description to `take` in pieces: docs/formats/recording.md. */
typedef void parcast_bytes_taker(void* to, const void* bytes, uint32_t count);
void parcast_fold_describe(struct parcast_fold* fold, parcast_bytes_taker* take, void* to);

/* Encodes a time in 16 bits: bit 15 disturbed, 6 bits of exponent, 9 of mantissa; accurate to 0.1 % from 1
 * tick on. */
static inline uint16_t parcast_sample(double ticks, int disturbed) {
  const uint32_t mark = disturbed ? 0x8000u : 0u;
  if (!(ticks >= 1)) return (uint16_t)mark;
  union {
    float value;
    uint32_t bits;
  } as = {.value = ticks < 1e19 ? (float)ticks : 1e19f};
  const uint32_t code = ((as.bits + (1u << 13)) >> 14) - (127u << 9) + 1u;
  return (uint16_t)(mark | (code < 0x7fffu ? code : 0x7fffu));
}
static inline float parcast_sample_ticks(uint16_t sample) {
  const uint32_t code = sample & 0x7fffu;
  if (!code) return 0;
  union {
    uint32_t bits;
    float value;
  } as = {.bits = (code - 1u + (127u << 9)) << 14};
  return as.value;
}

#ifdef __cplusplus
}
#endif

#endif
