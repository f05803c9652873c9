/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_SEQUENCE_H
#define PARCAST_RECORDING_SEQUENCE_H
/* A list of integers that is folded while it grows: runs (first, first + stride, ...) and loops of runs,
 * nested. Repetition in a program needs no memory. Nothing is lost: the values can be restored in order
 * (docs/models/folded_events.md).
 *
 * One value costs one comparison while the list repeats itself, and a few dozen otherwise. */

#include "recording/room.h"

#ifdef __cplusplus
extern "C" {
#endif

enum parcast_item_kind { PARCAST_ITEM_RUN, PARCAST_ITEM_BEGIN, PARCAST_ITEM_END };

/* A run of `count` values; or the begin or the end of a loop of `count` rounds, with `length` items in
 * between. */
struct parcast_item {
  int64_t first, stride;
  uint64_t count; /* of a run and of a loop's end; 0 in a loop's begin */
  uint32_t length;
  uint32_t kind;
};

/* needed by a sequence that is not one repeated value */
struct parcast_folding;

struct parcast_sequence {
  int64_t first, stride; /* the run that still grows */
  uint64_t run;          /* its number of values; 0: none */
  struct parcast_folding* folding;
};

void parcast_sequence_add_slowly(struct parcast_sequence* sequence, struct parcast_room* room, int64_t value);

/* Adds a value. Without memory the order is no longer kept, only the totals (parcast_sequence_lost). */
static inline void parcast_sequence_add(struct parcast_sequence* sequence, struct parcast_room* room,
                                        int64_t value) {
  if (__builtin_expect(!sequence->folding && sequence->run && value == sequence->first && !sequence->stride,
                       1)) {
    ++sequence->run;
    return;
  }
  parcast_sequence_add_slowly(sequence, room, value);
}

/* Adds the values `times` times. Same result as parcast_sequence_add for each value, but faster. */
void parcast_sequence_repeat(struct parcast_sequence* sequence, struct parcast_room* room,
                             const int64_t* values, uint32_t count, uint64_t times);

/* Return the number of values, and their sum modulo 2^64; both include values whose order was not kept. */
uint64_t parcast_sequence_count(const struct parcast_sequence* sequence);
uint64_t parcast_sequence_sum(const struct parcast_sequence* sequence);
int parcast_sequence_lost(const struct parcast_sequence* sequence);
/* Number of items in a full description of the sequence. */
uint32_t parcast_sequence_items(const struct parcast_sequence* sequence);
/* Stops keeping the order: from now on only count and sum of all values are kept. */
void parcast_sequence_give_up(struct parcast_sequence* sequence, struct parcast_room* room);

/* Calls `take` for every item in order, including begins (with their `count`) and ends of loops. */
typedef void parcast_item_taker(void* to, const struct parcast_item* item);
void parcast_sequence_items_to(const struct parcast_sequence* sequence, parcast_item_taker* take, void* to);

#ifdef __cplusplus
}
#endif

#endif
