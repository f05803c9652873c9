/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "recording/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "recording/cycle.h"
#include "recording/system_calls.h"
#include "recording/uncancelled.h"

enum { kFirstChunk = 4 * PARCAST_BLOCK_SIZE, kLargestChunk = 128 * PARCAST_BLOCK_SIZE, kLongestName = 1000 };

/* Above the file size limit the kernel sends SIGXFSZ to this thread. The signal is blocked here and
 * removed afterwards. */
int parcast_allocate(int descriptor, uint64_t offset, uint64_t length) {
  sigset_t blocked, before, pending;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGXFSZ);
  sigemptyset(&pending);
  sigpending(&pending);
  const int was_pending = sigismember(&pending, SIGXFSZ);
  if (pthread_sigmask(SIG_BLOCK, &blocked, &before) != 0) return EINVAL;
  const int failure = parcast_make_room(descriptor, offset, length);
  if (failure && !was_pending) {
    const struct timespec at_once = {0, 0};
    while (sigtimedwait(&blocked, NULL, &at_once) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failure;
}

static void* map(int descriptor, uint64_t offset, uint64_t length) {
  void* memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)offset);
  return memory == MAP_FAILED ? NULL : memory;
}

int parcast_open_again(const char* path, uint64_t device, uint64_t inode) {
  const int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return -1;
  struct stat status;
  if (fstat(descriptor, &status) == 0 && status.st_dev == device && status.st_ino == inode) return descriptor;
  close(descriptor);
  return -1;
}

static int reopen(const struct parcast_writer* writer) {
  return parcast_open_again(writer->path, writer->device, writer->inode);
}

void parcast_set_live(struct parcast_writer* writer, enum parcast_live what, uint64_t value) {
  struct parcast_twin* live = &writer->header->live[what];
  __atomic_store_n(&live->value, value, __ATOMIC_RELAXED);
  __atomic_store_n(&live->twin, value ^ PARCAST_TWIN, __ATOMIC_RELAXED);
}

void parcast_writer_seal_header(struct parcast_writer* writer) {
  struct parcast_header* header = writer->header;
  header->check = parcast_check(header, offsetof(struct parcast_header, live) / 8, 1, 0);
}

static int create(struct parcast_writer* writer, const struct parcast_header* header, int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return errno;
  writer->device = status.st_dev;
  writer->inode = status.st_ino;
  const int failure = parcast_allocate(descriptor, 0, PARCAST_HEADER_SIZE);
  if (failure) return failure;
  char* pages = map(descriptor, 0, PARCAST_HEADER_SIZE);
  if (!pages) return ENOMEM;
  writer->header = (struct parcast_header*)(void*)pages;
  writer->unfollowed = (struct parcast_unfollowed*)(void*)(pages + PARCAST_PAGE);
  writer->allocated = PARCAST_HEADER_SIZE;
  *writer->header = *header;
  writer->header->magic = PARCAST_FILE_MAGIC;
  writer->header->version = PARCAST_FORMAT_VERSION;
  for (int i = 0; i < PARCAST_LIVE_COUNT; ++i) parcast_set_live(writer, (enum parcast_live)i, 0);
  parcast_writer_seal_header(writer);
  return 0;
}

int parcast_writer_open(struct parcast_writer* writer, const char* path, const struct parcast_header* header,
                        void (*read_clocks)(uint64_t*, uint64_t*)) {
  PARCAST_UNCANCELLED;
  memset(writer, 0, sizeof *writer);
  pthread_mutex_init(&writer->lock, NULL);
  pthread_mutex_init(&writer->definitions_lock, NULL);
  writer->ticks_per_nanosecond = 1;
  const size_t length = strlen(path);
  if (length >= sizeof writer->path) return ENAMETOOLONG;
  memcpy(writer->path, path, length + 1);
  writer->read_clocks = read_clocks;
  writer->limit = header->limit;
  const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return errno;
  const int failure = create(writer, header, descriptor);
  close(descriptor);
  if (failure) unlink(path);
  return failure;
}

void parcast_stop_writing(struct parcast_writer* writer, enum parcast_stop reason) {
  if (writer->header->live[PARCAST_LIVE_STOP_REASON].value == PARCAST_STOP_NONE)
    parcast_set_live(writer, PARCAST_LIVE_STOP_REASON, reason);
}

void parcast_add_live(struct parcast_writer* writer, enum parcast_live what, uint64_t amount) {
  pthread_mutex_lock(&writer->lock);
  parcast_set_live(writer, what, writer->header->live[what].value + amount);
  pthread_mutex_unlock(&writer->lock);
}

void parcast_note_left_out(struct parcast_writer* writer, uint64_t what) {
  PARCAST_UNCANCELLED;
  if (!writer->header) return;
  if ((__atomic_load_n(&writer->header->live[PARCAST_LIVE_LEFT_OUT].value, __ATOMIC_RELAXED) & what) == what)
    return;
  pthread_mutex_lock(&writer->lock);
  parcast_set_live(writer, PARCAST_LIVE_LEFT_OUT, writer->header->live[PARCAST_LIVE_LEFT_OUT].value | what);
  pthread_mutex_unlock(&writer->lock);
}

void parcast_count_dropped(struct parcast_writer* writer, uint64_t events) {
  parcast_add_live(writer, PARCAST_LIVE_DROPPED, events);
}

void parcast_count_unfollowed(struct parcast_writer* writer, uint32_t call) {
  pthread_mutex_lock(&writer->lock);
  for (int i = 0; i < PARCAST_UNFOLLOWED_SLOTS; ++i) {
    struct parcast_unfollowed* slot = &writer->unfollowed[i];
    if (slot->used && slot->call != call) continue;
    const uint64_t count = slot->used ? slot->count.value + 1 : 1;
    slot->call = call;
    slot->count.value = count;
    slot->count.twin = count ^ PARCAST_TWIN ^ call;
    slot->used = 1;
    break;
  }
  pthread_mutex_unlock(&writer->lock);
}

static uint64_t next_chunk_length(const struct parcast_writer* writer) {
  uint64_t largest = kLargestChunk, length = kFirstChunk;
  while (largest < writer->limit / (PARCAST_MAX_CHUNKS / 2)) largest *= 2;
  for (uint32_t i = 0; i < writer->chunk_count && length < largest; ++i) length *= 2;
  const uint64_t room = writer->limit > writer->allocated ? writer->limit - writer->allocated : 0;
  if (length > room) length = room / PARCAST_BLOCK_SIZE * PARCAST_BLOCK_SIZE;
  return length;
}

/* Allocates one more chunk, or a single block when there is no room for a chunk. Returns the reason when
 * there is none. */
static enum parcast_stop grow(struct parcast_writer* writer) {
  uint64_t length = next_chunk_length(writer);
  if (length == 0 || writer->chunk_count == PARCAST_MAX_CHUNKS) return PARCAST_STOP_LIMIT;
  const int descriptor = reopen(writer);
  if (descriptor < 0) return PARCAST_STOP_FILE;
  enum parcast_stop reason = PARCAST_STOP_NONE;
  if (parcast_allocate(descriptor, writer->allocated, length) != 0) {
    length = PARCAST_BLOCK_SIZE;
    if (parcast_allocate(descriptor, writer->allocated, length) != 0) reason = PARCAST_STOP_SPACE;
  }
  char* mapping = reason == PARCAST_STOP_NONE ? map(descriptor, writer->allocated, length) : NULL;
  if (reason == PARCAST_STOP_NONE && !mapping) reason = PARCAST_STOP_MEMORY;
  if (reason != PARCAST_STOP_NONE && ftruncate(descriptor, (off_t)writer->allocated) != 0)
    reason = PARCAST_STOP_FILE;
  close(descriptor);
  if (reason != PARCAST_STOP_NONE) return reason;
  writer->chunks[writer->chunk_count++] = (struct parcast_chunk){mapping, length, 0};
  writer->allocated += length;
  return PARCAST_STOP_NONE;
}

void parcast_leave_block(struct parcast_writer* writer, struct parcast_block* block) {
  if (!block->memory) return;
  struct parcast_chunk* chunk = &writer->chunks[block->chunk];
  block->memory = NULL;
  const int handed_out =
      block->chunk + 1 < writer->chunk_count ||
      PARCAST_HEADER_SIZE + (uint64_t)writer->blocks * PARCAST_BLOCK_SIZE == writer->allocated;
  if (--chunk->open == 0 && handed_out) {
    munmap(chunk->mapping, chunk->length);
    chunk->mapping = NULL;
  }
}

static void release(struct parcast_writer* writer, struct parcast_stream* stream) {
  struct parcast_block block = {stream->block, stream->place, stream->chunk};
  parcast_leave_block(writer, &block);
  stream->block = NULL;
}

void parcast_release_block(struct parcast_writer* writer, struct parcast_stream* stream) {
  pthread_mutex_lock(&writer->lock);
  release(writer, stream);
  pthread_mutex_unlock(&writer->lock);
}

void parcast_note_clocks(struct parcast_writer* writer) {
  uint64_t ticks, nanoseconds;
  writer->read_clocks(&ticks, &nanoseconds);
  parcast_set_live(writer, PARCAST_LIVE_LAST_TICKS, ticks);
  parcast_set_live(writer, PARCAST_LIVE_LAST_NANOSECONDS, nanoseconds);
  struct rusage usage;
  if (parcast_resources_used(RUSAGE_SELF, &usage) == 0)
    parcast_set_live(writer, PARCAST_LIVE_PEAK_MEMORY, (uint64_t)usage.ru_maxrss * 1024);
}

/* Populates the block's pages at once: page faults one by one, between events, cost more. */
static void start_block(struct parcast_writer* writer, uint32_t thread, enum parcast_block_kind kind,
                        const struct parcast_block* block) {
#ifdef MADV_POPULATE_WRITE
  madvise(block->memory, PARCAST_BLOCK_SIZE, MADV_POPULATE_WRITE);
#endif
  struct parcast_block_header* header = (struct parcast_block_header*)(void*)block->memory;
  header->magic = PARCAST_BLOCK_MAGIC;
  header->number = writer->blocks - 1;
  header->thread = (uint16_t)thread;
  header->kind = (uint16_t)kind;
  parcast_note_clocks(writer);
  header->ticks = writer->header->live[PARCAST_LIVE_LAST_TICKS].value;
  header->nanoseconds = writer->header->live[PARCAST_LIVE_LAST_NANOSECONDS].value;
  header->check =
      parcast_check(header, offsetof(struct parcast_block_header, committed) / 8, 0, block->place);
  header->committed = sizeof *header;
}

enum parcast_stop parcast_take_block(struct parcast_writer* writer, uint32_t thread,
                                     enum parcast_block_kind kind, struct parcast_block* block) {
  if (writer->header->live[PARCAST_LIVE_STOP_REASON].value != PARCAST_STOP_NONE)
    return (enum parcast_stop)writer->header->live[PARCAST_LIVE_STOP_REASON].value;
  const uint64_t place = PARCAST_HEADER_SIZE + (uint64_t)writer->blocks * PARCAST_BLOCK_SIZE;
  if (place == writer->allocated) {
    const enum parcast_stop reason = grow(writer);
    if (reason != PARCAST_STOP_NONE) return reason;
  }
  struct parcast_chunk* chunk = &writer->chunks[writer->chunk_count - 1];
  const uint64_t chunk_place = writer->allocated - chunk->length;
  ++chunk->open;
  ++writer->blocks;
  *block = (struct parcast_block){chunk->mapping + (place - chunk_place), place, writer->chunk_count - 1};
  start_block(writer, thread, kind, block);
  parcast_set_live(writer, PARCAST_LIVE_BLOCKS, writer->blocks);
  return PARCAST_STOP_NONE;
}

static int open_next(struct parcast_writer* writer, struct parcast_stream* stream) {
  pthread_mutex_lock(&writer->lock);
  release(writer, stream);
  struct parcast_block block;
  const enum parcast_stop reason = parcast_take_block(writer, stream->thread, PARCAST_BLOCK_RECORDS, &block);
  if (reason == PARCAST_STOP_NONE) {
    stream->block = block.memory;
    stream->chunk = block.chunk;
    stream->place = stream->seed = block.place;
    stream->offset = sizeof(struct parcast_block_header);
    stream->next_slice = UINT64_MAX;
  } else {
    parcast_stop_writing(writer, reason);
  }
  pthread_mutex_unlock(&writer->lock);
  return reason == PARCAST_STOP_NONE;
}

/* Usage by this function does not count as the program's. */
int parcast_next_block(struct parcast_writer* writer, struct parcast_stream* stream) {
  PARCAST_UNCANCELLED;
  struct parcast_resources before, after;
  const int told = parcast_read_resources(&before);
  const int opened = stream->cycle ? parcast_cycle_turn(writer, stream) : open_next(writer, stream);
  if (told && parcast_read_resources(&after)) parcast_add_resources(writer, &stream->own, &after, &before);
  return opened;
}

void parcast_writer_close(struct parcast_writer* writer, struct parcast_stream* last) {
  PARCAST_UNCANCELLED;
  if (last && last->cycle) parcast_cycle_close(writer, last);
  pthread_mutex_lock(&writer->lock);
  parcast_note_clocks(writer);
  uint64_t used = PARCAST_HEADER_SIZE + (uint64_t)writer->blocks * PARCAST_BLOCK_SIZE;
  const struct parcast_stream* end[] = {last, &writer->definitions, &writer->phases};
  for (int i = 0; last && i < 3; ++i)
    if (end[i]->block && end[i]->place + PARCAST_BLOCK_SIZE == used) used = end[i]->place + end[i]->offset;
  if (writer->usage.memory && writer->usage.place + PARCAST_BLOCK_SIZE == used)
    used = writer->usage.place + ((struct parcast_block_header*)(void*)writer->usage.memory)->committed;
  const int descriptor = reopen(writer);
  if (descriptor >= 0) {
    /* A failure only wastes room: the reader ignores the zeros. */
    const int ignored = ftruncate(descriptor, (off_t)used);
    (void)ignored;
    close(descriptor);
  }
  pthread_mutex_unlock(&writer->lock);
}

/* Writes a definition: the fixed part, then bytes padded with zeros to a multiple of 8. */
static int put_into(struct parcast_writer* writer, struct parcast_stream* stream,
                    enum parcast_record_kind kind, const void* fixed, uint64_t fixed_bytes, const void* tail,
                    uint64_t tail_bytes) {
  const uint64_t bytes = (fixed_bytes + tail_bytes + 7) / 8 * 8;
  char* room = parcast_reserve(writer, stream, bytes);
  if (!room) return 0;
  memcpy(room, fixed, fixed_bytes);
  if (tail_bytes) memcpy(room + fixed_bytes, tail, tail_bytes);
  memset(room + fixed_bytes + tail_bytes, 0, bytes - fixed_bytes - tail_bytes);
  struct parcast_record* record = (struct parcast_record*)(void*)room;
  record->kind = (uint8_t)kind;
  parcast_commit(stream, record, bytes);
  return 1;
}

static int put(struct parcast_writer* writer, struct parcast_stream* stream, enum parcast_record_kind kind,
               const void* fixed, uint64_t fixed_bytes, const void* tail, uint64_t tail_bytes) {
  if (!stream->cycle) return put_into(writer, stream, kind, fixed, fixed_bytes, tail, tail_bytes);
  pthread_mutex_lock(&writer->definitions_lock);
  const int done = put_into(writer, &writer->definitions, kind, fixed, fixed_bytes, tail, tail_bytes);
  pthread_mutex_unlock(&writer->definitions_lock);
  return done;
}

static uint32_t length_of(const char* name) {
  return (uint32_t)strnlen(name, kLongestName);
}

int parcast_put_call(struct parcast_writer* writer, struct parcast_stream* stream, uint32_t call,
                     uint8_t call_class, uint8_t pattern, const char* name) {
  const struct parcast_call fixed = {
      .call = (uint16_t)call, .call_class = call_class, .pattern = pattern, .length = length_of(name)};
  return put(writer, stream, PARCAST_CALL, &fixed, sizeof fixed, name, fixed.length);
}

int parcast_put_module(struct parcast_writer* writer, struct parcast_stream* stream, uint32_t id,
                       const char* path, const unsigned char* build_id, uint32_t build_id_length) {
  const uint32_t path_length = (uint32_t)strnlen(path, 4000),
                 id_length = build_id_length > 64 ? 64 : build_id_length;
  char both[4064];
  memcpy(both, path, path_length);
  if (id_length) memcpy(both + path_length, build_id, id_length);
  const struct parcast_module fixed = {
      .id = id, .path_length = (uint16_t)path_length, .build_id_length = (uint16_t)id_length};
  return put(writer, stream, PARCAST_MODULE, &fixed, sizeof fixed, both, path_length + id_length);
}

int parcast_put_site(struct parcast_writer* writer, struct parcast_stream* stream, uint32_t id,
                     uint32_t module, uint64_t offset) {
  const struct parcast_site fixed = {.id = id, .module = module, .offset = offset};
  return put(writer, stream, PARCAST_SITE, &fixed, sizeof fixed, NULL, 0);
}

int parcast_put_region(struct parcast_writer* writer, struct parcast_stream* stream, uint32_t id,
                       uint32_t parent, const char* name) {
  const struct parcast_region fixed = {.id = id, .parent = parent, .length = length_of(name)};
  return put(writer, stream, PARCAST_REGION, &fixed, sizeof fixed, name, fixed.length);
}

int parcast_put_frame(struct parcast_writer* writer, struct parcast_stream* stream, uint32_t id,
                      uint32_t parent, uint32_t module, uint64_t offset) {
  const struct parcast_frame fixed = {.id = id, .parent = parent, .module = module, .offset = offset};
  return put(writer, stream, PARCAST_FRAME, &fixed, sizeof fixed, NULL, 0);
}

int parcast_put_parameter(struct parcast_writer* writer, struct parcast_stream* stream, const char* name,
                          double value, int from_environment) {
  const struct parcast_parameter fixed = {
      .value = value, .from_environment = from_environment ? 1u : 0u, .length = length_of(name)};
  return put(writer, stream, PARCAST_PARAMETER, &fixed, sizeof fixed, name, fixed.length);
}

static int put_runs(struct parcast_writer* writer, struct parcast_stream* stream, uint32_t id,
                    const struct parcast_run* runs, uint32_t count) {
  const struct parcast_members fixed = {.id = id, .runs = count};
  return put(writer, stream, PARCAST_MEMBERS, &fixed, sizeof fixed, runs, count * sizeof *runs);
}

static int put_members(struct parcast_writer* writer, struct parcast_stream* stream, uint32_t id,
                       const int32_t* ranks, uint32_t size) {
  enum { kAtOnce = 256 };
  struct parcast_run runs[kAtOnce];
  uint32_t count = 0;
  for (uint32_t i = 0; i < size;) {
    uint32_t length = 1;
    const int64_t stride = i + 1 < size ? (int64_t)ranks[i + 1] - ranks[i] : 0;
    while (i + length < size && (int64_t)ranks[i + length] - ranks[i + length - 1] == stride) ++length;
    runs[count++] = (struct parcast_run){ranks[i], (int32_t)stride, length, 0};
    i += length;
    if (count == kAtOnce || i == size) {
      if (!put_runs(writer, stream, id, runs, count)) return 0;
      count = 0;
    }
  }
  return 1;
}

static int put_group(struct parcast_writer* writer, struct parcast_stream* stream, uint32_t id, uint32_t size,
                     const struct parcast_dimension* dimensions, uint32_t dimension_count, uint32_t remote) {
  const struct parcast_communicator fixed = {
      .id = id, .size = size, .dimensions = dimension_count, .remote = remote};
  return put(writer, stream, PARCAST_COMMUNICATOR, &fixed, sizeof fixed, dimensions,
             dimension_count * sizeof *dimensions);
}

int parcast_put_communicator(struct parcast_writer* writer, struct parcast_stream* stream, uint32_t id,
                             const int32_t* world_ranks, uint32_t size,
                             const struct parcast_dimension* dimensions, uint32_t dimension_count,
                             uint32_t remote) {
  return put_group(writer, stream, id, size, dimensions, dimension_count, remote) &&
         put_members(writer, stream, id, world_ranks, size);
}

int parcast_put_regular_communicator(struct parcast_writer* writer, struct parcast_stream* stream,
                                     uint32_t id, int32_t first, int32_t stride, uint32_t size,
                                     const struct parcast_dimension* dimensions, uint32_t dimension_count,
                                     uint32_t remote) {
  const struct parcast_run run = {first, stride, size, 0};
  return put_group(writer, stream, id, size, dimensions, dimension_count, remote) &&
         put_runs(writer, stream, id, &run, 1);
}

int parcast_put_shares(struct parcast_writer* writer, struct parcast_stream* stream, uint32_t id,
                       const struct parcast_share* shares, uint32_t count) {
  enum { kAtOnce = 256 };
  uint32_t done = 0;
  do {
    const uint32_t now = count - done < kAtOnce ? count - done : kAtOnce;
    const struct parcast_shares fixed = {.id = id, .runs = now, .total = count};
    if (!put(writer, stream, PARCAST_SHARES, &fixed, sizeof fixed, shares + done, now * sizeof *shares))
      return 0;
    done += now;
  } while (done < count);
  return 1;
}
