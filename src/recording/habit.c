/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the fields of executions before they enter the columns. While a key's executions repeat
 * themselves they are only counted; later many executions are added to the columns at once. */
#include <string.h>

#include "recording/fold_state.h"

enum { kMostSayings = 8, kMostDone = 64 };

static bool same_message(const struct parcast_message* a, const struct parcast_message* b) {
  return a->peer == b->peer && a->tag == b->tag && a->bytes == b->bytes;
}

static bool same(const struct saying* a, const struct saying* b) {
  return a->flags == b->flags && a->communicator == b->communicator && a->request == b->request &&
         a->created == b->created && a->completions == b->completions && same_message(&a->sent, &b->sent) &&
         same_message(&a->received, &b->received);
}

static bool same_done(const struct parcast_completion* a, const struct parcast_completion* b,
                      uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (a[i].request != b[i].request || a[i].source != b[i].source || a[i].tag != b[i].tag ||
        a[i].bytes != b[i].bytes)
      return false;
  return true;
}

static bool says(const struct habit* habit, uint32_t at, const struct saying* saying,
                 const struct parcast_completion* done) {
  const struct saying* known = &habit->list[at];
  return same(known, saying) &&
         (saying->completions == 0 || same_done(habit->done + known->first, done, saying->completions));
}

/* Sets the value of an execution for a column with one value per execution; returns false when it has
 * none. */
static bool value_of(const struct saying* saying, enum parcast_column column, int64_t* value) {
  const bool sent = saying->flags & PARCAST_HAS_MESSAGE, received = saying->flags & PARCAST_HAS_RECEIVED;
  switch (column) {
    case PARCAST_COLUMN_FLAGS:
      *value = saying->flags;
      return true;
    case PARCAST_COLUMN_COMMUNICATOR:
      *value = saying->communicator;
      return true;
    case PARCAST_COLUMN_SENT_PEER:
      *value = saying->sent.peer;
      return sent;
    case PARCAST_COLUMN_SENT_TAG:
      *value = saying->sent.tag;
      return sent;
    case PARCAST_COLUMN_SENT_BYTES:
      *value = (int64_t)saying->sent.bytes;
      return sent;
    case PARCAST_COLUMN_RECEIVED_PEER:
      *value = saying->received.peer;
      return received;
    case PARCAST_COLUMN_RECEIVED_TAG:
      *value = saying->received.tag;
      return received;
    case PARCAST_COLUMN_RECEIVED_BYTES:
      *value = (int64_t)saying->received.bytes;
      return received;
    case PARCAST_COLUMN_REQUEST:
      *value = saying->request;
      return saying->flags & PARCAST_HAS_REQUEST;
    case PARCAST_COLUMN_CREATED:
      *value = saying->created;
      return saying->flags & PARCAST_HAS_CREATED;
    case PARCAST_COLUMN_COMPLETIONS:
      *value = saying->completions;
      return true;
    default:
      return false;
  }
}

static int64_t value_of_done(const struct parcast_completion* done, enum parcast_column column) {
  switch (column) {
    /* negative for a request of another thread that is later than this thread's last one */
    case PARCAST_COLUMN_COMPLETED:
      return (int32_t)done->request;
    case PARCAST_COLUMN_SOURCE:
      return done->source;
    case PARCAST_COLUMN_TAG:
      return done->tag;
    default:
      return (int64_t)done->bytes;
  }
}

static void tell(struct parcast_fold* fold, struct key* key, int column, const int64_t* values,
                 uint32_t count, uint64_t times) {
  struct parcast_sequence* sequence = &key->columns[column];
  parcast_sequence_repeat(sequence, &fold->room, values, count, times);
  if (fold->summarised && sequence->folding) parcast_sequence_give_up(sequence, &fold->room);
}

/* Adds the executions to all columns `times` times. With more than kMostDone completions, `times` must be
 * 1. */
static void tell_all(struct parcast_fold* fold, struct key* key, const struct saying* list, uint32_t count,
                     const struct parcast_completion* done, uint64_t times) {
  int64_t values[kMostDone];
  for (int c = 0; c < PARCAST_COLUMN_COMPLETED; ++c) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; ++i) used += value_of(&list[i], (enum parcast_column)c, &values[used]);
    if (used) tell(fold, key, c, values, used, times);
  }
  uint32_t completions = 0;
  for (uint32_t i = 0; i < count; ++i) completions += list[i].completions;
  for (int c = PARCAST_COLUMN_COMPLETED; c <= PARCAST_COLUMN_BYTES; ++c)
    for (uint32_t from = 0; from < completions; from += kMostDone) {
      const uint32_t now = completions - from < kMostDone ? completions - from : kMostDone;
      for (uint32_t i = 0; i < now; ++i) values[i] = value_of_done(&done[from + i], (enum parcast_column)c);
      tell(fold, key, c, values, now, times);
    }
}

void parcast_key_settle(struct parcast_fold* fold, struct key* key) {
  struct habit* habit = &key->habit;
  if (habit->count == 0) return;
  if (!habit->comes_round) habit->rounds = 1;
  if (habit->rounds) tell_all(fold, key, habit->list, habit->count, habit->done, habit->rounds);
  if (habit->at) tell_all(fold, key, habit->list, habit->at, habit->done, 1);
  habit->count = habit->at = habit->done_used = 0;
  habit->rounds = 0;
  habit->comes_round = false;
}

/* Adds an execution to the list; returns false when there is no room. */
static bool remember(struct parcast_fold* fold, struct habit* habit, const struct saying* saying,
                     const struct parcast_completion* done) {
  if (habit->count == kMostSayings || habit->done_used + saying->completions > kMostDone) return false;
  if (!habit->list) habit->list = parcast_room_take(&fold->room, kMostSayings * sizeof *habit->list);
  if (!habit->list) return false;
  for (uint32_t i = 0; i < saying->completions; ++i) {
    struct parcast_completion* all = parcast_room_extend(&fold->room, habit->done, habit->done_used + i,
                                                         &habit->done_capacity, sizeof *all);
    if (!all) return false;
    habit->done = all;
    all[habit->done_used + i] = done[i];
  }
  habit->list[habit->count] = *saying;
  habit->list[habit->count++].first = habit->done_used;
  habit->done_used += saying->completions;
  return true;
}

static void pass_on(struct habit* habit) {
  if (++habit->at < habit->count) return;
  habit->at = 0;
  ++habit->rounds;
}

void parcast_key_say(struct parcast_fold* fold, struct key* key, const struct saying* saying,
                     const struct parcast_completion* done) {
  struct habit* habit = &key->habit;
  if (habit->comes_round && says(habit, habit->at, saying, done)) {
    pass_on(habit);
  } else if (!habit->comes_round && habit->count && says(habit, 0, saying, done)) {
    habit->comes_round = true;
    habit->rounds = 1;
    pass_on(habit);
  } else {
    if (habit->comes_round) parcast_key_settle(fold, key);
    if (remember(fold, habit, saying, done)) return;
    parcast_key_settle(fold, key);
    if (!remember(fold, habit, saying, done)) tell_all(fold, key, saying, 1, done, 1);
  }
}
