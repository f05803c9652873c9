/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_HANDLE_MAP_H
#define PARCAST_RECORD_HANDLE_MAP_H
/* A map from MPI handles, as numbers, to numbers, and a growing pool of equal items. Memory comes from
 * mmap, not from the program's heap. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parcast_slot {
  uint64_t handle; /* 0: free */
  uint32_t number;
};

struct parcast_map {
  struct parcast_slot* slots;
  uint32_t capacity, used; /* capacity is 0 or a power of two */
};

/* Returns the slot of a handle, or null. */
struct parcast_slot* parcast_map_find(const struct parcast_map* map, uint64_t handle);
/* Returns the slot of a handle; a new slot has the number PARCAST_NO_NUMBER. Returns null without memory. */
#define PARCAST_NO_NUMBER UINT32_MAX
struct parcast_slot* parcast_map_place(struct parcast_map* map, uint64_t handle);
/* Inserts or replaces a number; returns false without memory. */
bool parcast_map_put(struct parcast_map* map, uint64_t handle, uint32_t number);
void parcast_map_erase(struct parcast_map* map, struct parcast_slot* slot);

struct parcast_pool {
  char* items;
  size_t item_bytes;
  uint32_t capacity, used;
  /* 1 + index of the first free item; free items are linked through their first word; 0: none */
  uint32_t free;
};

/* Returns the number of a new item with undefined content, or UINT32_MAX without memory. Items may move
 * when the pool grows. */
uint32_t parcast_pool_take(struct parcast_pool* pool);
void parcast_pool_give(struct parcast_pool* pool, uint32_t number);

/* Returns anonymous memory of at least that many bytes, or null; sets *bytes to the actual size. */
void* parcast_pages(size_t* bytes);
void parcast_pages_free(void* memory, size_t bytes);

#endif
