/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_FOLD_H
#define PARCAST_RECORDING_FOLD_H
/* The events of one thread, folded: per key (call, site, region) what its executions said, each field a sequence that
 * folds; per transition from key to key the computing times between them. The order of events is the sequence of
 * successors of each key, so that all but single times comes back (docs/models/folded_events.md).
 *
 * Takes the records of format.h as the recorder writes them, block by block, and writes a description of what it knows,
 * from which a reader goes on (folded.h). Lives in other people's processes: no heap, no locks, no clock. */

#include "recording/format.h"
#include "recording/sequence.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an event says, a column each. Flags: those of parcast_event_flags that tell which fields there are, and
 * PARCAST_CONTINUED; PARCAST_MORE_POLLS: no event, but PARCAST_COLUMN_REPEATS more of the one before. */
enum parcast_column {
  PARCAST_COLUMN_FLAGS,
  PARCAST_COLUMN_COMMUNICATOR,
  PARCAST_COLUMN_SENT_PEER,
  PARCAST_COLUMN_SENT_TAG,
  PARCAST_COLUMN_SENT_BYTES,
  PARCAST_COLUMN_RECEIVED_PEER,
  PARCAST_COLUMN_RECEIVED_TAG,
  PARCAST_COLUMN_RECEIVED_BYTES,
  PARCAST_COLUMN_REQUEST,     /* serial number less that of the thread's request before */
  PARCAST_COLUMN_CREATED,
  PARCAST_COLUMN_REPEATS,
  PARCAST_COLUMN_COMPLETIONS, /* how many; of all of them in a row: */
  PARCAST_COLUMN_COMPLETED,   /* the thread's last request's serial number less the completed one's */
  PARCAST_COLUMN_SOURCE,
  PARCAST_COLUMN_TAG,
  PARCAST_COLUMN_BYTES,
  PARCAST_COLUMN_NEXT,        /* key of the next event; the last one has none */
  PARCAST_COLUMNS
};
enum { PARCAST_MORE_POLLS = 256, PARCAST_MOST_SAMPLES = 512, PARCAST_ENDS = 8, PARCAST_DESCRIPTION_VERSION = 1,
       PARCAST_TIME_UNIT = 4 };
/* What stands before the times of an event that tells more than they do. */
enum parcast_told { PARCAST_TOLD_SWITCHED = 1, PARCAST_TOLD_COMPUTE = 2, PARCAST_TOLD_STOLEN = 4 };
/* Of a column in a description: value << 2 | token. A loop's begin has the value 0, its end that of its rounds. */
enum parcast_column_token { PARCAST_TOKEN_RUN, PARCAST_TOKEN_STRIDE, PARCAST_TOKEN_BEGIN, PARCAST_TOKEN_END };

struct parcast_fold;

/* Null without room. */
struct parcast_fold* parcast_fold_new(void);
void parcast_fold_free(struct parcast_fold* fold);
/* Before events are taken. `overhead`: ticks that an event costs between two calls, not counted as computing. */
void parcast_fold_set_clock(struct parcast_fold* fold, double ticks_per_nanosecond, uint64_t overhead);
/* Before events are taken: every event's own times are kept, too, to PARCAST_TIME_UNIT ticks. */
void parcast_fold_keep_times(struct parcast_fold* fold);
/* Bytes of memory that the chapter takes. */
uint64_t parcast_fold_memory(const struct parcast_fold* fold);
/* Page faults that this memory took. */
uint64_t parcast_fold_faults(const struct parcast_fold* fold);

/* Takes records that stand one after the other; what is no event is passed over. Events for which there is no room are
 * counted in the description. */
void parcast_fold_take(struct parcast_fold* fold, const void* records, uint64_t bytes);
/* Forgets all but where the thread stands: what follows is described by itself, in the next chapter. */
void parcast_fold_next_chapter(struct parcast_fold* fold);
/* Gives the order up, of this chapter and all that follow: counts, sums and times alone are kept. */
void parcast_fold_summarise(struct parcast_fold* fold);

/* The description, handed over in pieces: docs/formats/recording.md. */
typedef void parcast_bytes_taker(void* to, const void* bytes, uint32_t count);
void parcast_fold_describe(struct parcast_fold* fold, parcast_bytes_taker* take, void* to);

/* A time in 16 bits: bit 15 disturbed, 6 bits of exponent, 9 of mantissa; within 0.1 % from 1 tick on. */
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
