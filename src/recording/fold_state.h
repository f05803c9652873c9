/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_FOLD_STATE_H
#define PARCAST_RECORDING_FOLD_STATE_H
/* What is known of a thread's folded events: filled by fold.c, written down by describe.c. */

#include <stdbool.h>

#include "recording/fold.h"

enum { PARCAST_NO_KEY = -1, PARCAST_LONGEST_NUMBER = 10 };

/* Numbers of seven bits to a byte, the lowest first; the eighth says that more follow. */
struct numbers {
  unsigned char* bytes;
  uint32_t used, capacity;
};

/* What an execution says, apart from its times. */
struct saying {
  struct parcast_message sent, received;
  int64_t request; /* serial number less that of the thread's request before */
  uint32_t communicator, created;
  uint32_t completions, first; /* how many; the first of them in a list that others may share */
  uint32_t flags;
};

/* What the last executions of a key said and no column tells yet: first each of `list` once; when one says what the first
 * did, the list comes round, and an execution costs a comparison. */
struct habit {
  struct saying* list; /* null: none so far */
  struct parcast_completion* done; /* of all of them: requests less the thread's last one, as columns tell them */
  uint32_t done_used, done_capacity;
  uint32_t count;
  bool comes_round;
  uint32_t at;      /* the next of the list */
  uint64_t rounds;  /* whole ones */
};

struct key {
  uint32_t call, site, region;
  uint32_t last_next;          /* the key that followed last time, + 1 ... */
  uint32_t last_transition;    /* ... by this transition */
  uint64_t executions;         /* events, those that continue one included */
  uint64_t continued, to_none; /* of these: that continue one; that send to nobody */
  uint64_t ticks, least, most; /* inside the call */
  double squares;
  uint64_t stolen, times_stolen; /* nanoseconds off the processor inside the call */
  struct numbers gaps, spans;    /* where times are kept: from exit to entry, from entry to exit */
  struct habit habit;
  struct parcast_sequence columns[PARCAST_COLUMNS]; /* parcast_key_settle: up to now */
};

/* Times are kept one by one until there are PARCAST_MOST_SAMPLES; then one of every two neighbours, drawn by lot, and so
 * on: what comes at regular intervals is neither always met nor always missed. */
struct transition {
  int32_t from; /* PARCAST_NO_KEY: the thread's begin */
  uint32_t to;
  uint64_t count, disturbed;
  uint64_t ticks, disturbed_ticks, least, most;
  double squares, neighbours; /* sums of x^2, and of x times the one before */
  double before;
  float first[PARCAST_ENDS], last[PARCAST_ENDS]; /* ticks; below 0: disturbed */
  uint16_t* samples;
  uint32_t used, capacity;
  uint32_t thinned;          /* one of 2^thinned is kept */
  uint32_t position, chosen; /* in the group of 2^thinned that is under way; the one of it that is kept */
};

/* Numbers by a hash of what they stand for. */
struct table {
  uint32_t* slots; /* number + 1; 0 free */
  uint32_t capacity;
};

struct parcast_fold {
  struct parcast_room self, room;
  double ticks_per_nanosecond;
  uint64_t overhead;
  struct key* keys;
  uint32_t key_count, key_capacity;
  struct transition* transitions;
  uint32_t transition_count, transition_capacity;
  struct table key_table, transition_table;
  int32_t current;      /* key of the last event; PARCAST_NO_KEY */
  int32_t segment_from; /* key of the last event that continued none; PARCAST_NO_KEY */
  bool carried;         /* key 0 is that of the last event before the chapter */
  uint32_t first_key;   /* of the chapter's first event, + 1 */
  bool summarised, keeps_times;
  uint64_t events, dropped, uncertain;
  uint64_t begin, end; /* ticks: the chapter's first entry; the last exit */
  bool known_end;
  uint64_t request_before, last_request; /* serial numbers: before the chapter, and now */
  uint64_t lot;
  struct parcast_completion* completions; /* of the next event */
  uint32_t pending, pending_capacity;
};

/* habit.c. What the key's next execution says, `done` the completions that it tells. */
void parcast_key_say(struct parcast_fold* fold, struct key* key, const struct saying* saying, const struct parcast_completion* done);
/* Tells the columns all that was said. */
void parcast_key_settle(struct parcast_fold* fold, struct key* key);

static inline void parcast_key_add(struct parcast_fold* fold, struct key* key, enum parcast_column column, int64_t value) {
  struct parcast_sequence* sequence = &key->columns[column];
  parcast_sequence_add(sequence, &fold->room, value);
  if (__builtin_expect(fold->summarised && sequence->folding, 0)) parcast_sequence_give_up(sequence, &fold->room);
}

/* Puts a number; the bytes it takes, PARCAST_LONGEST_NUMBER at most. */
static inline uint32_t parcast_number_at(unsigned char* at, uint64_t value) {
  uint32_t used = 0;
  do {
    at[used++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value >>= 7;
  } while (value);
  return used;
}

#endif
