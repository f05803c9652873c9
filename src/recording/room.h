/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_ROOM_H
#define PARCAST_RECORDING_ROOM_H
/* Memory that grows piece by piece and is given back as a whole: pages of its own, never the host's heap. */

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
  size_t bytes;                        /* mapped */
  uint64_t faults;                     /* of pages, to map them */
  void* unused[PARCAST_ROOM_SIZES];    /* pieces given back, by the logarithm of their size */
};

/* At least that many bytes, zeroed, aligned to 32; null when the kernel gives none. */
void* parcast_room_take(struct parcast_room* room, size_t bytes);
/* Gives a piece back for later; `bytes` as it was asked for. */
void parcast_room_give(struct parcast_room* room, void* piece, size_t bytes);
/* Unmaps everything. */
void parcast_room_clear(struct parcast_room* room);

/* A list with room for one more item of `item` bytes: the old one, or one of twice its length with the old content, whose
 * former place is given back. Null when there is no room; the old list stays. */
void* parcast_room_extend(struct parcast_room* room, void* list, uint32_t used, uint32_t* capacity, size_t item);

#ifdef __cplusplus
}
#endif

#endif
