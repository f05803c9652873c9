/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/counting_threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>

#include "record/mpi/entry.h"
#include "record/mpi/handle_map.h"

enum { kAtOnce = 32 };

/* One thread, from its creation to its end. */
struct watched {
  void* (*start)(void*);
  int (*start_c11)(void*);
  void* argument;
  /* list of running threads; `next` also links free ones */
  struct watched *next, *before;
  uint32_t set;
  uint32_t family; /* distinguishes the process from its forked children */
  int rounds;      /* calls of the key's destructor */
  int64_t* words[PARCAST_MOST_BINARIES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct watched *running, *unused;
static pthread_key_t key;
static bool watching;
static uint32_t family;

void parcast_counting_lock(void) {
  pthread_mutex_lock(&lock);
}
void parcast_counting_unlock(void) {
  pthread_mutex_unlock(&lock);
}

static void unlink_watched(struct watched* thread) {
  if (thread->before)
    thread->before->next = thread->next;
  else
    running = thread->next;
  if (thread->next) thread->next->before = thread->before;
}

static void give_back(struct watched* thread) {
  thread->next = unused;
  unused = thread;
}

/* Destructor of the key. It acts in the last of the C library's destructor rounds, since destructors of
 * other keys count, too. */
static void ends(void* data) {
  struct watched* thread = data;
  if (thread->family != family) return;
  if (++thread->rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(key, thread) == 0) return;
  parcast_counting_lock();
  unlink_watched(thread);
  if (parcast_counting_is_on()) {
    parcast_counting_point(thread->words, 0);
    parcast_counting_give_set(thread->set);
  }
  give_back(thread);
  parcast_counting_unlock();
}

/* Other threads do not exist in the child, and one may have held the lock. */
static void in_child(void) {
  ++family;
  running = unused = NULL;
  pthread_mutex_init(&lock, NULL);
  if (parcast_counting_is_on()) watching = false;
  parcast_counting_in_child();
}

bool parcast_counting_threads_begin(void) {
  watching = pthread_key_create(&key, ends) == 0 && pthread_atfork(NULL, NULL, in_child) == 0;
  return watching;
}

void parcast_counting_all_threads(void) {
  for (struct watched* thread = running; thread; thread = thread->next) {
    thread->set = parcast_counting_take_set();
    parcast_counting_point(thread->words, thread->set);
  }
}

#if !defined(PARCAST_LINKED)
static struct watched* take(void) {
  parcast_counting_lock();
  if (!unused) {
    size_t bytes = kAtOnce * sizeof(struct watched);
    struct watched* more = parcast_pages(&bytes);
    for (int i = 0; more && i < kAtOnce; ++i) give_back(&more[i]);
  }
  struct watched* thread = unused;
  if (thread) unused = thread->next;
  parcast_counting_unlock();
  return thread;
}

/* Runs in the new thread before any function of the program. */
static void begins(struct watched* thread) {
  const int before = errno;
  thread->rounds = 0;
  thread->family = family;
  const bool noticed = pthread_setspecific(key, thread) == 0; /* otherwise its end would not be noticed */
  parcast_counting_lock();
  if (noticed) {
    parcast_counting_words(thread->words);
    thread->before = NULL;
    thread->next = running;
    if (running) running->before = thread;
    running = thread;
    thread->set = 0;
    if (parcast_counting_is_on()) {
      thread->set = parcast_counting_take_set();
      parcast_counting_point(thread->words, thread->set);
    }
  } else {
    give_back(thread);
  }
  parcast_counting_unlock();
  errno = before;
}

/* The program's function is a tail call, so that nothing of the recorder stays on the stack. */
static void* begin(void* data) {
  struct watched* thread = data;
  void* (*start)(void*) = thread->start;
  void* argument = thread->argument;
  begins(thread);
  return start(argument);
}

static int begin_c11(void* data) {
  struct watched* thread = data;
  int (*start)(void*) = thread->start_c11;
  void* argument = thread->argument;
  begins(thread);
  return start(argument);
}

static struct watched* watch(void* argument) {
  struct watched* thread = take();
  if (thread) thread->argument = argument;
  return thread;
}

static void forget(struct watched* thread) {
  parcast_counting_lock();
  give_back(thread);
  parcast_counting_unlock();
}

typedef int create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
typedef int create_c11(thrd_t*, thrd_start_t, void*);

PARCAST_EXPORT int pthread_create(pthread_t* made, const pthread_attr_t* attributes, void* (*start)(void*),
                                  void* argument) {
  static create* next;
  create* found = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (!found) {
    found = (create*)(uintptr_t)dlsym(RTLD_NEXT, "pthread_create");
    __atomic_store_n(&next, found, __ATOMIC_RELAXED);
  }
  struct watched* thread = watching ? watch(argument) : NULL;
  if (!thread) return found(made, attributes, start, argument);
  thread->start = start;
  const int failure = found(made, attributes, begin, thread);
  if (failure) forget(thread);
  return failure;
}

PARCAST_EXPORT int thrd_create(thrd_t* made, thrd_start_t start, void* argument) {
  static create_c11* next;
  create_c11* found = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (!found) {
    found = (create_c11*)(uintptr_t)dlsym(RTLD_NEXT, "thrd_create");
    __atomic_store_n(&next, found, __ATOMIC_RELAXED);
  }
  struct watched* thread = watching ? watch(argument) : NULL;
  if (!thread) return found(made, start, argument);
  thread->start_c11 = start;
  const int result = found(made, begin_c11, thread);
  if (result != thrd_success) forget(thread);
  return result;
}
#endif
