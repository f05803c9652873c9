/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "recording/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kMostContainers = 1000 };

void parcast_note_failure(struct parcast_gathered* gathered, int error, const char* folder,
                          const char* name) {
  if (gathered->error) return;
  gathered->error = error ? error : EIO;
  snprintf(gathered->where, sizeof gathered->where, "%s%s%s", folder, *name ? "/" : "", name);
}

static int read_at(int file, void* into, uint64_t bytes, uint64_t at) {
  for (char* to = into; bytes > 0;) {
    const ssize_t got = pread(file, to, bytes, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EIO; /* the file became shorter */
    to += got, at += (uint64_t)got, bytes -= (uint64_t)got;
  }
  return 0;
}

static int write_at(int file, const void* from, uint64_t bytes, uint64_t at) {
  for (const char* next = from; bytes > 0;) {
    const ssize_t put = pwrite(file, next, bytes, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put < 0 ? errno : EIO;
    next += put, at += (uint64_t)put, bytes -= (uint64_t)put;
  }
  return 0;
}

void parcast_name_file(char name[kLongestName], int32_t rank, uint32_t kind) {
  snprintf(name, kLongestName, "rank-%ld%s", (long)rank, kind == PARCAST_PART_COUNTS ? ".counts" : ".rec");
}

/* Returns how much of a file to keep: all but the zeros at its end, as far as a reader can restore them. */
static int used_bytes(struct parcast_packing* packing, int file, uint64_t size, uint64_t* used) {
  const uint64_t least = size > PARCAST_MOST_ZEROS ? size - PARCAST_MOST_ZEROS : 0;
  *used = size;
  while (*used > least) {
    const uint64_t bytes = *used - least < kPieceBytes ? *used - least : kPieceBytes;
    const int failure = read_at(file, packing->piece, bytes, *used - bytes);
    if (failure) return failure;
    const char* piece = (const char*)packing->piece;
    uint64_t end = bytes;
    while (end > 0 && piece[end - 1] == 0) --end;
    *used -= bytes - end;
    if (end > 0) break;
  }
  if (size - *used > parcast_most_zeros(*used)) *used = (size - PARCAST_BLOCK_SIZE) / PARCAST_ZEROS_PER_BYTE;
  *used = parcast_padded(*used) < size ? parcast_padded(*used) : size;
  return 0;
}

/* Copies bytes of `in` to a place in `out` and computes their check. Returns a negative number when they
 * could not be read. */
static int copy(struct parcast_packing* packing, int in, uint64_t length, int out, uint64_t at,
                uint32_t* check) {
  uint64_t sum = parcast_check_begin(0);
  for (uint64_t done = 0; done < length;) {
    const uint64_t bytes = length - done < kPieceBytes ? length - done : kPieceBytes;
    memset((char*)packing->piece + bytes / 8 * 8, 0, bytes % 8 ? 8 : 0);
    const int unread = read_at(in, packing->piece, bytes, done);
    if (unread) return -unread;
    const int unwritten = write_at(out, packing->piece, parcast_padded(bytes), at + done);
    if (unwritten) return unwritten;
    sum = parcast_check_add(sum, packing->piece, parcast_padded(bytes) / 8);
    done += bytes;
  }
  *check = parcast_check_end(sum);
  return 0;
}

/* Writes one rank file as a part at `entry->at`. Returns a negative number when it could not be read. */
static int put_part(struct parcast_packing* packing, const struct parcast_rank_file* file, int out,
                    struct parcast_index_entry* entry) {
  char name[kLongestName];
  parcast_name_file(name, file->rank, file->kind);
  const int in = openat(packing->from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (in < 0) return -errno;
  struct stat status;
  struct parcast_node_part part = {.magic = PARCAST_PART_MAGIC, .rank = file->rank, .kind = file->kind};
  int failure = fstat(in, &status) == 0 ? 0 : -errno;
  if (!failure) failure = -used_bytes(packing, in, (uint64_t)status.st_size, &part.length);
  if (!failure) failure = copy(packing, in, part.length, out, entry->at + sizeof part, &part.content);
  close(in);
  if (failure) return failure;
  part.zeros = (uint64_t)status.st_size - part.length;
  part.check = parcast_check(&part, sizeof part / 8, 1, entry->at);
  *entry = (struct parcast_index_entry){part.rank,   part.content,         entry->at,
                                        part.length, (uint32_t)part.zeros, part.kind};
  return write_at(out, &part, sizeof part, entry->at);
}

static int put_index(struct parcast_packing* packing, const char* host, int out, uint32_t parts,
                     uint64_t at) {
  struct parcast_index_trailer trailer = {.magic = PARCAST_INDEX_MAGIC, .parts = parts, .at = at};
  memcpy(&packing->index[parts], &trailer, sizeof trailer);
  trailer.check = parcast_check(packing->index, 4 * (uint64_t)parts + 3, 4 * (uint64_t)parts + 1, at);
  memcpy(&packing->index[parts], &trailer, sizeof trailer);
  const uint64_t bytes = parts * sizeof packing->index[0] + sizeof trailer;
  uint32_t version = 1;
  for (uint32_t i = 0; i < parts; ++i)
    if (packing->index[i].kind != PARCAST_PART_RANK) version = PARCAST_NODE_VERSION;
  struct parcast_node_header header = {
      .magic = PARCAST_NODE_MAGIC, .version = version, .parts = parts, .bytes = at + bytes};
  memcpy(header.host, host, sizeof header.host);
  header.check = parcast_check(&header, sizeof header / 8, 1, 0);
  const int failure = write_at(out, packing->index, bytes, at);
  return failure ? failure : write_at(out, &header, sizeof header, 0);
}

/* Writes the files first .. last that no container holds yet. A file that cannot be read is skipped; any
 * other error ends the packing. */
static int put_all(struct parcast_packing* packing, uint32_t first, uint32_t last, int out, uint32_t* parts) {
  uint64_t at = sizeof(struct parcast_node_header);
  *parts = 0;
  for (uint32_t i = first; i < last; ++i) {
    struct parcast_rank_file* file = &packing->files[i];
    if (file->packed) continue;
    struct parcast_index_entry* entry = &packing->index[*parts];
    entry->at = at;
    const int failure = put_part(packing, file, out, entry);
    if (failure > 0) return failure;
    if (failure < 0) {
      char name[kLongestName];
      parcast_name_file(name, file->rank, file->kind);
      parcast_note_failure(packing->gathered, -failure, packing->from_path, name);
      file->packed = 2;
      ++packing->gathered->left;
      continue;
    }
    at = entry->at + sizeof(struct parcast_node_part) + parcast_padded(entry->length);
    ++*parts;
  }
  if (*parts == 0) return 0;
  packing->gathered->bytes += at + *parts * sizeof packing->index[0] + sizeof(struct parcast_index_trailer);
  return put_index(packing, packing->files[first].host, out, *parts, at);
}

/* Builds the container's name from a host's name, with characters that are safe everywhere. */
static void name_container(char name[kLongestName], const char host[64], int number) {
  char safe[64];
  int length = 0;
  for (; length < 63 && host[length]; ++length) {
    const char c = host[length];
    const int plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '-' || c == '.' || c == '_';
    safe[length] = (char)(plain ? c : '_');
  }
  safe[length] = 0;
  char again[16] = "";
  if (number > 1) snprintf(again, sizeof again, "-%d", number);
  snprintf(name, kLongestName, PARCAST_NODE_PREFIX "%s%s" PARCAST_NODE_SUFFIX, safe, again);
}

/* Gives the finished file its name without ever replacing a file. Hosts of equal names, and later
 * gatherings, use the next number. Without hard links the file is renamed after checking that the name is
 * free. */
static int take_name(struct parcast_packing* packing, const char* temporary, const char host[64]) {
  for (int number = 1; number <= kMostContainers; ++number) {
    char name[kLongestName];
    name_container(name, host, number);
    if (linkat(packing->into, temporary, packing->into, name, 0) == 0)
      return unlinkat(packing->into, temporary, 0) == 0 ? 0 : errno;
    if (errno == EEXIST) continue;
    struct stat status;
    if (fstatat(packing->into, name, &status, AT_SYMLINK_NOFOLLOW) == 0) continue;
    return renameat(packing->into, temporary, packing->into, name) == 0 ? 0 : errno;
  }
  return EEXIST;
}

/* Some file systems do not support flushing. */
static int flush(int file) {
  return fsync(file) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

/* Builds a name that is the same for the same folder on the same node, so that the next gathering finds
 * what an interrupted one left. */
static void name_temporary(const struct parcast_packing* packing, char temporary[kLongestName],
                           const char host[64]) {
  char name[kLongestName];
  name_container(name, host, 1);
  snprintf(temporary, kLongestName, ".%.120s.%016llx", name, (unsigned long long)packing->seed);
}

static int write_container(struct parcast_packing* packing, uint32_t first, uint32_t last, uint32_t* parts) {
  const char* host = packing->files[first].host;
  char temporary[kLongestName];
  name_temporary(packing, temporary, host);
  const int out = openat(packing->into, temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (out < 0) return errno;
  int failure = put_all(packing, first, last, out, parts);
  if (!failure) failure = flush(out);
  if (close(out) != 0 && !failure) failure = errno;
  if (!failure && *parts > 0) failure = take_name(packing, temporary, host);
  if (failure || *parts == 0) unlinkat(packing->into, temporary, 0);
  return failure ? failure : flush(packing->into);
}

/* Returns whether `bytes` bytes of both files are equal. */
static int equal(struct parcast_packing* packing, int one, uint64_t at, int two, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t now = bytes - done < kPieceBytes ? bytes - done : kPieceBytes;
    if (read_at(one, packing->piece, now, at + done) || read_at(two, packing->other, now, done)) return 0;
    if (memcmp(packing->piece, packing->other, now) != 0) return 0;
    done += now;
  }
  return 1;
}

/* Reads the entries of a container into packing->index and returns their number. */
static uint32_t read_index(struct parcast_packing* packing, int file) {
  struct stat status;
  struct parcast_index_trailer trailer;
  if (fstat(file, &status) != 0 || status.st_size < (off_t)sizeof trailer) return 0;
  const uint64_t size = (uint64_t)status.st_size;
  if (read_at(file, &trailer, sizeof trailer, size - sizeof trailer) != 0) return 0;
  if (trailer.magic != PARCAST_INDEX_MAGIC || trailer.parts > kMostPacked) return 0;
  const uint64_t bytes = trailer.parts * sizeof packing->index[0] + sizeof trailer;
  if (bytes > size || trailer.at != size - bytes || read_at(file, packing->index, bytes, trailer.at) != 0)
    return 0;
  const uint64_t words = 4 * (uint64_t)trailer.parts;
  return parcast_check(packing->index, words + 3, words + 1, trailer.at) == trailer.check ? trailer.parts : 0;
}

/* Sort key of index and list. */
static uint64_t order_of(int32_t rank, uint32_t kind) {
  return (uint64_t)rank << 32 | kind;
}

/* Marks files that a container holds already, because an earlier gathering ended before it removed the
 * rank files. */
static void find_in(struct parcast_packing* packing, uint32_t first, uint32_t last, int container) {
  const uint32_t parts = read_index(packing, container);
  for (uint32_t i = first, entry = 0; i < last; ++i) {
    struct parcast_rank_file* file = &packing->files[i];
    while (entry < parts && order_of(packing->index[entry].rank, packing->index[entry].kind) <
                                order_of(file->rank, file->kind))
      ++entry;
    if (entry == parts) return;
    const struct parcast_index_entry* found = &packing->index[entry];
    if (found->rank != file->rank || found->kind != file->kind || file->packed) continue;
    char name[kLongestName];
    parcast_name_file(name, file->rank, file->kind);
    const int in = openat(packing->from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (in < 0) continue;
    struct stat status;
    uint64_t used = 0;
    const int same =
        fstat(in, &status) == 0 && (uint64_t)status.st_size == found->length + found->zeros &&
        used_bytes(packing, in, (uint64_t)status.st_size, &used) == 0 && used == found->length &&
        equal(packing, container, found->at + sizeof(struct parcast_node_part), in, found->length);
    close(in);
    if (!same) continue;
    file->packed = 1;
    ++*(file->kind == PARCAST_PART_RANK ? &packing->gathered->known : &packing->gathered->beside);
  }
}

static void find_packed(struct parcast_packing* packing, uint32_t first, uint32_t last) {
  for (int number = 1; number <= kMostContainers; ++number) {
    char name[kLongestName];
    name_container(name, packing->files[first].host, number);
    const int container = openat(packing->into, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (container < 0) return;
    find_in(packing, first, last, container);
    close(container);
  }
}

static void remove_packed(struct parcast_packing* packing, uint32_t first, uint32_t last) {
  for (uint32_t i = first; i < last; ++i) {
    if (packing->files[i].packed != 1) continue;
    char name[kLongestName];
    parcast_name_file(name, packing->files[i].rank, packing->files[i].kind);
    if (unlinkat(packing->from, name, 0) != 0 && errno != ENOENT)
      parcast_note_failure(packing->gathered, errno, packing->from_path, name);
  }
}

/* Packs the files of one host. */
static void pack_host(struct parcast_packing* packing, uint32_t first, uint32_t last) {
  struct parcast_gathered* gathered = packing->gathered;
  /* may be a second name of a finished container, so it is removed and never opened */
  char stale[kLongestName];
  name_temporary(packing, stale, packing->files[first].host);
  unlinkat(packing->into, stale, 0);
  find_packed(packing, first, last);
  uint32_t wanted = 0, parts = 0;
  for (uint32_t i = first; i < last; ++i) wanted += !packing->files[i].packed;
  const uint64_t bytes = gathered->bytes;
  const int failure = wanted > 0 ? write_container(packing, first, last, &parts) : 0;
  if (failure) {
    char name[kLongestName];
    name_container(name, packing->files[first].host, 1);
    parcast_note_failure(gathered, failure, packing->into_path, name);
    gathered->bytes = bytes;
    for (uint32_t i = first; i < last; ++i) gathered->left += !packing->files[i].packed;
  } else if (parts > 0) {
    ++gathered->containers;
    for (uint32_t i = first; i < last; ++i) {
      struct parcast_rank_file* file = &packing->files[i];
      if (file->packed) continue;
      file->packed = 1;
      ++*(file->kind == PARCAST_PART_RANK ? &gathered->ranks : &gathered->beside);
    }
  }
  remove_packed(packing, first, last);
}

void parcast_pack(struct parcast_packing* packing) {
  for (uint32_t first = 0, last; first < packing->count; first = last) {
    for (last = first + 1; last < packing->count; ++last)
      if (memcmp(packing->files[first].host, packing->files[last].host, sizeof packing->files[0].host) != 0)
        break;
    pack_host(packing, first, last);
  }
}
