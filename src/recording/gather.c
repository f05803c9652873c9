/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "recording/gather.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recording/counts_format.h"
#include "recording/pack.h"

static uint64_t mixed(uint64_t hash, const void* bytes, size_t length) { /* FNV-1a */
  for (const unsigned char* at = bytes; length-- > 0;) hash = (hash ^ *at++) * 0x100000001b3ull;
  return hash;
}
static const uint64_t kHashBegin = 0xcbf29ce484222325ull;

int parcast_local_folder(char* path, uint64_t size, const char* directory, const char* out) {
  size_t length = strlen(out), place = strlen(directory);
  while (length > 1 && out[length - 1] == '/') --length;
  while (place > 1 && directory[place - 1] == '/') --place;
  if (length == 0 || place == 0) return 0;
  size_t begin = length;
  while (begin > 0 && out[begin - 1] != '/') --begin;
  const size_t shown = length - begin < 100 ? length - begin : 100;
  const unsigned long long hash = mixed(kHashBegin, out, length);
  const int used = snprintf(path, size, "%.*s/" PARCAST_LOCAL_PREFIX "%.*s-%016llx", (int)place, directory,
                            (int)shown, out + begin, hash);
  return used > 0 && (uint64_t)used < size;
}

int parcast_local_of(char* path, uint64_t size, const char* directory, const char* out) {
  char link[4200], told[4200];
  const int fits = snprintf(link, sizeof link, "%s/" PARCAST_LOCAL_LINK, out);
  const ssize_t length = fits > 0 && (size_t)fits < sizeof link ? readlink(link, told, sizeof told - 1) : -1;
  if (length <= 0) return directory && parcast_local_folder(path, size, directory, out);
  told[length] = 0;
  const char* name = strrchr(told, '/');
  const int used =
      directory && name ? snprintf(path, size, "%s%s", directory, name) : snprintf(path, size, "%s", told);
  return used > 0 && (uint64_t)used < size;
}

/* Used instead of opendir, which allocates on the heap. */
void parcast_each_name(int folder, int (*see)(const char* name, void* data), void* data) {
  struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t kind;
    char name[];
  };
  uint64_t room[1024];
  if (lseek(folder, 0, SEEK_SET) < 0) return;
  for (;;) {
    const long got = syscall(SYS_getdents64, folder, room, sizeof room);
    if (got <= 0) return;
    for (long at = 0; at < got;) {
      const struct entry* entry = (const struct entry*)(const void*)((const char*)room + at);
      if (!see(entry->name, data)) return;
      at += entry->length;
    }
  }
}

/* Returns N of rank-N.rec or rank-N.counts in the recorder's spelling; negative for other names. */
static int32_t rank_named(const char* name, uint32_t* kind) {
  int64_t rank = 0;
  if (strncmp(name, "rank-", 5) != 0) return -1;
  const char* at = name + 5;
  if (*at == '0' && at[1] != '.') return -1;
  for (; *at >= '0' && *at <= '9'; ++at) {
    rank = 10 * rank + (*at - '0');
    if (rank > INT32_MAX) return -1;
  }
  *kind = strcmp(at, ".counts") == 0 ? PARCAST_PART_COUNTS : PARCAST_PART_RANK;
  return at > name + 5 && (*kind == PARCAST_PART_COUNTS || strcmp(at, ".rec") == 0) ? (int32_t)rank : -1;
}

static ssize_t read_begin(int file, void* into, size_t bytes) {
  ssize_t got;
  do {
    got = pread(file, into, bytes, 0);
  } while (got < 0 && errno == EINTR);
  return got;
}

/* Returns whether the process that writes the file runs on this host and has not finished. The command is
 * compared, because a different process may have its number by now. */
static int still_written(const struct parcast_header* header, const char* host) {
  const uint64_t finalised = header->live[PARCAST_LIVE_FINALISED].value;
  if (finalised && header->live[PARCAST_LIVE_LAST_TICKS].value > finalised) return 0;
  if (strncmp(header->host, host, sizeof header->host - 1) != 0) return 0;
  char path[64], command[sizeof header->command] = "";
  snprintf(path, sizeof path, "/proc/%llu/cmdline", (unsigned long long)header->process_id);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t got = read_begin(file, command, sizeof command - 1);
  close(file);
  return got > 0 && memcmp(command, header->command, sizeof command) == 0;
}

/* Opens a file of the folder. Returns a negative number when it is not a regular file, or when it cannot
 * be opened; the reason is then in *failure. */
static int open_regular(const struct parcast_packing* packing, const char* name, int* failure) {
  const int descriptor = openat(packing->from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  *failure = descriptor < 0 ? errno : 0;
  struct stat status;
  if (descriptor < 0 || (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))) return descriptor;
  close(descriptor);
  return -1;
}

static int read_header(int descriptor, struct parcast_header* header) {
  return read_begin(descriptor, header, sizeof *header) == (ssize_t)sizeof *header &&
         header->magic == PARCAST_FILE_MAGIC && header->host[0];
}

/* Reads the header of the rank file that belongs to a file of counts. The rank file may be packed already. */
static int header_beside(const struct parcast_packing* packing, int32_t rank, struct parcast_header* header) {
  char name[kLongestName];
  int failure;
  parcast_name_file(name, rank, PARCAST_PART_RANK);
  const int descriptor = open_regular(packing, name, &failure);
  if (descriptor < 0) return 0;
  const int told = read_header(descriptor, header);
  close(descriptor);
  return told;
}

static int see_rank(const char* name, void* data) {
  struct parcast_packing* packing = data;
  uint32_t kind;
  const int32_t rank = rank_named(name, &kind);
  if (rank < 0) return 1;
  struct parcast_rank_file* file = &packing->files[packing->count];
  *file = (struct parcast_rank_file){.rank = rank, .kind = kind};
  int failure;
  const int descriptor = open_regular(packing, name, &failure);
  if (failure) {
    parcast_note_failure(packing->gathered, failure, packing->from_path, name);
    ++packing->gathered->left;
  }
  if (descriptor < 0) return 1;
  struct parcast_header header;
  struct parcast_counts_header counts;
  const int of_counts = kind == PARCAST_PART_COUNTS &&
                        read_begin(descriptor, &counts, sizeof counts) == (ssize_t)sizeof counts &&
                        counts.magic == PARCAST_COUNTS_MAGIC && counts.host[0];
  const int told =
      kind == PARCAST_PART_COUNTS ? header_beside(packing, rank, &header) : read_header(descriptor, &header);
  close(descriptor);
  snprintf(file->host, sizeof file->host, "%.63s",
           told        ? header.host
           : of_counts ? counts.host
                       : packing->host);
  if (told && still_written(&header, packing->host)) {
    packing->gathered->running += kind == PARCAST_PART_RANK;
    return 1;
  }
  return ++packing->count < kMostPacked;
}

static int comes_before(const struct parcast_rank_file* a, const struct parcast_rank_file* b) {
  const int order = strcmp(a->host, b->host);
  if (order != 0) return order < 0;
  return a->rank < b->rank || (a->rank == b->rank && a->kind < b->kind);
}

void parcast_list_ranks(struct parcast_packing* packing) {
  packing->count = 0;
  parcast_each_name(packing->from, see_rank, packing);
  /* Shell sort, because qsort may allocate on the heap */
  for (uint32_t gap = packing->count / 2; gap > 0; gap /= 2)
    for (uint32_t i = gap; i < packing->count; ++i) {
      const struct parcast_rank_file moved = packing->files[i];
      uint32_t at = i;
      for (; at >= gap && comes_before(&moved, &packing->files[at - gap]); at -= gap)
        packing->files[at] = packing->files[at - gap];
      packing->files[at] = moved;
    }
}

/* Packs all files of packing->from. */
static void pack_folder(struct parcast_packing* packing) {
  struct parcast_gathered* gathered = packing->gathered;
  const uint32_t running = gathered->running;
  for (;;) {
    const uint32_t before = gathered->ranks + gathered->known + gathered->beside;
    gathered->running = running;
    parcast_list_ranks(packing);
    parcast_pack(packing);
    if (packing->count < kMostPacked || gathered->error ||
        gathered->ranks + gathered->known + gathered->beside == before)
      return;
  }
}

/* Opens the folder for the ranks of a world in `into`: the first world uses the folder itself, as in
 * start.c. Returns a negative number on failure. */
static int open_target(int into, const char* world) {
  char taken[128] = "";
  if (!*world || symlinkat(world, into, PARCAST_WORLD_LINK) == 0) return fcntl(into, F_DUPFD_CLOEXEC, 0);
  if (readlinkat(into, PARCAST_WORLD_LINK, taken, sizeof taken - 1) <= 0 || strcmp(taken, world) == 0)
    return fcntl(into, F_DUPFD_CLOEXEC, 0);
  char name[160];
  snprintf(name, sizeof name, PARCAST_WORLD_PREFIX "%.127s", world);
  if (mkdirat(into, name, 0777) != 0 && errno != EEXIST) return -1;
  return openat(into, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

struct next_world {
  char after[128], name[128];
};

static int see_world(const char* name, void* data) {
  struct next_world* next = data;
  const int later = strncmp(name, PARCAST_WORLD_PREFIX, sizeof PARCAST_WORLD_PREFIX - 1) == 0 &&
                    strcmp(name, next->after) > 0;
  if (later && strlen(name) < sizeof next->name && (!next->name[0] || strcmp(name, next->name) < 0))
    strcpy(next->name, name);
  return 1;
}

/* Packs the subfolders of worlds in order of their names, each in place or into its folder in `into`. */
static void pack_worlds(struct parcast_packing* packing, int from, int into, int in_place) {
  struct next_world next = {"", ""};
  for (;; memcpy(next.after, next.name, sizeof next.name)) {
    next.name[0] = 0;
    parcast_each_name(from, see_world, &next);
    if (!next.name[0]) return;
    packing->from = openat(from, next.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (packing->from < 0) continue;
    packing->into = in_place ? packing->from : open_target(into, next.name + sizeof PARCAST_WORLD_PREFIX - 1);
    if (packing->into >= 0)
      pack_folder(packing);
    else
      parcast_note_failure(packing->gathered, errno, packing->into_path, next.name);
    if (!in_place && packing->into >= 0) close(packing->into);
    close(packing->from);
    if (!in_place) unlinkat(from, next.name, AT_REMOVEDIR); /* succeeds only when it is empty */
  }
}

static void gather(struct parcast_packing* packing, int from, int into, int in_place) {
  char world[128] = "";
  const ssize_t length = in_place ? 0 : readlinkat(from, PARCAST_WORLD_LINK, world, sizeof world - 1);
  if (length < 0) world[0] = 0;
  packing->from = from;
  packing->into = in_place ? from : open_target(into, world);
  if (packing->into >= 0)
    pack_folder(packing);
  else
    parcast_note_failure(packing->gathered, errno, packing->into_path, "");
  if (!in_place && packing->into >= 0) close(packing->into);
  pack_worlds(packing, from, into, in_place);
}

/* Returns a number for this node and folder. Host names may be equal, so the boot and the folder's
 * identity are included. */
static uint64_t seed_of(const char* path, const struct stat* folder) {
  char boot[64] = "";
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    if (read(file, boot, sizeof boot) < 0) boot[0] = 0;
    close(file);
  }
  uint64_t seed = mixed(mixed(kHashBegin, path, strlen(path)), boot, sizeof boot);
  seed = mixed(seed, &folder->st_dev, sizeof folder->st_dev);
  return mixed(seed, &folder->st_ino, sizeof folder->st_ino);
}

static int run(const char* from_path, const char* into_path, int from, int into,
               struct parcast_gathered* gathered) {
  struct stat here, there;
  if (fstat(from, &here) != 0 || fstat(into, &there) != 0) return errno;
  const int in_place = here.st_dev == there.st_dev && here.st_ino == there.st_ino;
  struct parcast_packing* packing =
      mmap(NULL, sizeof *packing, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (packing == MAP_FAILED) return ENOMEM;
  char host[64] = "";
  if (gethostname(host, sizeof host - 1) != 0 || !host[0]) strcpy(host, "unknown");
  packing->from_path = from_path;
  packing->into_path = into_path;
  packing->host = host;
  packing->seed = seed_of(from_path, &here);
  packing->gathered = gathered;
  gather(packing, from, into, in_place);
  munmap(packing, sizeof *packing);
  if (in_place || gathered->left || gathered->running) return 0;
  unlinkat(from, PARCAST_WORLD_LINK, 0);
  rmdir(from_path); /* fails when other files remain in the folder */
  return 0;
}

static int lock(int folder, int wait) {
  int failed;
  do {
    failed = flock(folder, LOCK_EX | (wait ? 0 : LOCK_NB));
  } while (failed && errno == EINTR);
  return failed && errno == EWOULDBLOCK ? 0 : 1; /* a file system without locks is no reason to stop */
}

static int open_both(const char* from, const char* into, int wait, struct parcast_gathered* gathered) {
  const int source = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (source < 0) {
    if (errno != ENOENT) parcast_note_failure(gathered, errno, from, "");
    return gathered->error;
  }
  const int target = open(into, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (target < 0) {
    parcast_note_failure(gathered, errno, into, "");
  } else if (!lock(source, wait)) {
    gathered->busy = 1;
  } else {
    const int failure = run(from, into, source, target, gathered);
    if (failure) parcast_note_failure(gathered, failure, from, "");
  }
  if (target >= 0) close(target);
  close(source);
  return gathered->error;
}

/* Above the file size limit the kernel sends SIGXFSZ to this thread. The signal is blocked here and
 * removed afterwards. */
int parcast_gather(const char* from, const char* into, int wait, struct parcast_gathered* gathered) {
  memset(gathered, 0, sizeof *gathered);
  sigset_t blocked, before, pending;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGXFSZ);
  sigemptyset(&pending);
  sigpending(&pending);
  const int was_pending = sigismember(&pending, SIGXFSZ);
  if (pthread_sigmask(SIG_BLOCK, &blocked, &before) != 0) return gathered->error = EINVAL;
  const int failure = open_both(from, into, wait, gathered);
  const struct timespec at_once = {0, 0};
  while (!was_pending && sigtimedwait(&blocked, NULL, &at_once) < 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failure;
}
