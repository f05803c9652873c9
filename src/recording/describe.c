/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the description of folded events: docs/formats/recording.md. */
#include <string.h>

#include "recording/fold_state.h"

struct text {
  parcast_bytes_taker* take;
  void* to;
  uint32_t used;
  int64_t before; /* the last value of the column */
  unsigned char bytes[4000];
};

static unsigned char* room_for(struct text* text, uint32_t bytes) {
  if (text->used + bytes > sizeof text->bytes) {
    text->take(text->to, text->bytes, text->used);
    text->used = 0;
  }
  return text->bytes + text->used;
}

static void put(struct text* text, uint64_t value) {
  text->used += parcast_number_at(room_for(text, PARCAST_LONGEST_NUMBER), value);
}

static void put_signed(struct text* text, int64_t value) {
  put(text, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static void put_bytes(struct text* text, const void* bytes, uint32_t count) {
  if (count == 0) return;
  memcpy(room_for(text, count), bytes, count);
  text->used += count;
}

static void put_numbers(struct text* text, const struct numbers* numbers) {
  put(text, numbers->used);
  text->take(text->to, text->bytes, text->used);
  text->used = 0;
  if (numbers->used) text->take(text->to, numbers->bytes, numbers->used);
}

static void put_item(void* to, const struct parcast_item* item) {
  struct text* text = to;
  if (item->kind == PARCAST_ITEM_RUN) {
    put(text, item->count << 2 | (item->stride ? PARCAST_TOKEN_STRIDE : PARCAST_TOKEN_RUN));
    put_signed(text, (int64_t)((uint64_t)item->first - (uint64_t)text->before));
    if (item->stride) put_signed(text, item->stride);
    text->before = item->first;
  } else {
    put(text,
        item->count << 2 | (item->kind == PARCAST_ITEM_BEGIN ? PARCAST_TOKEN_BEGIN : PARCAST_TOKEN_END));
  }
}

static void put_column(struct text* text, const struct parcast_sequence* sequence) {
  const uint64_t count = parcast_sequence_count(sequence);
  const bool lost = parcast_sequence_lost(sequence);
  put(text, count << 1 | (lost ? 1u : 0u));
  if (count == 0) return;
  if (lost) {
    put(text, parcast_sequence_sum(sequence));
    return;
  }
  text->before = 0;
  parcast_sequence_items_to(sequence, put_item, text);
  put(text, PARCAST_TOKEN_END); /* ends the column, not a loop */
}

static void put_key(struct text* text, const struct key* key, bool times) {
  put(text, key->call);
  put(text, key->site);
  put(text, key->region);
  put(text, key->executions);
  put(text, key->continued);
  put(text, key->to_none);
  put(text, key->ticks);
  put(text, key->least == UINT64_MAX ? 0 : key->least);
  put(text, key->most);
  put(text, key->times_stolen);
  put(text, key->stolen);
  put_bytes(text, &key->squares, sizeof key->squares);
  for (int c = 0; c < PARCAST_COLUMNS; ++c) put_column(text, &key->columns[c]);
  if (!times) return;
  put_numbers(text, &key->gaps);
  put_numbers(text, &key->spans);
}

static void put_transition(struct text* text, const struct transition* t) {
  put(text, (uint64_t)(t->from + 1));
  put(text, t->to);
  put(text, t->count);
  put(text, t->disturbed);
  put(text, t->ticks);
  put(text, t->disturbed_ticks);
  put(text, t->count ? t->least : 0);
  put(text, t->most);
  put_bytes(text, &t->squares, sizeof t->squares);
  put_bytes(text, &t->neighbours, sizeof t->neighbours);
  const uint32_t ends = t->count < PARCAST_ENDS ? (uint32_t)t->count : PARCAST_ENDS;
  for (uint32_t i = 0; i < ends; ++i) put_bytes(text, &t->first[i], sizeof t->first[i]);
  for (uint32_t i = 0; i < ends; ++i)
    put_bytes(text, &t->last[(t->count - ends + i) % PARCAST_ENDS], sizeof t->last[i]);
  put(text, t->thinned);
  put(text, t->used);
  put_bytes(text, t->samples, t->used * (uint32_t)sizeof *t->samples);
}

void parcast_fold_describe(struct parcast_fold* fold, parcast_bytes_taker* take, void* to) {
  for (uint32_t i = 0; i < fold->key_count; ++i) parcast_key_settle(fold, &fold->keys[i]);
  struct text text = {.take = take, .to = to};
  put(&text, PARCAST_DESCRIPTION_VERSION);
  put(&text, (fold->carried ? 1u : 0u) | (fold->summarised ? 2u : 0u) | (fold->keeps_times ? 4u : 0u));
  put(&text, fold->events);
  put(&text, fold->dropped);
  put(&text, fold->uncertain);
  put(&text, fold->begin);
  put(&text, fold->end > fold->begin ? fold->end - fold->begin : 0);
  put(&text, fold->request_before);
  put(&text, fold->first_key);
  put(&text, fold->key_count);
  for (uint32_t i = 0; i < fold->key_count; ++i) put_key(&text, &fold->keys[i], fold->keeps_times);
  put(&text, fold->transition_count);
  for (uint32_t i = 0; i < fold->transition_count; ++i) put_transition(&text, &fold->transitions[i]);
  put(&text, fold->pending);
  for (uint32_t i = 0; i < fold->pending; ++i)
    put_bytes(&text, &fold->completions[i], sizeof *fold->completions);
  take(to, text.bytes, text.used);
}
