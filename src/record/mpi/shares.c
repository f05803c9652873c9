/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "record/mpi/handle_map.h"
#include "record/mpi/recorder.h"

/* Lists of bytes per partner. Each is written once, however often it is used: an iterating program has
 * few. A list for which there is no room gets number 0, and its event contains only the sum. */
enum { kSlots = 1 << 12, kMostLists = kSlots / 2, kRoom = 1 << 20 };
static struct {
  uint64_t hash;
  const struct parcast_share* shares;
  uint32_t count, id;
} slots[kSlots];
static uint32_t list_count;
static struct parcast_share* arena;
static uint32_t arena_used, arena_room;
static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;

bool parcast_shares_begin(struct parcast_share_list* list, struct parcast_thread* thread, uint32_t partners) {
  list->count = 0;
  list->thread = thread;
  if (thread->silent) return false;
  list->shares = parcast_scratch(thread, (size_t)partners * sizeof *list->shares + 8);
  return list->shares != NULL;
}

void parcast_shares_add(struct parcast_share_list* list, int32_t partner, uint64_t bytes) {
  struct parcast_share* last = list->count ? &list->shares[list->count - 1] : NULL;
  if (last && last->bytes == bytes) {
    const int64_t stride = last->count == 1 ? (int64_t)partner - last->first : last->stride;
    if ((int64_t)last->first + (int64_t)last->count * stride == partner) {
      last->stride = (int32_t)stride;
      ++last->count;
      return;
    }
  }
  list->shares[list->count++] = (struct parcast_share){partner, 0, 1, 0, bytes};
}

static uint64_t hash_of(const struct parcast_share_list* list) {
  uint64_t hash = list->count + 1;
  const uint64_t* words = (const uint64_t*)(const void*)list->shares;
  for (size_t i = 0; i < list->count * sizeof *list->shares / 8; ++i)
    hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull, hash ^= hash >> 29;
  return hash;
}

static bool equal(uint32_t slot, uint64_t hash, const struct parcast_share_list* list) {
  return slots[slot].hash == hash && slots[slot].count == list->count &&
         memcmp(slots[slot].shares, list->shares, list->count * sizeof *list->shares) == 0;
}

static const struct parcast_share* keep(const struct parcast_share_list* list) {
  if (!arena) {
    size_t bytes = kRoom * sizeof *arena;
    arena = parcast_pages(&bytes);
    arena_room = arena ? kRoom : 0;
  }
  if (list->count > arena_room - arena_used) return NULL;
  struct parcast_share* copy = arena + arena_used;
  memcpy(copy, list->shares, list->count * sizeof *copy);
  arena_used += list->count;
  return copy;
}

uint32_t parcast_shares_end(struct parcast_share_list* list) {
  if (list->count == 0) return 0;
  const uint64_t hash = hash_of(list);
  uint32_t id = 0;
  pthread_mutex_lock(&growing);
  uint32_t slot = (uint32_t)(hash >> 32) % kSlots;
  while (slots[slot].id && !equal(slot, hash, list)) slot = (slot + 1) % kSlots;
  if (slots[slot].id) {
    id = slots[slot].id;
  } else if (list_count < kMostLists) {
    const struct parcast_share* kept = keep(list);
    if (kept && parcast_put_shares(&parcast_recorder.writer, &list->thread->stream, ++list_count, kept,
                                   list->count)) {
      /* the number of an incompletely written list is not reused */
      id = list_count;
      slots[slot].hash = hash, slots[slot].shares = kept, slots[slot].count = list->count,
      slots[slot].id = id;
    }
  }
  if (!id) parcast_note_left_out(&parcast_recorder.writer, PARCAST_LEFT_OUT_SHARES);
  pthread_mutex_unlock(&growing);
  parcast_restart_segment(list->thread); /* this work must not count as the program's computing */
  return id;
}
