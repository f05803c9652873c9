/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "recording/counts_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/uncancelled.h"
#include "recording/writer.h"

static struct parcast_set_key* keys_of(const struct parcast_counts_file* file) {
  return (struct parcast_set_key*)(void*)((char*)file->header + PARCAST_KEYS_PLACE);
}

static const struct parcast_counts_row* rows_of(const struct parcast_counts_file* file) {
  return (const struct parcast_counts_row*)(const void*)((const char*)file->header + PARCAST_ROWS_PLACE);
}

uint64_t parcast_counts_live_value(const struct parcast_counts_file* file, enum parcast_counts_live what) {
  return file->header->live[what].value;
}

void parcast_counts_set_live(struct parcast_counts_file* file, enum parcast_counts_live what,
                             uint64_t value) {
  struct parcast_twin* live = &file->header->live[what];
  __atomic_store_n(&live->value, value, __ATOMIC_RELAXED);
  __atomic_store_n(&live->twin, value ^ PARCAST_TWIN, __ATOMIC_RELAXED);
}

void parcast_blank_probes(uint64_t* probes, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) probes[i * PARCAST_PROBE_WORDS] = PARCAST_PROBE_NOTHING;
}

static void* map(int descriptor, uint64_t place, uint64_t bytes) {
  void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)place);
  return memory == MAP_FAILED ? NULL : memory;
}

static int create(struct parcast_counts_file* file, const struct parcast_counts_header* header,
                  const struct parcast_counts_row* rows, int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return errno;
  file->device = status.st_dev;
  file->inode = status.st_ino;
  const uint64_t rows_end = PARCAST_ROWS_PLACE + header->modules * sizeof *rows;
  const uint64_t first = (rows_end + PARCAST_PAGE - 1) / PARCAST_PAGE * PARCAST_PAGE;
  const int failure = parcast_allocate(descriptor, 0, first);
  if (failure) return failure;
  char* pages = map(descriptor, 0, first);
  if (!pages) return ENOMEM;
  file->header = (struct parcast_counts_header*)(void*)pages;
  for (uint64_t i = 0; i < header->modules; ++i) {
    struct parcast_counts_row* row = (struct parcast_counts_row*)(void*)(pages + PARCAST_ROWS_PLACE) + i;
    *row = rows[i];
    row->reserved = row->check = 0;
    row->check =
        parcast_check(row, sizeof *row / 8, sizeof *row / 8 - 1, PARCAST_ROWS_PLACE + i * sizeof *row);
  }
  *file->header = *header;
  file->header->magic = PARCAST_COUNTS_MAGIC;
  file->header->version = PARCAST_COUNTS_VERSION;
  file->header->first = first;
  for (int i = 0; i < PARCAST_COUNTS_LIVE; ++i) parcast_counts_set_live(file, (enum parcast_counts_live)i, 0);
  file->header->check = parcast_check(file->header, offsetof(struct parcast_counts_header, live) / 8, 1, 0);
  return 0;
}

int parcast_counts_open(struct parcast_counts_file* file, const char* path,
                        const struct parcast_counts_header* header, const struct parcast_counts_row* rows,
                        uint64_t limit) {
  PARCAST_UNCANCELLED;
  memset(file, 0, sizeof *file);
  const size_t length = strlen(path);
  if (length >= sizeof file->path) return ENAMETOOLONG;
  memcpy(file->path, path, length + 1);
  file->limit = limit;
  const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return errno;
  const int failure = create(file, header, rows, descriptor);
  if (failure && ftruncate(descriptor, 0) != 0) unlink(path);
  close(descriptor);
  return failure;
}

static uint64_t place_of(const struct parcast_counts_file* file, uint64_t set) {
  return file->header->first + set * file->header->set_bytes;
}

/* Maps a set's memory and populates its pages at once: page faults one by one, while the program runs,
 * cost more. */
static char* new_set(const struct parcast_counts_file* file, uint64_t set, enum parcast_stop* reason) {
  const uint64_t place = place_of(file, set), bytes = file->header->set_bytes;
  *reason = PARCAST_STOP_LIMIT;
  if (set >= PARCAST_MOST_SETS || (set > PARCAST_OTHERS_SET && place + bytes > file->limit)) return NULL;
  *reason = PARCAST_STOP_FILE;
  const int descriptor = parcast_open_again(file->path, file->device, file->inode);
  if (descriptor < 0) return NULL;
  char* memory = NULL;
  *reason = PARCAST_STOP_SPACE;
  if (parcast_allocate(descriptor, place, bytes) == 0) {
    memory = map(descriptor, place, bytes);
    *reason = memory ? PARCAST_STOP_NONE : PARCAST_STOP_MEMORY;
  }
  close(descriptor);
#ifdef MADV_POPULATE_WRITE
  if (memory) madvise(memory, bytes, MADV_POPULATE_WRITE);
#endif
  return memory;
}

char* parcast_counts_add(struct parcast_counts_file* file, const struct parcast_set_key* key,
                         enum parcast_stop* reason) {
  PARCAST_UNCANCELLED;
  const uint64_t set = parcast_counts_live_value(file, PARCAST_COUNTS_SETS);
  char* memory = new_set(file, set, reason);
  if (!memory) return NULL;
  const struct parcast_counts_row* rows = rows_of(file);
  for (uint64_t i = 0; i < file->header->modules; ++i)
    parcast_blank_probes((uint64_t*)(void*)(memory + rows[i].offset) + rows[i].counts, rows[i].probes);
  struct parcast_set_key* place = &keys_of(file)[set];
  *place = *key;
  place->check = 0;
  place->check = parcast_check(place, sizeof *place / 8, 1, PARCAST_KEYS_PLACE + set * sizeof *place);
  parcast_counts_set_live(file, PARCAST_COUNTS_SETS, set + 1);
  return memory;
}

int parcast_counts_map_over(const struct parcast_counts_file* file, uint32_t set, uint64_t offset,
                            uint64_t bytes, void* at) {
  PARCAST_UNCANCELLED;
  const int descriptor = parcast_open_again(file->path, file->device, file->inode);
  if (descriptor < 0) return 0;
  const void* memory = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor,
                            (off_t)(place_of(file, set) + offset));
  close(descriptor);
  return memory != MAP_FAILED;
}
