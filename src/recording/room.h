/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_ROOM_H
#define PARCAST_RECORDING_ROOM_H
/* Memory that grows in pieces and is freed at once. It uses its own pages, never the program's heap. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PARCAST_ROOM_SIZES = 40 };

/* Zero-initialised before first use. */
struct parcast_room {
  struct parcast_room_chunk* chunks;
  char* at; /* unused rest of the newest chunk */
  size_t left;
  size_t bytes;                     /* bytes mapped */
  uint64_t faults;                  /* page faults caused by mapping */
  void* unused[PARCAST_ROOM_SIZES]; /* returned pieces, by the logarithm of their size */
};

/* Returns at least `bytes` bytes, zeroed and aligned to 32; null when the kernel provides none. */
void* parcast_room_take(struct parcast_room* room, size_t bytes);
/* Returns a piece for later use; `bytes` as requested. */
void parcast_room_give(struct parcast_room* room, void* piece, size_t bytes);
/* Unmaps everything. */
void parcast_room_clear(struct parcast_room* room);

/* Returns a list with room for one more item of `item` bytes: the old list, or one of twice its length
 * with the old content. In the second case the old memory is returned. Returns null when there is no
 * memory; the old list remains valid. */
void* parcast_room_extend(struct parcast_room* room, void* list, uint32_t used, uint32_t* capacity,
                          size_t item);

#ifdef __cplusplus
}
#endif

#endif
