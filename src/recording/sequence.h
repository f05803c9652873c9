/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_SEQUENCE_H
#define PARCAST_RECORDING_SEQUENCE_H
/* A list of integers, folded while it grows: runs (first, first + stride, ...) and loops of runs, nested. What a program
 * repeats costs no room. Nothing is lost: the values come back in their order (docs/models/folded_events.md).
 *
 * One value costs a comparison where the list repeats itself, and some dozens of them where it does not. */

#include "recording/room.h"

#ifdef __cplusplus
extern "C" {
#endif

enum parcast_item_kind { PARCAST_ITEM_RUN, PARCAST_ITEM_BEGIN, PARCAST_ITEM_END };

/* A run of `count` values; or the begin or the end of a loop of `count` rounds, with `length` items between the two. */
struct parcast_item {
  int64_t first, stride;
  uint64_t count; /* of a run, and of a loop's end; 0 in its begin */
  uint32_t length;
  uint32_t kind;
};

struct parcast_folding; /* what a sequence of more than one value repeated needs */

struct parcast_sequence {
  int64_t first, stride; /* the run that is still growing */
  uint64_t run;          /* its values; 0 none */
  struct parcast_folding* folding;
};

void parcast_sequence_add_slowly(struct parcast_sequence* sequence, struct parcast_room* room, int64_t value);

/* One more value. Without room the order is given up, and only the totals go on (parcast_sequence_lost). */
static inline void parcast_sequence_add(struct parcast_sequence* sequence, struct parcast_room* room, int64_t value) {
  if (__builtin_expect(!sequence->folding && sequence->run && value == sequence->first && !sequence->stride, 1)) {
    ++sequence->run;
    return;
  }
  parcast_sequence_add_slowly(sequence, room, value);
}

/* The values, so many times over: what parcast_sequence_add would make of them one by one, sooner. */
void parcast_sequence_repeat(struct parcast_sequence* sequence, struct parcast_room* room, const int64_t* values, uint32_t count,
                             uint64_t times);

/* Values, and their sum modulo 2^64, those whose order was given up included. */
uint64_t parcast_sequence_count(const struct parcast_sequence* sequence);
uint64_t parcast_sequence_sum(const struct parcast_sequence* sequence);
int parcast_sequence_lost(const struct parcast_sequence* sequence);
/* Items that a full description takes now. */
uint32_t parcast_sequence_items(const struct parcast_sequence* sequence);
/* Gives the order up: only count and sum are kept from here on, of all values. */
void parcast_sequence_give_up(struct parcast_sequence* sequence, struct parcast_room* room);

/* Calls `take` for every item, in order, loops' begins (with their `count`) and ends included. */
typedef void parcast_item_taker(void* to, const struct parcast_item* item);
void parcast_sequence_items_to(const struct parcast_sequence* sequence, parcast_item_taker* take, void* to);

#ifdef __cplusplus
}
#endif

#endif
