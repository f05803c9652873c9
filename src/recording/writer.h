/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_WRITER_H
#define PARCAST_RECORDING_WRITER_H
/* Writes one rank's file from inside the program's process: into preallocated shared mappings, without
 * heap, signals, or descriptors kept open. A failure may be a full disk, a file size limit, a missing
 * folder or exhausted address space. After a failure parcast_reserve returns null from then on, and
 * nothing else changes; the caller counts what it could not write.
 *
 * Each thread has its own stream with its own open block. So records are written without a lock; a lock is
 * taken once per 64 KiB. A stream may fold its events (cycle.h); definitions then go to a stream that all
 * threads share. */

#include <pthread.h>
#include <stddef.h>

#include "recording/format.h"
#include "recording/usage.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PARCAST_MAX_CHUNKS 1024

struct parcast_chunk {
  char* mapping;   /* null when unmapped */
  uint64_t length; /* bytes, a multiple of the block size */
  uint32_t open;   /* number of blocks in use by streams */
};

/* A block that belongs to no stream. */
struct parcast_block {
  char* memory; /* null: none */
  uint64_t place;
  uint32_t chunk;
};

struct parcast_cycle;

struct parcast_stream {
  char* block;     /* null when no block is open */
  uint64_t offset; /* bytes of the block in use */
  uint64_t place;  /* place of the block in the file */
  uint64_t seed;   /* seed of the records' checks: parcast_place_in_round */
  /* round's number, shifted by PARCAST_ROUND_SHIFT; 0 when blocks are filled once */
  uint64_t round;
  uint32_t chunk;
  uint32_t thread;
  struct parcast_cycle* cycle;  /* null: events are not folded */
  struct parcast_resources own; /* what this thread used to open blocks and to fold */
  uint64_t next_slice;          /* offset at which parcast_cycle_go_on next has work */
  uint64_t own_ticks;           /* ticks spent on folding, not yet added to the header */
};

struct parcast_writer {
  pthread_mutex_t lock;
  /* the header and counters pages; null when not open */
  struct parcast_header* header;
  struct parcast_unfollowed* unfollowed;
  void (*read_clocks)(uint64_t* ticks, uint64_t* nanoseconds);
  uint64_t device, inode;
  uint64_t allocated; /* bytes of the file */
  uint64_t limit;
  uint32_t blocks; /* number of blocks in use */
  uint32_t chunk_count, streams;
  struct parcast_chunk chunks[PARCAST_MAX_CHUNKS];
  pthread_mutex_t definitions_lock;
  struct parcast_stream definitions;
  struct parcast_stream phases; /* the probe's stream; only one thread writes it */
  /* peak memory of the process, in bytes, already assigned to a region or to the writer */
  uint64_t peak_told;
  struct parcast_block usage;  /* block with the newest usage places */
  double ticks_per_nanosecond; /* for folding; set before events are written */
  uint64_t overhead;           /* ticks per event; set before events are written */
  char path[4096];
};

/* Creates the file, which must not exist, with the given header; check, version and live values are set
 * here. Returns 0, or the errno of the failure; no file remains then. */
int parcast_writer_open(struct parcast_writer* writer, const char* path, const struct parcast_header* header,
                        void (*read_clocks)(uint64_t* ticks, uint64_t* nanoseconds));

/* Writes the header's fixed part again after fields of `header` were changed in place. */
void parcast_writer_seal_header(struct parcast_writer* writer);

/* Marks the end of the file and returns unused room. No stream may be written afterwards. `last` is the
 * only stream in use, or null when there are several. */
void parcast_writer_close(struct parcast_writer* writer, struct parcast_stream* last);

/* Opens a new block for the stream; returns false when nothing can be written any more. */
int parcast_next_block(struct parcast_writer* writer, struct parcast_stream* stream);

/* Records that something found no room in a table: bits of parcast_left_out. */
void parcast_note_left_out(struct parcast_writer* writer, uint64_t what);

/* Releases the stream's block; a later record opens a new one. */
void parcast_release_block(struct parcast_writer* writer, struct parcast_stream* stream);

/* Takes a new block of that kind and writes its header. Returns the reason when there is none. The lock
 * must be held. */
enum parcast_stop parcast_take_block(struct parcast_writer* writer, uint32_t thread,
                                     enum parcast_block_kind kind, struct parcast_block* block);
/* Releases the block's memory; the block remains in the file. The lock must be held. */
void parcast_leave_block(struct parcast_writer* writer, struct parcast_block* block);

void parcast_set_live(struct parcast_writer* writer, enum parcast_live what, uint64_t value);
/* Stores the current values of both clocks and of the memory in use. */
void parcast_note_clocks(struct parcast_writer* writer);
void parcast_stop_writing(struct parcast_writer* writer, enum parcast_stop reason);
void parcast_add_live(struct parcast_writer* writer, enum parcast_live what, uint64_t amount);
/* Counts events that could not be kept. */
void parcast_count_dropped(struct parcast_writer* writer, uint64_t events);
/* Counts a call that is not recorded as an event. */
void parcast_count_unfollowed(struct parcast_writer* writer, uint32_t call);

/* Allocates room on the device before it is touched: writing to a sparse mapping on a full disk would kill
 * the program with SIGBUS. Returns 0 or an errno. */
int parcast_allocate(int descriptor, uint64_t offset, uint64_t length);
/* Opens the file again for reading and writing if it is still the one that was created. Returns a negative
 * number otherwise. */
int parcast_open_again(const char* path, uint64_t device, uint64_t inode);

/* Returns room for a record, or null; its content is undefined. */
static inline void* parcast_reserve(struct parcast_writer* writer, struct parcast_stream* stream,
                                    uint64_t bytes) {
  if (__builtin_expect(!stream->block || stream->offset + bytes > PARCAST_BLOCK_SIZE, 0)) {
    if (bytes > PARCAST_BLOCK_SIZE - sizeof(struct parcast_block_header)) return NULL;
    if (!parcast_next_block(writer, stream)) return NULL;
  }
  return stream->block + stream->offset;
}

/* Makes the record in the room from parcast_reserve part of the file; `bytes` is a multiple of 8. */
static inline void parcast_commit(struct parcast_stream* stream, struct parcast_record* record,
                                  uint64_t bytes) {
  record->words = (uint16_t)(bytes / 8);
  record->check = parcast_check(record, bytes / 8, 0, stream->seed + stream->offset);
  stream->offset += bytes;
  __atomic_store_n(&((struct parcast_block_header*)(void*)stream->block)->committed,
                   stream->round | stream->offset, __ATOMIC_RELEASE);
}

/* Same, for a record of at most 16 words that was assembled elsewhere, word by word. Narrow stores that
 * are read again as words right away would stall the processor. The first word holds kind and flags. */
static inline void parcast_commit_words(struct parcast_stream* stream, uint64_t* into, uint64_t* words,
                                        uint32_t count) {
  words[0] |= (uint64_t)count << 16;
  uint64_t sum = parcast_check_stir(parcast_check_begin(stream->seed + stream->offset)) +
                 words[0] * parcast_check_factors[0];
  for (uint32_t i = 1; i < count; ++i) {
    sum += words[i] * parcast_check_factors[i];
    into[i] = words[i];
  }
  into[0] = words[0] | (uint64_t)parcast_check_end(sum) << 32;
  stream->offset += 8 * (uint64_t)count;
  __atomic_store_n(&((struct parcast_block_header*)(void*)stream->block)->committed,
                   stream->round | stream->offset, __ATOMIC_RELEASE);
}

/* Definitions that events refer to by number. Return false when there was no room. Names are truncated to
 * 1,000 bytes. */
int parcast_put_call(struct parcast_writer*, struct parcast_stream*, uint32_t call, uint8_t call_class,
                     uint8_t pattern, const char* name);
int parcast_put_module(struct parcast_writer*, struct parcast_stream*, uint32_t id, const char* path,
                       const unsigned char* build_id, uint32_t build_id_length);
int parcast_put_site(struct parcast_writer*, struct parcast_stream*, uint32_t id, uint32_t module,
                     uint64_t offset);
int parcast_put_region(struct parcast_writer*, struct parcast_stream*, uint32_t id, uint32_t parent,
                       const char* name);
/* A region that is a function; `offset` is that of its first byte in the module. */
int parcast_put_frame(struct parcast_writer*, struct parcast_stream*, uint32_t id, uint32_t parent,
                      uint32_t module, uint64_t offset);
int parcast_put_parameter(struct parcast_writer*, struct parcast_stream*, const char* name, double value,
                          int from_environment);
/* Phases and their names are in separate blocks, which are never folded. */
int parcast_put_phase_name(struct parcast_writer*, uint32_t id, const char* name);
/* `flags`: PARCAST_COUNT_REFUSED. `used` may be null; `counts` are written only together with `used`. */
int parcast_put_phase(struct parcast_writer*, const struct parcast_phase_span* phase, uint8_t flags,
                      const struct parcast_phase_used* used, const struct parcast_phase_counts* counts);
/* Bytes per partner of a collective. */
int parcast_put_shares(struct parcast_writer*, struct parcast_stream*, uint32_t id,
                       const struct parcast_share* shares, uint32_t count);
/* `remote` is 1 when the members are the other group of an intercommunicator. */
int parcast_put_communicator(struct parcast_writer*, struct parcast_stream*, uint32_t id,
                             const int32_t* world_ranks, uint32_t size,
                             const struct parcast_dimension* dimensions, uint32_t dimension_count,
                             uint32_t remote);
/* Same, with world ranks first, first + stride, ... */
int parcast_put_regular_communicator(struct parcast_writer*, struct parcast_stream*, uint32_t id,
                                     int32_t first, int32_t stride, uint32_t size,
                                     const struct parcast_dimension* dimensions, uint32_t dimension_count,
                                     uint32_t remote);

#ifdef __cplusplus
}
#endif

#endif
