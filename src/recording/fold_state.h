/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_FOLD_STATE_H
#define PARCAST_RECORDING_FOLD_STATE_H
/* The state of a thread's folded events: fold.c fills it, describe.c writes it. */

#include <stdbool.h>

#include "recording/fold.h"

enum { PARCAST_NO_KEY = -1, PARCAST_LONGEST_NUMBER = 10 };

/* Numbers of seven bits per byte, the lowest bits first; the eighth bit marks that more bytes follow. */
struct numbers {
  unsigned char* bytes;
  uint32_t used, capacity;
};

/* The fields of one execution, except its times. */
struct saying {
  struct parcast_message sent, received;
  int64_t request; /* serial number minus that of the thread's previous request */
  uint32_t communicator, created;
  /* number of completions; index of the first one in habit.done */
  uint32_t completions, first;
  uint32_t flags;
};

/* The last executions of a key whose fields are not yet in the columns. `list` holds each of them once.
 * When an execution equals the first one, the list repeats from then on, and an execution that continues
 * the repetition costs one comparison. */
struct habit {
  struct saying* list; /* null: none so far */
  /* completions of all list entries; requests relative to the thread's last one, as in the columns */
  struct parcast_completion* done;
  uint32_t done_used, done_capacity;
  uint32_t count;
  bool comes_round;
  uint32_t at;     /* index of the next expected entry */
  uint64_t rounds; /* complete repetitions */
};

struct key {
  uint32_t call, site, region;
  uint32_t last_next;       /* the key that followed last time, + 1 */
  uint32_t last_transition; /* the transition to that key */
  uint64_t executions;      /* events, including those that continue a call */
  /* number of these that continue a call, and that have no receiver */
  uint64_t continued, to_none;
  uint64_t ticks, least, most; /* inside the call */
  double squares;
  /* nanoseconds off the processor inside the call, and how often */
  uint64_t stolen, times_stolen;
  /* when times are kept: from exit to entry, from entry to exit */
  struct numbers gaps, spans;
  struct habit habit;
  /* complete after parcast_key_settle */
  struct parcast_sequence columns[PARCAST_COLUMNS];
};

/* Keeps individual times until there are PARCAST_MOST_SAMPLES. Then it keeps one of every two neighbours,
 * chosen at random, and so on. So events at regular intervals are neither always kept nor always missed. */
struct transition {
  int32_t from; /* PARCAST_NO_KEY: the begin of the thread */
  uint32_t to;
  uint64_t count, disturbed;
  uint64_t ticks, disturbed_ticks, least, most;
  /* sums of x^2, and of x times the previous x */
  double squares, neighbours;
  double before;
  /* ticks; negative: disturbed */
  float first[PARCAST_ENDS], last[PARCAST_ENDS];
  uint16_t* samples;
  uint32_t used, capacity;
  uint32_t thinned; /* one of 2^thinned times is kept */
  /* position in the current group of 2^thinned times; position of the one to keep */
  uint32_t position, chosen;
};

/* A hash table of numbers. The hash is that of what a number refers to. */
struct table {
  uint32_t* slots; /* number + 1; 0: free */
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
  int32_t current; /* key of the last event, or PARCAST_NO_KEY */
  /* key of the last event that continued no call, or PARCAST_NO_KEY */
  int32_t segment_from;
  bool carried;       /* key 0 is that of the last event before the chapter */
  uint32_t first_key; /* key of the chapter's first event, + 1 */
  bool summarised, keeps_times;
  uint64_t events, dropped, uncertain;
  uint64_t begin, end; /* ticks: first entry and last exit in the chapter */
  bool known_end;
  /* serial numbers of the last request before the chapter, and now */
  uint64_t request_before, last_request;
  uint64_t lot;
  struct parcast_completion* completions; /* completions of the next event */
  uint32_t pending, pending_capacity;
};

/* Adds the fields of the key's next execution; `done` are its completions. In habit.c. */
void parcast_key_say(struct parcast_fold* fold, struct key* key, const struct saying* saying,
                     const struct parcast_completion* done);
/* Writes all pending executions to the columns. */
void parcast_key_settle(struct parcast_fold* fold, struct key* key);

static inline void parcast_key_add(struct parcast_fold* fold, struct key* key, enum parcast_column column,
                                   int64_t value) {
  struct parcast_sequence* sequence = &key->columns[column];
  parcast_sequence_add(sequence, &fold->room, value);
  if (__builtin_expect(fold->summarised && sequence->folding, 0))
    parcast_sequence_give_up(sequence, &fold->room);
}

/* Writes a number and returns the bytes used, at most PARCAST_LONGEST_NUMBER. */
static inline uint32_t parcast_number_at(unsigned char* at, uint64_t value) {
  uint32_t used = 0;
  do {
    at[used++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value >>= 7;
  } while (value);
  return used;
}

#endif
