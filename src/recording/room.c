/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "recording/room.h"

#include <string.h>
#include <sys/mman.h>

#include "recording/usage.h"

enum { kLeast = 5, kFirstChunk = 1 << 14, kLargestChunk = 1 << 18 };

struct parcast_room_chunk {
  struct parcast_room_chunk* next;
  size_t bytes;
  char padding[16];
};

static int size_class(size_t bytes) {
  int power = kLeast;
  while (power < PARCAST_ROOM_SIZES && ((size_t)1 << power) < bytes) ++power;
  return power;
}

static int add_chunk(struct parcast_room* room, size_t bytes) {
  /* Doubles the memory, so that threads with few events use little. */
  size_t least = room->bytes < kFirstChunk ? kFirstChunk : room->bytes;
  if (least > kLargestChunk) least = kLargestChunk;
  bytes += sizeof(struct parcast_room_chunk);
  if (bytes < least) bytes = least;
  bytes = (bytes + 4095) & ~(size_t)4095;
  struct parcast_resources before, after;
  int told = parcast_read_resources(&before);
  /* Maps its pages at once, so that their cost can be measured. */
  void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  told = told && parcast_read_resources(&after);
  if (memory == MAP_FAILED) return 0;
  if (told) room->faults += after.minor_faults - before.minor_faults;
  struct parcast_room_chunk* chunk = memory;
  chunk->next = room->chunks;
  chunk->bytes = bytes;
  room->chunks = chunk;
  room->at = (char*)memory + sizeof *chunk;
  room->left = bytes - sizeof *chunk;
  room->bytes += bytes;
  return 1;
}

void* parcast_room_take(struct parcast_room* room, size_t bytes) {
  const int power = size_class(bytes);
  if (power == PARCAST_ROOM_SIZES) return NULL;
  const size_t size = (size_t)1 << power;
  void* piece = room->unused[power];
  if (piece) {
    memcpy(&room->unused[power], piece, sizeof piece);
    memset(piece, 0, size);
    return piece;
  }
  if (room->left < size && !add_chunk(room, size)) return NULL;
  piece = room->at;
  room->at += size;
  room->left -= size;
  return piece;
}

void parcast_room_give(struct parcast_room* room, void* piece, size_t bytes) {
  if (!piece) return;
  const int power = size_class(bytes);
  memcpy(piece, &room->unused[power], sizeof piece);
  room->unused[power] = piece;
}

void parcast_room_clear(struct parcast_room* room) {
  while (room->chunks) {
    struct parcast_room_chunk* chunk = room->chunks;
    room->chunks = chunk->next;
    munmap(chunk, chunk->bytes);
  }
  memset(room, 0, sizeof *room);
}

void* parcast_room_extend(struct parcast_room* room, void* list, uint32_t used, uint32_t* capacity,
                          size_t item) {
  if (used < *capacity) return list;
  const uint32_t larger = *capacity ? *capacity * 2 : 4;
  if (larger <= *capacity) return NULL;
  void* copy = parcast_room_take(room, larger * item);
  if (!copy) return NULL;
  if (used) memcpy(copy, list, used * item);
  parcast_room_give(room, list, *capacity * item);
  *capacity = larger;
  return copy;
}
