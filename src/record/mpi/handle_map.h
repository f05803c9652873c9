/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_HANDLE_MAP_H
#define PARCAST_RECORD_HANDLE_MAP_H
/* Handle of MPI, as a number -> number, and a pool of equal items that grows. Memory comes from mmap, not from the host's heap. */

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

/* The slot of a handle, or null. */
struct parcast_slot* parcast_map_find(const struct parcast_map* map, uint64_t handle);
/* The slot of a handle, made with the number PARCAST_NO_NUMBER where there was none; null without room. */
#define PARCAST_NO_NUMBER UINT32_MAX
struct parcast_slot* parcast_map_place(struct parcast_map* map, uint64_t handle);
/* Puts or replaces; false without room. */
bool parcast_map_put(struct parcast_map* map, uint64_t handle, uint32_t number);
void parcast_map_erase(struct parcast_map* map, struct parcast_slot* slot);

struct parcast_pool {
  char* items;
  size_t item_bytes;
  uint32_t capacity, used;
  uint32_t free; /* 1 + the first of a list through the items' first word; 0 none */
};

/* The number of an item, whose content is of no meaning, or UINT32_MAX without room. Items may move when the pool grows. */
uint32_t parcast_pool_take(struct parcast_pool* pool);
void parcast_pool_give(struct parcast_pool* pool, uint32_t number);

/* Anonymous memory of at least that many bytes, or null; *bytes becomes what was got. */
void* parcast_pages(size_t* bytes);
void parcast_pages_free(void* memory, size_t bytes);

#endif
