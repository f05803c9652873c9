/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/sequence.h"

#include <stdbool.h>
#include <string.h>

enum {
  kDeepest = 6, /* most loops nested in each other */
  /* most items, or complete loops, in a loop's body when it is found */
  kReach = 24,
  /* same, when more than kMany items fold only a quarter of the values or less */
  kShortReach = 4,
  kMany = 1024,
  kMostItems = 1 << 24
};

/* A loop that predicts the next values: the last one of the list (depth 0), or one inside the body of
 * another. */
struct level {
  uint32_t begin; /* index of the loop's begin */
  uint32_t at;    /* index of the current item in the body */
  /* rounds; not kept for the outermost loop, whose end counts them */
  uint64_t done;
};

struct parcast_folding {
  struct parcast_item* items;
  uint32_t used, capacity;
  uint32_t depth;  /* levels in use in `levels`; 0: nothing is predicted */
  uint64_t offset; /* values of the current run that have come */
  uint64_t count, sum;
  int64_t expected; /* the predicted next value */
  bool lost;
  struct level levels[kDeepest];
};

static int64_t ahead(int64_t first, int64_t stride, uint64_t steps) {
  return (int64_t)((uint64_t)first + (uint64_t)stride * steps);
}

static bool begin_folding(struct parcast_sequence* s, struct parcast_room* room) {
  struct parcast_folding* f = parcast_room_take(room, sizeof *f);
  if (!f) return false;
  f->count = s->run;
  f->sum = (uint64_t)s->first * s->run;
  s->folding = f;
  return true;
}

void parcast_sequence_give_up(struct parcast_sequence* s, struct parcast_room* room) {
  struct parcast_folding* f = s->folding;
  if (!f || f->lost) return;
  parcast_room_give(room, f->items, f->capacity * sizeof *f->items);
  f->items = NULL;
  f->used = f->capacity = f->depth = 0;
  f->lost = true;
  s->run = 0;
}

static bool push(struct parcast_sequence* s, struct parcast_room* room, struct parcast_item item) {
  struct parcast_folding* f = s->folding;
  struct parcast_item* items =
      f->used < kMostItems ? parcast_room_extend(room, f->items, f->used, &f->capacity, sizeof item) : NULL;
  if (!items) {
    parcast_sequence_give_up(s, room);
    return false;
  }
  f->items = items;
  items[f->used++] = item;
  return true;
}

static bool same(const struct parcast_item* a, const struct parcast_item* b) {
  return a->first == b->first && a->stride == b->stride && a->count == b->count && a->length == b->length &&
         a->kind == b->kind;
}

static bool all_same(const struct parcast_item* a, const struct parcast_item* b, uint32_t count) {
  for (uint32_t i = count; i-- > 0;)
    if (!same(a + i, b + i)) return false;
  return true;
}

/* Returns where the item or loop that ends before `end` begins. */
static uint32_t begin_of(const struct parcast_folding* f, uint32_t end) {
  const struct parcast_item* last = &f->items[end - 1];
  return last->kind == PARCAST_ITEM_END ? end - 2 - last->length : end - 1;
}

static uint32_t depth_of(const struct parcast_item* items, uint32_t count) {
  uint32_t depth = 0, deepest = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (items[i].kind == PARCAST_ITEM_BEGIN && ++depth > deepest) deepest = depth;
    if (items[i].kind == PARCAST_ITEM_END) --depth;
  }
  return deepest;
}

/* Adds a round to the loop before `tail` if its body equals the items from `tail` on. */
static bool joins_loop(struct parcast_folding* f, uint32_t tail, uint32_t length) {
  if (tail == 0 || f->items[tail - 1].kind != PARCAST_ITEM_END || f->items[tail - 1].length != length)
    return false;
  if (!all_same(f->items + tail - 1 - length, f->items + tail, length)) return false;
  ++f->items[tail - 1].count;
  f->used = tail;
  return true;
}

/* Makes the last `length` items and the equal ones before them a loop of two rounds. */
static bool makes_loop(struct parcast_sequence* s, struct parcast_room* room, uint32_t tail,
                       uint32_t length) {
  struct parcast_folding* f = s->folding;
  if (tail < length || !all_same(f->items + tail - length, f->items + tail, length)) return false;
  if (depth_of(f->items + tail, length) == kDeepest) return false;
  const struct parcast_item end = {.count = 2, .length = length, .kind = PARCAST_ITEM_END};
  const struct parcast_item begin = {.length = length, .kind = PARCAST_ITEM_BEGIN};
  f->used = tail;
  if (!push(s, room, end) || !push(s, room, end)) return true;
  memmove(f->items + tail - length + 1, f->items + tail - length, length * sizeof *f->items);
  f->items[tail - length] = begin;
  return true;
}

/* Folds repetitions at the end of the list. Returns whether the list now ends with a loop that was just
 * folded. */
static bool fold(struct parcast_sequence* s, struct parcast_room* room) {
  bool folded = false;
  const uint32_t used = s->folding->used;
  const int reach = used > kMany && used > s->folding->count / 4 ? kShortReach : kReach;
  for (bool again = true; again && !s->folding->lost;) {
    again = false;
    uint32_t tail = s->folding->used;
    for (int pieces = 0; pieces < reach && tail > 0 && !again; ++pieces) {
      tail = begin_of(s->folding, tail);
      const uint32_t length = s->folding->used - tail;
      again = joins_loop(s->folding, tail, length) || makes_loop(s, room, tail, length);
    }
    folded = folded || again;
  }
  return folded && !s->folding->lost;
}

/* Enters the loops that begin at the current item, down to the next run. */
static void descend(struct parcast_folding* f) {
  struct level* level = &f->levels[f->depth - 1];
  while (f->items[level->at].kind == PARCAST_ITEM_BEGIN) {
    f->levels[f->depth] = (struct level){level->at, level->at + 1, 0};
    level = &f->levels[f->depth++];
  }
  f->expected = f->items[level->at].first;
  f->offset = 0;
}

/* Predicts another round of the loop at the end of the list. */
static void foretell(struct parcast_folding* f) {
  const uint32_t begin = begin_of(f, f->used);
  f->levels[0] = (struct level){begin, begin + 1, 0};
  f->depth = 1;
  descend(f);
}

/* Advances after a complete run: to the next item, the next round, or the item after the loop. */
static void advance(struct parcast_folding* f) {
  for (;;) {
    struct level* level = &f->levels[f->depth - 1];
    ++level->at;
    struct parcast_item* item = &f->items[level->at];
    if (item->kind != PARCAST_ITEM_END) break;
    const bool outermost = f->depth == 1;
    if (outermost) ++item->count;
    if (outermost || ++level->done < item->count) {
      level->at = level->begin + 1;
      break;
    }
    --f->depth;
    /* the loop's end, which the next iteration skips */
    f->levels[f->depth - 1].at = level->begin + 1 + item->length;
  }
  descend(f);
}

static void take_expected(struct parcast_folding* f) {
  const struct parcast_item* run = &f->items[f->levels[f->depth - 1].at];
  ++f->offset;
  f->expected = (int64_t)((uint64_t)f->expected + (uint64_t)run->stride);
  if (f->offset == run->count) advance(f);
}

/* Passes on the part of a round that has come, as items; the values of the current run are left to the
 * caller. */
static void partial_round(const struct parcast_folding* f, parcast_item_taker* take, void* to) {
  for (uint32_t i = 0; i < f->depth; ++i) {
    const struct level* level = &f->levels[i];
    const struct parcast_item* begin = &f->items[level->begin];
    struct parcast_item end = begin[1 + begin->length];
    end.count = level->done;
    if (i > 0 && level->done > 1) take(to, begin);
    if (i > 0 && level->done > 0)
      for (uint32_t j = 1; j <= begin->length; ++j) take(to, &begin[j]);
    if (i > 0 && level->done > 1) take(to, &end);
    for (uint32_t j = level->begin + 1; j < level->at; ++j) take(to, &f->items[j]);
  }
}

struct pushing {
  struct parcast_sequence* sequence;
  struct parcast_room* room;
};

static void push_copy(void* to, const struct parcast_item* item) {
  struct pushing* pushing = to;
  const struct parcast_item copy = *item; /* copied, because the list may move */
  if (!pushing->sequence->folding->lost) push(pushing->sequence, pushing->room, copy);
}

/* Returns the values of the current run as an open run. */
static struct parcast_item run_under_way(const struct parcast_folding* f) {
  struct parcast_item run = f->items[f->levels[f->depth - 1].at];
  run.count = f->offset;
  if (run.count == 1) run.stride = 0;
  return run;
}

/* Handles a failed prediction: writes the part of the round that did come. */
static void stop_foretelling(struct parcast_sequence* s, struct parcast_room* room) {
  struct parcast_folding* f = s->folding;
  struct parcast_item run = run_under_way(f);
  /* its items are read while they are copied to the end of the list */
  struct parcast_folding before = *f;
  f->depth = 0;
  struct pushing pushing = {s, room};
  /* Allocates room for all copies first, so that the list does not move meanwhile. */
  uint32_t most = 1;
  for (uint32_t i = 0; i < before.depth; ++i) most += 2 * (f->items[before.levels[i].begin].length + 2);
  while (f->capacity - f->used < most) {
    struct parcast_item* items =
        parcast_room_extend(room, f->items, f->capacity, &f->capacity, sizeof *items);
    if (!items) {
      parcast_sequence_give_up(s, room);
      return;
    }
    f->items = items;
  }
  before.items = f->items;
  partial_round(&before, push_copy, &pushing);
  if (run.count == 2 && run.stride) { /* two values are no progression yet */
    if (!f->lost) push(s, room, (struct parcast_item){.first = run.first, .count = 1});
    run = (struct parcast_item){.first = ahead(run.first, run.stride, 1), .count = 1};
  }
  s->first = run.first;
  s->stride = run.stride;
  s->run = f->lost ? 0 : run.count;
}

/* Makes three single values with equal differences the begin of a run. */
static bool becomes_progression(struct parcast_sequence* s, int64_t value) {
  struct parcast_folding* f = s->folding;
  if (s->run != 1 || f->used == 0) return false;
  const struct parcast_item* last = &f->items[f->used - 1];
  const uint64_t step = (uint64_t)value - (uint64_t)s->first;
  if (last->kind != PARCAST_ITEM_RUN || last->count != 1 || step == 0 ||
      (uint64_t)s->first - (uint64_t)last->first != step)
    return false;
  s->first = last->first;
  s->stride = (int64_t)step;
  s->run = 3;
  --f->used;
  return true;
}

static void open_run(struct parcast_sequence* s, int64_t value) {
  s->first = value;
  s->stride = 0;
  s->run = 1;
}

static void close_run(struct parcast_sequence* s, struct parcast_room* room, int64_t value) {
  struct parcast_folding* f = s->folding;
  const struct parcast_item closed = {s->first, s->stride, s->run, 0, PARCAST_ITEM_RUN};
  if (!push(s, room, closed)) return;
  const bool folded = fold(s, room);
  if (f->lost) return;
  if (folded) {
    foretell(f);
    if (f->expected == value) {
      s->run = 0;
      take_expected(f);
      return;
    }
    f->depth = 0;
  }
  open_run(s, value);
}

void parcast_sequence_add_slowly(struct parcast_sequence* s, struct parcast_room* room, int64_t value) {
  if (!s->folding) {
    if (s->run == 0) {
      open_run(s, value);
      return;
    }
    if (!begin_folding(s, room)) return; /* the count shows that a value is missing */
  }
  struct parcast_folding* f = s->folding;
  ++f->count;
  f->sum += (uint64_t)value;
  if (f->lost) return;
  if (f->depth > 0) {
    if (value == f->expected) {
      take_expected(f);
      return;
    }
    stop_foretelling(s, room);
    if (f->lost) return;
  }
  if (s->run == 0) {
    open_run(s, value);
  } else if (value == ahead(s->first, s->stride, s->run) && (s->stride == 0 || s->run > 2)) {
    ++s->run;
  } else if (!becomes_progression(s, value)) {
    close_run(s, room, value);
  }
}

/* Counts as many repetitions of the value as possible at once; returns their number, or 0. */
static uint64_t count_on(struct parcast_sequence* s, int64_t value, uint64_t times) {
  struct parcast_folding* f = s->folding;
  if (f && f->depth > 0) {
    const struct parcast_item* run = &f->items[f->levels[f->depth - 1].at];
    if (value != f->expected || run->stride != 0) return 0;
    if (times > run->count - f->offset) times = run->count - f->offset;
    f->offset += times;
    if (f->offset == run->count) advance(f);
  } else if (!f || !f->lost) {
    if (s->run == 0 || s->stride != 0 || value != s->first) return 0;
    s->run += times;
  }
  if (f) f->count += times, f->sum += (uint64_t)value * times;
  return times;
}

static void repeat_value(struct parcast_sequence* s, struct parcast_room* room, int64_t value,
                         uint64_t times) {
  while (times > 0) {
    const uint64_t counted = count_on(s, value, times);
    if (!counted) parcast_sequence_add(s, room, value);
    times -= counted ? counted : 1;
  }
}

/* Returns the rounds of the outermost loop, which its end counts. */
static uint64_t* rounds_of(const struct parcast_folding* f) {
  const uint32_t begin = f->levels[0].begin;
  return &f->items[begin + 1 + f->items[begin].length].count;
}

static bool stands_as(const struct parcast_folding* f, const struct parcast_folding* before) {
  return f->depth == before->depth && f->offset == before->offset &&
         f->levels[0].begin == before->levels[0].begin &&
         memcmp(f->levels, before->levels, f->depth * sizeof *f->levels) == 0;
}

void parcast_sequence_repeat(struct parcast_sequence* s, struct parcast_room* room, const int64_t* values,
                             uint32_t count, uint64_t times) {
  bool equal = true;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    equal = equal && values[i] == values[0];
    sum += (uint64_t)values[i];
  }
  if (equal) {
    if (count) repeat_value(s, room, values[0], count * times);
    return;
  }
  for (; times > 0; --times) {
    struct parcast_folding* const f = s->folding;
    bool foretold = times > 1 && f && f->depth > 0;
    struct parcast_folding before;
    uint64_t rounds = 0;
    if (foretold) before = *f, rounds = *rounds_of(f);
    for (uint32_t i = 0; i < count; ++i) {
      foretold = foretold && f->depth > 0 && f->expected == values[i];
      parcast_sequence_add(s, room, values[i]);
    }
    if (!foretold || !stands_as(f, &before)) continue;
    /* The values formed complete rounds of the outermost loop, so the repetitions that follow do, too. */
    *rounds_of(f) += (*rounds_of(f) - rounds) * (times - 1);
    f->count += count * (times - 1);
    f->sum += sum * (times - 1);
    return;
  }
}

uint64_t parcast_sequence_count(const struct parcast_sequence* s) {
  return s->folding ? s->folding->count : s->run;
}

uint64_t parcast_sequence_sum(const struct parcast_sequence* s) {
  return s->folding ? s->folding->sum : (uint64_t)s->first * s->run;
}

int parcast_sequence_lost(const struct parcast_sequence* s) {
  return s->folding && s->folding->lost;
}

uint32_t parcast_sequence_items(const struct parcast_sequence* s) {
  return s->folding ? s->folding->used + 1 : 1;
}

void parcast_sequence_items_to(const struct parcast_sequence* s, parcast_item_taker* take, void* to) {
  const struct parcast_folding* f = s->folding;
  if (f) {
    for (uint32_t i = 0; i < f->used; ++i) take(to, &f->items[i]);
    if (f->depth > 0) {
      partial_round(f, take, to);
      const struct parcast_item run = run_under_way(f);
      if (run.count) take(to, &run);
    }
  }
  const struct parcast_item open = {s->first, s->stride, s->run, 0, PARCAST_ITEM_RUN};
  if (s->run) take(to, &open);
}
