/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "recording/cycle.h"

#include <stdbool.h>
#include <string.h>

enum {
  kFewestRounds = 4,
  kMostRounds = 96,
  kSlice = 512, /* bytes of a block folded at a time */
  /* a slice is folded each time this many bytes were written, so that a block is folded before the next
   * one is full */
  kSliceEvery = kSlice * 7 / 8,
  kReserve = 2, /* blocks of an edition that are allocated in advance */
  /* a description of more bytes begins a new chapter */
  kLongChapter = 1 << 20,
  /* so does more memory of folded events */
  kMuchMemory = 8 << 20,
  kPartBegin = sizeof(struct parcast_block_header) + sizeof(struct parcast_part),
  kPartRoom = PARCAST_BLOCK_SIZE - kPartBegin
};
_Static_assert(sizeof(struct parcast_block_header) % 8 == 0 && sizeof(struct parcast_part) % 8 == 0,
               "checks go by words");

struct blocks {
  struct parcast_block* list;
  uint32_t count, capacity;
};

struct parcast_cycle {
  struct parcast_room self; /* holds the cycle and its lists */
  struct parcast_fold* fold;
  uint64_t round;  /* the current round */
  uint32_t filled; /* rounds since the last edition */
  uint32_t wanted; /* rounds until the next edition */
  struct {
    /* the block that was filled last, if it is not completely folded; else null */
    const char* memory;
    uint64_t at, end;
  } behind;
  struct blocks rounds, editions[2];
  int newest;     /* index of the complete edition; -1: none */
  uint32_t parts; /* of that edition */
  uint64_t chapter, edition;
  /* place in the file where the last finished chapter ends */
  uint64_t sealed;
};

void parcast_cycle_begin(struct parcast_stream* stream, int times) {
  stream->next_slice = UINT64_MAX;
  struct parcast_room self = {0};
  struct parcast_cycle* cycle = parcast_room_take(&self, sizeof *cycle);
  if (!cycle) return;
  cycle->self = self;
  cycle->fold = parcast_fold_new();
  cycle->wanted = kFewestRounds;
  cycle->newest = -1;
  if (cycle->fold) {
    if (times) parcast_fold_keep_times(cycle->fold);
    stream->cycle = cycle;
  } else {
    parcast_room_clear(&self);
  }
}

/* Adds a block to a list; returns the reason when it cannot. */
static enum parcast_stop add_block(struct parcast_writer* writer, struct parcast_cycle* cycle,
                                   struct blocks* blocks, uint32_t thread, enum parcast_block_kind kind) {
  struct parcast_block* list =
      parcast_room_extend(&cycle->self, blocks->list, blocks->count, &blocks->capacity, sizeof *list);
  if (!list) return PARCAST_STOP_MEMORY;
  blocks->list = list;
  pthread_mutex_lock(&writer->lock);
  const enum parcast_stop reason = parcast_take_block(writer, thread, kind, &list[blocks->count]);
  pthread_mutex_unlock(&writer->lock);
  if (reason == PARCAST_STOP_NONE) ++blocks->count;
  return reason;
}

/* State while an edition is written. */
struct writing {
  struct parcast_writer* writer;
  struct parcast_cycle* cycle;
  struct blocks* blocks;
  uint32_t thread;
  uint32_t parts; /* parts begun */
  uint32_t used;  /* bytes in the last part */
  uint64_t bytes;
  enum parcast_stop reason;
};

static void write_piece(void* to, const void* bytes, uint32_t count) {
  struct writing* writing = to;
  const char* from = bytes;
  while (count && writing->reason == PARCAST_STOP_NONE) {
    if (writing->parts == 0 || writing->used == kPartRoom) {
      if (writing->parts == writing->blocks->count)
        writing->reason = add_block(writing->writer, writing->cycle, writing->blocks, writing->thread,
                                    PARCAST_BLOCK_CHAPTER);
      if (writing->reason != PARCAST_STOP_NONE) return;
      /* Invalidates the old part in this block, even if this edition does not find room for all its parts. */
      memset(writing->blocks->list[writing->parts].memory + sizeof(struct parcast_block_header), 0,
             sizeof(struct parcast_part));
      ++writing->parts;
      writing->used = 0;
    }
    const uint32_t now = count < kPartRoom - writing->used ? count : kPartRoom - writing->used;
    memcpy(writing->blocks->list[writing->parts - 1].memory + kPartBegin + writing->used, from, now);
    writing->used += now;
    writing->bytes += now;
    from += now;
    count -= now;
  }
}

static void seal_part(const struct parcast_block* block, const struct parcast_part* part) {
  const uint64_t place = block->place + sizeof(struct parcast_block_header);
  struct parcast_part* into =
      (struct parcast_part*)(void*)(block->memory + sizeof(struct parcast_block_header));
  const uint64_t padded = (part->bytes + 7ull) / 8 * 8;
  memset(block->memory + kPartBegin + part->bytes, 0, padded - part->bytes);
  *into = *part;
  into->check = parcast_check(into, (sizeof *into + padded) / 8, 0, place);
  struct parcast_block_header* header = (struct parcast_block_header*)(void*)block->memory;
  const uint64_t turned = header->kind == PARCAST_BLOCK_ROUND ? PARCAST_TURNED_CHAPTER : 0;
  __atomic_store_n(&header->committed, turned | (kPartBegin + padded), __ATOMIC_RELEASE);
}

static struct parcast_part part_of(const struct parcast_cycle* cycle, const struct writing* writing,
                                   uint32_t number, uint64_t round) {
  return (struct parcast_part){.bytes = number + 1 < writing->parts ? kPartRoom : writing->used,
                               .part = number,
                               .parts = writing->parts,
                               .chapter = cycle->chapter,
                               .edition = cycle->edition,
                               .round = round};
}

static enum parcast_stop describe(struct parcast_writer* writer, struct parcast_cycle* cycle, uint32_t thread,
                                  uint64_t* bytes) {
  struct blocks* blocks = &cycle->editions[cycle->newest == 0 ? 1 : 0];
  struct writing writing = {.writer = writer, .cycle = cycle, .blocks = blocks, .thread = thread};
  parcast_fold_describe(cycle->fold, write_piece, &writing);
  if (writing.reason != PARCAST_STOP_NONE) return writing.reason;
  ++cycle->edition;
  for (uint32_t i = 0; i < writing.parts; ++i) {
    const struct parcast_part part =
        part_of(cycle, &writing, i, cycle->round - (cycle->behind.memory != NULL));
    seal_part(&blocks->list[i], &part);
  }
  cycle->newest = cycle->newest == 0 ? 1 : 0;
  cycle->parts = writing.parts;
  *bytes = writing.bytes;
  return PARCAST_STOP_NONE;
}

/* Writes all folded events to the file as an edition. Without room, the order of events is no longer kept. */
static enum parcast_stop publish(struct parcast_writer* writer, struct parcast_cycle* cycle, uint32_t thread,
                                 uint64_t* bytes) {
  enum parcast_stop reason = describe(writer, cycle, thread, bytes);
  if (reason == PARCAST_STOP_NONE) return reason;
  parcast_fold_summarise(cycle->fold);
  parcast_set_live(writer, PARCAST_LIVE_SUMMARISED, 1);
  return describe(writer, cycle, thread, bytes);
}

/* Returns whether an edition has that many blocks, adding blocks as needed. Some are always reserved, so
 * that summarised events still find room at the size limit. */
static bool reserve(struct parcast_writer* writer, struct parcast_cycle* cycle, int edition, uint32_t number,
                    uint32_t thread) {
  struct blocks* blocks = &cycle->editions[edition];
  while (blocks->count < number)
    if (add_block(writer, cycle, blocks, thread, PARCAST_BLOCK_CHAPTER) != PARCAST_STOP_NONE) return false;
  return true;
}

/* Keeps the newest edition unchanged and uses the other edition's blocks for the next chapter. Without room
 * for a new chapter the current one continues. */
static void next_chapter(struct parcast_writer* writer, struct parcast_cycle* cycle, uint32_t thread) {
  struct blocks* written = &cycle->editions[cycle->newest];
  struct blocks* other = &cycle->editions[1 - cycle->newest];
  if (!reserve(writer, cycle, 1 - cycle->newest, 2 * kReserve, thread)) return;
  pthread_mutex_lock(&writer->lock);
  for (uint32_t i = 0; i < written->count; ++i) {
    if (i < cycle->parts && written->list[i].place + PARCAST_BLOCK_SIZE > cycle->sealed)
      cycle->sealed = written->list[i].place + PARCAST_BLOCK_SIZE;
    parcast_leave_block(writer, &written->list[i]);
  }
  pthread_mutex_unlock(&writer->lock);
  written->count = 0;
  while (written->count < kReserve && written->count < written->capacity)
    written->list[written->count++] = other->list[--other->count];
  cycle->newest = -1;
  cycle->parts = 0;
  ++cycle->chapter;
  parcast_fold_next_chapter(cycle->fold);
}

/* Frees all blocks of rounds for reuse, except the last one, which is not folded yet. */
static void keep_last_block(struct parcast_cycle* cycle) {
  struct parcast_block* list = cycle->rounds.list;
  const struct parcast_block first = list[0];
  list[0] = list[cycle->filled - 1];
  list[cycle->filled - 1] = first;
  cycle->filled = 1;
}

static enum parcast_stop begin_again(struct parcast_writer* writer, struct parcast_cycle* cycle,
                                     uint32_t thread) {
  uint64_t bytes = 0;
  for (int i = 0; i < 2 && cycle->edition == 0; ++i) reserve(writer, cycle, i, kReserve, thread);
  const enum parcast_stop reason = publish(writer, cycle, thread, &bytes);
  if (reason != PARCAST_STOP_NONE) return reason;
  if (cycle->behind.memory)
    keep_last_block(cycle);
  else
    cycle->filled = 0;
  const uint32_t rounds = 2 * cycle->parts;
  cycle->wanted = rounds < kFewestRounds ? kFewestRounds : rounds > kMostRounds ? kMostRounds : rounds;
  if (bytes > kLongChapter || parcast_fold_memory(cycle->fold) > kMuchMemory)
    next_chapter(writer, cycle, thread);
  return PARCAST_STOP_NONE;
}

static void open_round(struct parcast_stream* stream) {
  struct parcast_cycle* cycle = stream->cycle;
  const struct parcast_block* block = &cycle->rounds.list[cycle->filled];
  ++cycle->round;
  stream->block = block->memory;
  stream->chunk = block->chunk;
  stream->place = block->place;
  stream->seed = parcast_place_in_round(block->place, cycle->round);
  stream->round = cycle->round << PARCAST_ROUND_SHIFT;
  stream->offset = sizeof(struct parcast_block_header);
  struct parcast_block_header* header = (struct parcast_block_header*)(void*)block->memory;
  __atomic_store_n(&header->committed, stream->round | stream->offset, __ATOMIC_RELEASE);
}

/* Returns the end of the records that begin before the next kSlice bytes. */
static uint64_t end_of_slice(const struct parcast_cycle* cycle) {
  if (!cycle->behind.memory) return 0;
  uint64_t at = cycle->behind.at;
  const uint64_t end = at + kSlice < cycle->behind.end ? at + kSlice : cycle->behind.end;
  while (at < end) {
    const struct parcast_record* record = (const void*)(cycle->behind.memory + at);
    if (record->words == 0) return cycle->behind.end;
    at += (uint64_t)record->words * 8;
  }
  return at;
}

static void fold_until(struct parcast_cycle* cycle, uint64_t end) {
  if (!cycle->behind.memory) return;
  parcast_fold_take(cycle->fold, cycle->behind.memory + cycle->behind.at, end - cycle->behind.at);
  cycle->behind.at = end;
  if (end >= cycle->behind.end) cycle->behind.memory = NULL;
}

/* The memory used for folding must not count as the program's. */
void parcast_cycle_go_on(struct parcast_writer* writer, struct parcast_stream* stream) {
  struct parcast_cycle* cycle = stream->cycle;
  const uint64_t memory = parcast_fold_memory(cycle->fold), faults = parcast_fold_faults(cycle->fold);
  fold_until(cycle, end_of_slice(cycle));
  stream->next_slice = cycle->behind.memory ? stream->offset + kSliceEvery : UINT64_MAX;
  if (parcast_fold_memory(cycle->fold) == memory) return;
  stream->own.minor_faults += parcast_fold_faults(cycle->fold) - faults;
  __atomic_fetch_add(&writer->peak_told, parcast_fold_memory(cycle->fold) - memory, __ATOMIC_RELAXED);
}

static void fold_the_rest(struct parcast_cycle* cycle) {
  fold_until(cycle, cycle->behind.end);
}

/* Makes the full block the next one to be folded. */
static void leave_full_block(struct parcast_writer* writer, struct parcast_stream* stream) {
  struct parcast_cycle* cycle = stream->cycle;
  fold_the_rest(cycle);
  if (!stream->block) return;
  parcast_fold_set_clock(cycle->fold, writer->ticks_per_nanosecond, writer->overhead);
  cycle->behind.memory = stream->block;
  cycle->behind.at = sizeof(struct parcast_block_header);
  cycle->behind.end = stream->offset;
  ++cycle->filled;
  stream->block = NULL;
}

static enum parcast_stop turn(struct parcast_writer* writer, struct parcast_stream* stream) {
  struct parcast_cycle* cycle = stream->cycle;
  leave_full_block(writer, stream);
  enum parcast_stop reason = PARCAST_STOP_NONE;
  if (cycle->filled < cycle->wanted && cycle->filled == cycle->rounds.count)
    reason = add_block(writer, cycle, &cycle->rounds, stream->thread, PARCAST_BLOCK_ROUND);
  if (cycle->filled > 0 && (cycle->filled >= cycle->wanted || reason != PARCAST_STOP_NONE)) {
    if (reason != PARCAST_STOP_NONE) fold_the_rest(cycle); /* there is no other block to use */
    reason = begin_again(writer, cycle, stream->thread);
  }
  if (reason != PARCAST_STOP_NONE) return reason;
  open_round(stream);
  stream->next_slice = cycle->behind.memory ? stream->offset + kSliceEvery : UINT64_MAX;
  return reason;
}

int parcast_cycle_turn(struct parcast_writer* writer, struct parcast_stream* stream) {
  if (writer->header->live[PARCAST_LIVE_STOP_REASON].value != PARCAST_STOP_NONE) return 0;
  uint64_t begin, end, nanoseconds;
  writer->read_clocks(&begin, &nanoseconds);
  const enum parcast_stop reason = turn(writer, stream);
  pthread_mutex_lock(&writer->lock);
  if (reason != PARCAST_STOP_NONE) parcast_stop_writing(writer, reason);
  parcast_note_clocks(writer);
  end = writer->header->live[PARCAST_LIVE_LAST_TICKS].value;
  const uint64_t before = writer->header->live[PARCAST_LIVE_OWN_TICKS].value + stream->own_ticks;
  const uint64_t spent = before + (end > begin ? end - begin : 0);
  stream->own_ticks = 0;
  parcast_set_live(writer, PARCAST_LIVE_OWN_TICKS, spent);
  pthread_mutex_unlock(&writer->lock);
  return reason == PARCAST_STOP_NONE;
}

/* Lists the blocks that are free once the newest edition contains all events, in file order. */
static uint32_t free_blocks(struct parcast_cycle* cycle, struct parcast_block* into, uint32_t most) {
  const struct blocks* lists[] = {&cycle->rounds, &cycle->editions[1 - cycle->newest]};
  uint32_t count = 0;
  for (int l = 0; l < 2; ++l)
    for (uint32_t i = 0; i < lists[l]->count && count < most; ++i) {
      uint32_t at = count++;
      for (; at > 0 && into[at - 1].place > lists[l]->list[i].place; --at) into[at] = into[at - 1];
      into[at] = lists[l]->list[i];
    }
  return count;
}

/* Copies the newest edition to the first free blocks of the file, so that the rest can be returned. The
 * original stays valid until the copy is complete. */
static void move_forward(struct parcast_cycle* cycle) {
  const struct blocks* from = &cycle->editions[cycle->newest];
  const uint32_t most = cycle->rounds.count + cycle->editions[1 - cycle->newest].count;
  struct parcast_block* into = parcast_room_take(&cycle->self, (most + 1) * sizeof *into);
  if (!into || free_blocks(cycle, into, most) < cycle->parts ||
      into[cycle->parts - 1].place > from->list[0].place)
    return;
  ++cycle->edition;
  for (uint32_t i = 0; i < cycle->parts; ++i) {
    const char* source = from->list[i].memory + sizeof(struct parcast_block_header);
    struct parcast_part part;
    memcpy(&part, source, sizeof part);
    part.edition = cycle->edition;
    memcpy(into[i].memory + kPartBegin, source + sizeof part, part.bytes);
    seal_part(&into[i], &part);
  }
  struct blocks* moved = &cycle->editions[1 - cycle->newest];
  *moved = (struct blocks){into, cycle->parts, most + 1};
  cycle->newest = 1 - cycle->newest;
}

void parcast_cycle_close(struct parcast_writer* writer, struct parcast_stream* stream) {
  struct parcast_cycle* cycle = stream->cycle;
  if (cycle->edition == 0 || writer->header->live[PARCAST_LIVE_STOP_REASON].value != PARCAST_STOP_NONE)
    return;
  leave_full_block(writer, stream);
  fold_the_rest(cycle);
  uint64_t bytes;
  if (publish(writer, cycle, stream->thread, &bytes) != PARCAST_STOP_NONE) return;
  move_forward(cycle);
  const struct parcast_block* last = &cycle->editions[cycle->newest].list[cycle->parts - 1];
  uint64_t end = last->place + PARCAST_BLOCK_SIZE;
  if (cycle->sealed > end) end = cycle->sealed;
  if (writer->usage.place && writer->usage.place + PARCAST_BLOCK_SIZE > end)
    end = writer->usage.place + PARCAST_BLOCK_SIZE;
  if (writer->definitions.place + PARCAST_BLOCK_SIZE > end)
    end = writer->definitions.place + PARCAST_BLOCK_SIZE;
  if (writer->phases.place + PARCAST_BLOCK_SIZE > end) end = writer->phases.place + PARCAST_BLOCK_SIZE;
  pthread_mutex_lock(&writer->lock);
  writer->blocks = (uint32_t)((end - PARCAST_HEADER_SIZE) / PARCAST_BLOCK_SIZE);
  parcast_set_live(writer, PARCAST_LIVE_BLOCKS, writer->blocks);
  parcast_set_live(writer, PARCAST_LIVE_OWN_TICKS,
                   writer->header->live[PARCAST_LIVE_OWN_TICKS].value + stream->own_ticks);
  pthread_mutex_unlock(&writer->lock);
  stream->block = last->memory;
  stream->place = last->place;
  stream->offset = ((const struct parcast_block_header*)(const void*)last->memory)->committed &
                   (PARCAST_TURNED_CHAPTER - 1);
}
