/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/token.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recording/system_calls.h"

#define MAGIC 0x314e4b4f54435250ull /* "PRCTOKN1" */
/* Nanoseconds: how often a waiter checks that the holder is alive, and how long a thread that lost its
 * token by force counts as running. */
static const uint64_t kLook = 10000000, kLongestLoose = 1000000000;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void prepare(struct parcast_tokens* tokens) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  for (int i = 0; i < PARCAST_SEATS; ++i) pthread_mutex_init(&tokens->seats[i].life, &attributes);
  pthread_mutexattr_destroy(&attributes);
  tokens->started = now();
  tokens->magic = MAGIC;
}

static struct parcast_tokens* map(int file) {
  void* memory = mmap(NULL, sizeof(struct parcast_tokens), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static bool is_ours(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
         status.st_size == (off_t)sizeof(struct parcast_tokens);
}

static struct parcast_tokens* open_existing(const char* path) {
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return NULL;
  struct parcast_tokens* tokens = is_ours(file) ? map(file) : NULL;
  close(file);
  if (tokens && tokens->magic != MAGIC) {
    munmap(tokens, sizeof *tokens);
    return NULL;
  }
  return tokens;
}

/* Above the limit of a file's size the kernel would send a signal. */
static bool may_be_that_large(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= sizeof(struct parcast_tokens);
}

/* Creates the file under a process-specific name first, so that it gets its own name only when complete.
 * Room is allocated, since writing to a sparse mapping on a full disk would kill the program. */
static void make(const char* path) {
  char name[PATH_MAX];
  if (snprintf(name, sizeof name, "%s-%ld", path, (long)getpid()) >= (int)sizeof name || !may_be_that_large())
    return;
  const int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  const bool has_room = parcast_make_room(file, 0, sizeof(struct parcast_tokens)) == 0;
  struct parcast_tokens* tokens = has_room ? map(file) : NULL;
  if (tokens) {
    prepare(tokens);
    munmap(tokens, sizeof *tokens);
    if (link(name, path) != 0) { /* another process was first: its file is used */
    }
  }
  unlink(name);
  close(file);
}

struct parcast_tokens* parcast_tokens_open(const char* path) {
  struct parcast_tokens* tokens = open_existing(path);
  if (!tokens) {
    make(path);
    tokens = open_existing(path);
  }
  if (tokens) __atomic_add_fetch(&tokens->present, 1, __ATOMIC_ACQ_REL);
  return tokens;
}

void parcast_tokens_close(struct parcast_tokens* tokens) {
  munmap(tokens, sizeof *tokens);
}

/* Takes a seat that is free, or whose thread died; returns whether it succeeded. */
static bool sit(struct parcast_seat* seat) {
  const int result = pthread_mutex_trylock(&seat->life);
  if (result == EOWNERDEAD) pthread_mutex_consistent(&seat->life);
  return result == 0 || result == EOWNERDEAD;
}

uint32_t parcast_seat_take(struct parcast_tokens* tokens) {
  for (uint32_t i = 0; i < PARCAST_SEATS; ++i)
    if (sit(&tokens->seats[i])) return i;
  return PARCAST_SEATS;
}

void parcast_seat_leave(struct parcast_tokens* tokens, uint32_t seat) {
  pthread_mutex_unlock(&tokens->seats[seat].life);
}

static bool is_gone(struct parcast_seat* seat) {
  if (!sit(seat)) return false;
  pthread_mutex_unlock(&seat->life);
  return true;
}

static uint32_t owner_of(uint32_t word) {
  return word & 0xffff;
}
static bool is_free_for(uint32_t word, uint32_t seat) {
  return owner_of(word) == 0 || owner_of(word) == seat + 1;
}
static uint32_t handed_to(uint32_t word, uint32_t owner) {
  return ((word >> 16) + 1) << 16 | owner;
}

static bool swap(uint32_t* word, uint32_t from, uint32_t to) {
  return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void wait_for_change(uint32_t* word, uint32_t seen, uint64_t nanoseconds) {
  const struct timespec time = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
  syscall(SYS_futex, word, FUTEX_WAIT, seen, &time, NULL, 0);
}

static void wake(uint32_t* word, int number) {
  syscall(SYS_futex, word, FUTEX_WAKE, number, NULL, NULL, 0);
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

struct wait {
  struct parcast_tokens* tokens;
  struct parcast_token* token;
  uint32_t seat;
  uint64_t began, longest;
  uint32_t seen;       /* the current word */
  uint64_t seen_since; /* the word is unchanged since that time */
};

/* Examines the token once; returns true when the wait has ended. */
static bool look(struct wait* wait, enum parcast_taking* result) {
  struct parcast_token* token = wait->token;
  const uint32_t word = __atomic_load_n(&token->word, __ATOMIC_ACQUIRE), owner = owner_of(word);
  if (__atomic_load_n(&token->paused, __ATOMIC_RELAXED)) return *result = PARCAST_NOT_TAKEN, true;
  if (is_free_for(word, wait->seat))
    return *result = PARCAST_TAKEN, swap(&token->word, word, handed_to(word, wait->seat + 1));
  const uint64_t time = now();
  if (word != wait->seen) wait->seen = word, wait->seen_since = time;
  const uint64_t held = time - wait->seen_since, waited = time - wait->began;
  if (waited >= wait->longest) return *result = PARCAST_NOT_TAKEN, true;
  struct parcast_seat* holder = &wait->tokens->seats[(owner - 1) % PARCAST_SEATS];
  const uint64_t limit = __atomic_load_n(&holder->limit, __ATOMIC_RELAXED);
  const bool gone = held >= kLook && is_gone(holder);
  if (gone || held >= limit) {
    if (!swap(&token->word, word, handed_to(word, wait->seat + 1))) return false;
    if (!gone) parcast_token_loose(token, owner - 1);
    return *result = gone ? PARCAST_TAKEN : PARCAST_TAKEN_BY_FORCE, true;
  }
  wait_for_change(&token->word, word, least(least(limit - held, kLook), wait->longest - waited));
  return false;
}

enum parcast_taking parcast_token_take(struct parcast_tokens* tokens, struct parcast_token* token,
                                       uint32_t seat, uint64_t limit, uint64_t longest_wait, uint64_t* idle) {
  *idle = 0;
  __atomic_store_n(&tokens->seats[seat].limit, limit, __ATOMIC_RELAXED);
  const uint32_t word = __atomic_load_n(&token->word, __ATOMIC_ACQUIRE);
  if (is_free_for(word, seat) && swap(&token->word, word, handed_to(word, seat + 1))) return PARCAST_TAKEN;
  struct wait wait = {tokens, token, seat, now(), longest_wait, word, 0};
  wait.seen_since = wait.began;
  enum parcast_taking result = PARCAST_NOT_TAKEN;
  __atomic_add_fetch(&token->waiting, 1, __ATOMIC_ACQ_REL);
  while (!look(&wait, &result)) {
  }
  __atomic_sub_fetch(&token->waiting, 1, __ATOMIC_ACQ_REL);
  const uint64_t released = __atomic_load_n(&token->released, __ATOMIC_RELAXED), time = now();
  if (result == PARCAST_TAKEN && released > wait.began && released < time) *idle = time - released;
  return result;
}

bool parcast_token_give(struct parcast_token* token, uint32_t seat) {
  const uint32_t word = __atomic_load_n(&token->word, __ATOMIC_ACQUIRE);
  if (owner_of(word) != seat + 1 || !swap(&token->word, word, word & ~0xffffu)) return false;
  __atomic_store_n(&token->released, now(), __ATOMIC_RELAXED);
  if (__atomic_load_n(&token->waiting, __ATOMIC_ACQUIRE)) wake(&token->word, 1);
  return true;
}

void parcast_token_loose(struct parcast_token* token, uint32_t seat) {
  __atomic_store_n(&token->loose_since, now(), __ATOMIC_RELAXED);
  __atomic_store_n(&token->loose, seat + 1, __ATOMIC_RELEASE);
}

void parcast_token_settled(struct parcast_token* token, uint32_t seat) {
  __atomic_store_n(&token->disturbed_until, now(), __ATOMIC_RELAXED);
  swap(&token->loose, seat + 1, 0);
}

bool parcast_token_disturbed(const struct parcast_token* token, uint64_t began, uint64_t time) {
  if (__atomic_load_n(&token->disturbed_until, __ATOMIC_RELAXED) > began) return true;
  return __atomic_load_n(&token->loose, __ATOMIC_ACQUIRE) &&
         time - __atomic_load_n(&token->loose_since, __ATOMIC_RELAXED) < kLongestLoose;
}

void parcast_token_pause(struct parcast_token* token) {
  __atomic_store_n(&token->paused, 1, __ATOMIC_RELEASE);
  wake(&token->word, INT_MAX);
}

void parcast_token_resume(struct parcast_token* token, uint64_t disturbed_until) {
  __atomic_store_n(&token->disturbed_until, disturbed_until, __ATOMIC_RELAXED);
  __atomic_store_n(&token->paused, 0, __ATOMIC_RELEASE);
}
