/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/handle_map.h"

#include <string.h>
#include <sys/mman.h>

enum { kPage = 4096, kFirstCapacity = 256 };

void* parcast_pages(size_t* bytes) {
  *bytes = (*bytes + kPage - 1) / kPage * kPage;
  void* memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void parcast_pages_free(void* memory, size_t bytes) {
  if (memory) munmap(memory, bytes);
}

static uint32_t home(const struct parcast_map* map, uint64_t handle) {
  return (uint32_t)((handle * 0x9e3779b97f4a7c15ull) >> 32) & (map->capacity - 1);
}

struct parcast_slot* parcast_map_find(const struct parcast_map* map, uint64_t handle) {
  if (!map->capacity || !handle) return NULL;
  for (uint32_t i = home(map, handle);; i = (i + 1) & (map->capacity - 1)) {
    if (map->slots[i].handle == handle) return &map->slots[i];
    if (!map->slots[i].handle) return NULL;
  }
}

static void insert(struct parcast_map* map, struct parcast_slot slot) {
  uint32_t i = home(map, slot.handle);
  while (map->slots[i].handle) i = (i + 1) & (map->capacity - 1);
  map->slots[i] = slot;
}

static bool grow(struct parcast_map* map) {
  struct parcast_map larger = {.capacity = map->capacity ? map->capacity * 2 : kFirstCapacity,
                               .used = map->used};
  if (larger.capacity == 0) return false;
  size_t bytes = (size_t)larger.capacity * sizeof *larger.slots;
  larger.slots = parcast_pages(&bytes);
  if (!larger.slots) return false;
  for (uint32_t i = 0; i < map->capacity; ++i)
    if (map->slots[i].handle) insert(&larger, map->slots[i]);
  size_t old_bytes = (size_t)map->capacity * sizeof *map->slots;
  parcast_pages_free(map->slots, (old_bytes + kPage - 1) / kPage * kPage);
  *map = larger;
  return true;
}

struct parcast_slot* parcast_map_place(struct parcast_map* map, uint64_t handle) {
  if (!handle || (!map->capacity && !grow(map))) return NULL;
  uint32_t i = home(map, handle);
  for (; map->slots[i].handle; i = (i + 1) & (map->capacity - 1))
    if (map->slots[i].handle == handle) return &map->slots[i];
  if (map->used + 1 > map->capacity / 2) return grow(map) ? parcast_map_place(map, handle) : NULL;
  map->slots[i] = (struct parcast_slot){handle, PARCAST_NO_NUMBER};
  ++map->used;
  return &map->slots[i];
}

bool parcast_map_put(struct parcast_map* map, uint64_t handle, uint32_t number) {
  struct parcast_slot* slot = parcast_map_place(map, handle);
  if (slot) slot->number = number;
  return slot;
}

void parcast_map_erase(struct parcast_map* map, struct parcast_slot* slot) {
  const uint32_t mask = map->capacity - 1;
  uint32_t gap = (uint32_t)(slot - map->slots);
  for (uint32_t i = (gap + 1) & mask; map->slots[i].handle; i = (i + 1) & mask) {
    const uint32_t wanted = home(map, map->slots[i].handle);
    if (((i - wanted) & mask) < ((i - gap) & mask)) continue;
    map->slots[gap] = map->slots[i];
    gap = i;
  }
  map->slots[gap].handle = 0;
  --map->used;
}

static bool grow_pool(struct parcast_pool* pool) {
  const uint32_t capacity = pool->capacity ? pool->capacity * 2 : kFirstCapacity;
  if (capacity <= pool->capacity) return false;
  size_t bytes = capacity * pool->item_bytes;
  char* items = parcast_pages(&bytes);
  if (!items) return false;
  size_t old_bytes = pool->capacity * pool->item_bytes;
  if (old_bytes) memcpy(items, pool->items, old_bytes);
  parcast_pages_free(pool->items, (old_bytes + kPage - 1) / kPage * kPage);
  pool->items = items;
  pool->capacity = capacity;
  return true;
}

uint32_t parcast_pool_take(struct parcast_pool* pool) {
  uint32_t number;
  if (pool->free) {
    number = pool->free - 1;
    memcpy(&pool->free, pool->items + number * pool->item_bytes, sizeof pool->free);
  } else {
    if (pool->used == pool->capacity && !grow_pool(pool)) return UINT32_MAX;
    number = pool->used++;
  }
  return number;
}

void parcast_pool_give(struct parcast_pool* pool, uint32_t number) {
  memcpy(pool->items + number * pool->item_bytes, &pool->free, sizeof pool->free);
  pool->free = number + 1;
}
