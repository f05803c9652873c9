/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "recording/fold.h"

#include <string.h>

#include "recording/fold_state.h"

enum { kFirstSamples = 16, kMostKeys = 1 << 20 };

/* The content of an event's record. */
struct said {
  uint64_t enter, exit, compute, request, stolen;
  struct saying saying;
  uint32_t call, site, region;
  uint8_t flags;
};

struct parcast_fold* parcast_fold_new(void) {
  struct parcast_room self = {0};
  struct parcast_fold* fold = parcast_room_take(&self, sizeof *fold);
  if (!fold) return NULL;
  fold->self = self;
  fold->ticks_per_nanosecond = 1;
  fold->current = fold->segment_from = PARCAST_NO_KEY;
  fold->lot = 0x9e3779b97f4a7c15ull;
  return fold;
}

void parcast_fold_set_clock(struct parcast_fold* fold, double ticks_per_nanosecond, uint64_t overhead) {
  fold->ticks_per_nanosecond = ticks_per_nanosecond;
  fold->overhead = overhead;
}

void parcast_fold_keep_times(struct parcast_fold* fold) {
  fold->keeps_times = true;
}

uint64_t parcast_fold_memory(const struct parcast_fold* fold) {
  return fold->room.bytes;
}
uint64_t parcast_fold_faults(const struct parcast_fold* fold) {
  return fold->room.faults;
}

void parcast_fold_free(struct parcast_fold* fold) {
  if (!fold) return;
  parcast_room_clear(&fold->room);
  struct parcast_room self = fold->self; /* copied first, because it holds the fold itself */
  parcast_room_clear(&self);
}

/* --- tables --- */

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t hash = (a ^ (b * 0xbf58476d1ce4e5b9ull)) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

static uint64_t hash_of_key(uint32_t call, uint32_t site, uint32_t region) {
  return mix((uint64_t)site << 32 | region, call);
}

static uint64_t hash_of_transition(int32_t from, uint32_t to) {
  return mix((uint32_t)from, to);
}

/* Grows a table so that at most half its slots are filled. Returns false when there is no memory. */
static bool grow(struct parcast_fold* fold, struct table* table, bool of_keys) {
  const uint32_t count = of_keys ? fold->key_count : fold->transition_count;
  if (2 * count < table->capacity) return true;
  struct table larger = {NULL, table->capacity ? table->capacity * 2 : 128};
  larger.slots = parcast_room_take(&fold->room, larger.capacity * sizeof *larger.slots);
  if (!larger.slots) return false;
  for (uint32_t i = 0; i < count; ++i) {
    const struct key* key = &fold->keys[i];
    const struct transition* t = &fold->transitions[i];
    uint64_t at =
        of_keys ? hash_of_key(key->call, key->site, key->region) : hash_of_transition(t->from, t->to);
    while (larger.slots[at & (larger.capacity - 1)]) ++at;
    larger.slots[at & (larger.capacity - 1)] = i + 1;
  }
  parcast_room_give(&fold->room, table->slots, table->capacity * sizeof *table->slots);
  *table = larger;
  return true;
}

static bool is(const struct key* key, uint32_t call, uint32_t site, uint32_t region) {
  return key->site == site && key->call == call && key->region == region;
}

static int32_t find_key(struct parcast_fold* fold, uint32_t call, uint32_t site, uint32_t region) {
  if (!grow(fold, &fold->key_table, true)) return PARCAST_NO_KEY;
  const uint32_t mask = fold->key_table.capacity - 1;
  uint64_t at = hash_of_key(call, site, region);
  for (; fold->key_table.slots[at & mask]; ++at) {
    const uint32_t number = fold->key_table.slots[at & mask] - 1;
    if (is(&fold->keys[number], call, site, region)) return (int32_t)number;
  }
  struct key* keys =
      fold->key_count < kMostKeys
          ? parcast_room_extend(&fold->room, fold->keys, fold->key_count, &fold->key_capacity, sizeof *keys)
          : NULL;
  if (!keys) return PARCAST_NO_KEY;
  fold->keys = keys;
  keys[fold->key_count] = (struct key){.call = call, .site = site, .region = region, .least = UINT64_MAX};
  fold->key_table.slots[at & mask] = ++fold->key_count;
  return (int32_t)fold->key_count - 1;
}

/* Returns the key of the event; it is usually the one that followed last time. */
static int32_t key_of(struct parcast_fold* fold, uint32_t call, uint32_t site, uint32_t region) {
  const uint32_t guess = fold->segment_from != PARCAST_NO_KEY ? fold->keys[fold->segment_from].last_next : 0;
  if (guess && is(&fold->keys[guess - 1], call, site, region)) return (int32_t)guess - 1;
  return find_key(fold, call, site, region);
}

static int32_t find_transition(struct parcast_fold* fold, int32_t from, uint32_t to) {
  if (!grow(fold, &fold->transition_table, false)) return PARCAST_NO_KEY;
  const uint32_t mask = fold->transition_table.capacity - 1;
  uint64_t at = hash_of_transition(from, to);
  for (; fold->transition_table.slots[at & mask]; ++at) {
    const uint32_t number = fold->transition_table.slots[at & mask] - 1;
    if (fold->transitions[number].from == from && fold->transitions[number].to == to) return (int32_t)number;
  }
  struct transition* all = parcast_room_extend(&fold->room, fold->transitions, fold->transition_count,
                                               &fold->transition_capacity, sizeof *all);
  if (!all) return PARCAST_NO_KEY;
  fold->transitions = all;
  all[fold->transition_count] = (struct transition){.from = from, .to = to, .least = UINT64_MAX};
  fold->transition_table.slots[at & mask] = ++fold->transition_count;
  return (int32_t)fold->transition_count - 1;
}

static int32_t transition_between(struct parcast_fold* fold, int32_t from, uint32_t to) {
  if (from == PARCAST_NO_KEY) return find_transition(fold, from, to);
  if (fold->keys[from].last_next == to + 1) return (int32_t)fold->keys[from].last_transition;
  const int32_t found = find_transition(fold, from, to);
  if (found != PARCAST_NO_KEY) {
    fold->keys[from].last_next = to + 1;
    fold->keys[from].last_transition = (uint32_t)found;
  }
  return found;
}

/* --- times --- */

static uint32_t draw(struct parcast_fold* fold, uint32_t bits) {
  fold->lot ^= fold->lot << 13;
  fold->lot ^= fold->lot >> 7;
  fold->lot ^= fold->lot << 17;
  return bits ? (uint32_t)(fold->lot * 0x2545f4914f6cdd1dull >> (64 - bits)) : 0;
}

/* Keeps one of every two neighbouring samples. The first one is always kept: it often differs from all
 * others and is examined separately. */
static void thin(struct parcast_fold* fold, struct transition* t) {
  for (uint32_t i = 0; 2 * i + 1 < t->used; ++i) t->samples[i] = t->samples[2 * i + (i ? draw(fold, 1) : 0)];
  t->used /= 2;
  ++t->thinned;
}

static void keep_sample(struct parcast_fold* fold, struct transition* t, uint16_t sample) {
  if (t->position == t->chosen) {
    if (t->used == t->capacity && t->capacity < PARCAST_MOST_SAMPLES) {
      const uint32_t larger = t->capacity ? 2 * t->capacity : kFirstSamples;
      uint16_t* samples = parcast_room_take(&fold->room, larger * sizeof *samples);
      if (samples) {
        if (t->used) memcpy(samples, t->samples, t->used * sizeof *samples);
        parcast_room_give(&fold->room, t->samples, t->capacity * sizeof *samples);
        t->samples = samples;
        t->capacity = larger;
      }
    }
    if (t->used == t->capacity) {
      if (t->capacity < 4) return;
      thin(fold, t);
      t->position = 0; /* the group begins with this one */
      t->chosen = draw(fold, t->thinned);
      if (t->chosen == 0) t->samples[t->used++] = sample;
    } else {
      t->samples[t->used++] = sample;
    }
  }
  if (++t->position >> t->thinned) {
    t->position = 0;
    t->chosen = draw(fold, t->thinned);
  }
}

static void take_time(struct parcast_fold* fold, struct transition* t, uint64_t ticks, bool disturbed) {
  const double x = (double)ticks;
  const float mark = disturbed ? -(float)x : (float)x;
  if (t->count < PARCAST_ENDS) t->first[t->count] = mark;
  t->last[t->count % PARCAST_ENDS] = mark;
  if (t->count) t->neighbours += x * t->before;
  ++t->count;
  t->before = x;
  t->ticks += ticks;
  t->squares += x * x;
  if (disturbed) ++t->disturbed, t->disturbed_ticks += ticks;
  if (ticks < t->least) t->least = ticks;
  if (ticks > t->most) t->most = ticks;
  keep_sample(fold, t, parcast_sample(x, disturbed));
}

/* Adds a number. Without memory, individual times are no longer kept at all. */
static void add_number(struct parcast_fold* fold, struct numbers* numbers, uint64_t value) {
  if (numbers->capacity - numbers->used < PARCAST_LONGEST_NUMBER) {
    const uint32_t larger = numbers->capacity ? 2 * numbers->capacity : 32;
    unsigned char* bytes = larger > numbers->capacity ? parcast_room_take(&fold->room, larger) : NULL;
    if (!bytes) {
      fold->keeps_times = false;
      return;
    }
    if (numbers->used) memcpy(bytes, numbers->bytes, numbers->used);
    parcast_room_give(&fold->room, numbers->bytes, numbers->capacity);
    numbers->bytes = bytes;
    numbers->capacity = larger;
  }
  numbers->used += parcast_number_at(numbers->bytes + numbers->used, value);
}

static uint64_t units(uint64_t from, uint64_t to) {
  return to > from ? to / PARCAST_TIME_UNIT - from / PARCAST_TIME_UNIT : 0;
}

/* Keeps the times of an event: gap x 2, + 1 if more follows. Then flags of parcast_told and, by them,
 * computing time in units and stolen nanoseconds. */
static void keep_times(struct parcast_fold* fold, struct key* key, const struct said* said,
                       uint64_t computed) {
  const uint64_t gap = fold->events ? units(fold->end, said->enter) : 0;
  const uint64_t told = (said->flags & PARCAST_WAS_SWITCHED ? PARCAST_TOLD_SWITCHED : 0u) |
                        (said->flags & PARCAST_HAS_COMPUTE ? PARCAST_TOLD_COMPUTE : 0u) |
                        (said->flags & PARCAST_HAS_STOLEN ? PARCAST_TOLD_STOLEN : 0u);
  add_number(fold, &key->gaps, gap << 1 | (told != 0));
  if (told) add_number(fold, &key->gaps, told);
  if (told & PARCAST_TOLD_COMPUTE) add_number(fold, &key->gaps, computed / PARCAST_TIME_UNIT);
  if (told & PARCAST_TOLD_STOLEN) add_number(fold, &key->gaps, said->stolen);
  add_number(fold, &key->spans, units(said->enter, said->exit));
}

/* --- events --- */

static void take_saying(struct parcast_fold* fold, struct key* key, struct said* said) {
  enum {
    kKept = PARCAST_HAS_MESSAGE | PARCAST_HAS_RECEIVED | PARCAST_HAS_REQUEST | PARCAST_HAS_CREATED |
            PARCAST_CONTINUED
  };
  said->saying.flags = said->flags & kKept;
  /* Completions precede their event in the file, so the request that the event itself begins does not
   * count here. */
  for (uint32_t i = 0; i < fold->pending; ++i)
    fold->completions[i].request = fold->last_request - fold->completions[i].request;
  said->saying.completions = fold->pending;
  if (said->flags & PARCAST_HAS_REQUEST) {
    said->saying.request = (int64_t)(said->request - fold->last_request);
    fold->last_request = said->request;
  }
  parcast_key_say(fold, key, &said->saying, fold->completions);
}

static void follow(struct parcast_fold* fold, int32_t key) {
  if (fold->current != PARCAST_NO_KEY)
    parcast_key_add(fold, &fold->keys[fold->current], PARCAST_COLUMN_NEXT, key);
  if (!fold->first_key) fold->first_key = (uint32_t)key + 1;
  fold->current = key;
}

static uint64_t computing(struct parcast_fold* fold, const struct said* said) {
  if (said->flags & PARCAST_HAS_COMPUTE)
    return (uint64_t)((double)said->compute * fold->ticks_per_nanosecond);
  if (!fold->known_end) {
    ++fold->uncertain;
    return 0;
  }
  const uint64_t gap = said->enter - fold->end;
  return said->enter > fold->end && gap > fold->overhead ? gap - fold->overhead : 0;
}

static void take_inside(struct key* key, uint64_t ticks) {
  key->ticks += ticks;
  key->squares += (double)ticks * (double)ticks;
  if (ticks < key->least) key->least = ticks;
  if (ticks > key->most) key->most = ticks;
}

static void take_event(struct parcast_fold* fold, struct said* said) {
  const int32_t number = key_of(fold, said->call, said->site, said->region);
  const bool continued = said->flags & PARCAST_CONTINUED;
  const int32_t between = number == PARCAST_NO_KEY || continued
                              ? PARCAST_NO_KEY
                              : transition_between(fold, fold->segment_from, (uint32_t)number);
  if (number == PARCAST_NO_KEY || (between == PARCAST_NO_KEY && !continued)) {
    ++fold->dropped;
    fold->pending = 0;
    return;
  }
  struct key* key = &fold->keys[number];
  if (fold->events == 0) fold->begin = said->enter;
  if (!continued) {
    const uint64_t computed = computing(fold, said);
    take_time(fold, &fold->transitions[between], computed, said->flags & PARCAST_WAS_SWITCHED);
    if (fold->keeps_times) keep_times(fold, key, said, computed);
    fold->segment_from = number;
  }
  ++fold->events;
  ++key->executions;
  key->continued += continued;
  key->to_none += said->flags & PARCAST_HAS_MESSAGE && said->saying.sent.peer == PARCAST_NO_PEER;
  if (!continued) take_inside(key, said->exit > said->enter ? said->exit - said->enter : 0);
  if (said->flags & PARCAST_HAS_STOLEN) ++key->times_stolen, key->stolen += said->stolen;
  take_saying(fold, key, said);
  follow(fold, number);
  fold->pending = 0;
  fold->end = said->exit > said->enter ? said->exit : said->enter;
  fold->known_end = true;
}

/* Folds further polls that continue the last event: they make its call longer. */
static void take_repeat(struct parcast_fold* fold, const struct parcast_repeat* repeat) {
  /* or key 0 of a new chapter */
  const int32_t number = fold->current != PARCAST_NO_KEY ? fold->current : fold->segment_from;
  if (number == PARCAST_NO_KEY) return;
  struct key* key = &fold->keys[number];
  parcast_key_settle(fold, key);
  parcast_key_add(fold, key, PARCAST_COLUMN_FLAGS, PARCAST_MORE_POLLS);
  parcast_key_add(fold, key, PARCAST_COLUMN_REPEATS, repeat->count);
  follow(fold, number);
  if (fold->keeps_times) add_number(fold, &key->spans, units(fold->end, repeat->exit));
  if (repeat->exit > fold->end) {
    key->ticks += repeat->exit - fold->end;
    fold->end = repeat->exit;
  }
}

static bool keep_completion(struct parcast_fold* fold, const struct parcast_completion* item) {
  if (__builtin_expect(fold->pending == fold->pending_capacity, 0)) {
    struct parcast_completion* all = parcast_room_extend(&fold->room, fold->completions, fold->pending,
                                                         &fold->pending_capacity, sizeof *all);
    if (!all) return false;
    fold->completions = all;
  }
  fold->completions[fold->pending++] = *item;
  return true;
}

static void keep_completions(struct parcast_fold* fold, const struct parcast_completions* head) {
  const struct parcast_completion* items = (const void*)(head + 1);
  for (uint32_t i = 0; i < head->count; ++i)
    if (!keep_completion(fold, &items[i])) return;
}

static void read_event(const uint64_t* words, struct said* said) {
  *said = (struct said){.flags = (uint8_t)(words[0] >> 8), .enter = words[1], .exit = words[2]};
  said->call = (uint16_t)words[3];
  said->site = (uint32_t)(words[3] >> 32);
  said->region = (uint32_t)words[4];
  said->saying.communicator = (uint32_t)(words[4] >> 32);
  const uint64_t* at = words + sizeof(struct parcast_event) / 8;
  if (said->flags & PARCAST_HAS_MESSAGE) memcpy(&said->saying.sent, at, sizeof said->saying.sent), at += 2;
  if (said->flags & PARCAST_HAS_RECEIVED)
    memcpy(&said->saying.received, at, sizeof said->saying.received), at += 2;
  if (said->flags & PARCAST_HAS_REQUEST) said->request = *at++;
  if (said->flags & PARCAST_HAS_COMPUTE) said->compute = *at++;
  if (said->flags & PARCAST_HAS_CREATED) said->saying.created = (uint32_t)*at++;
  if (said->flags & PARCAST_HAS_STOLEN) said->stolen = *at++;
}

void parcast_fold_take(struct parcast_fold* fold, const void* records, uint64_t bytes) {
  for (uint64_t at = 0; at + sizeof(struct parcast_record) <= bytes;) {
    const struct parcast_record* record = (const void*)((const char*)records + at);
    if (record->words == 0) return;
    if (record->kind == PARCAST_EVENT) {
      struct said said;
      read_event((const uint64_t*)(const void*)record, &said);
      take_event(fold, &said);
    } else if (record->kind == PARCAST_COMPLETIONS) {
      keep_completions(fold, (const void*)record);
    } else if (record->kind == PARCAST_REPEAT) {
      take_repeat(fold, (const void*)record);
    }
    at += (uint64_t)record->words * 8;
  }
}

void parcast_fold_next_chapter(struct parcast_fold* fold) {
  struct key last = {0};
  const bool carried = fold->current != PARCAST_NO_KEY;
  if (carried) last = fold->keys[fold->current];
  /* Completions may belong to an event of the next chapter. */
  struct parcast_room before = fold->room;
  const struct parcast_completion* waiting = fold->completions;
  const uint32_t pending = fold->pending;
  fold->room = (struct parcast_room){0};
  fold->keys = NULL;
  fold->transitions = NULL;
  fold->completions = NULL;
  fold->key_count = fold->key_capacity = fold->transition_count = fold->transition_capacity = 0;
  fold->pending = fold->pending_capacity = 0;
  fold->key_table = fold->transition_table = (struct table){0};
  for (uint32_t i = 0; i < pending && keep_completion(fold, &waiting[i]); ++i) {
  }
  parcast_room_clear(&before);
  fold->events = fold->dropped = fold->uncertain = 0;
  fold->first_key = 0;
  fold->begin = fold->end;
  fold->request_before = fold->last_request;
  fold->segment_from = carried ? find_key(fold, last.call, last.site, last.region) : PARCAST_NO_KEY;
  fold->carried = fold->segment_from != PARCAST_NO_KEY;
  fold->current = PARCAST_NO_KEY;
}

void parcast_fold_summarise(struct parcast_fold* fold) {
  fold->summarised = true;
  fold->keeps_times = false;
  for (uint32_t i = 0; i < fold->key_count; ++i) parcast_key_settle(fold, &fold->keys[i]);
  for (uint32_t i = 0; i < fold->key_count; ++i)
    for (int c = 0; c < PARCAST_COLUMNS; ++c)
      parcast_sequence_give_up(&fold->keys[i].columns[c], &fold->room);
}
