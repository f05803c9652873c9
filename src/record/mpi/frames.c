/* SPDX-License-Identifier: Apache-2.0 */
#include "record/mpi/frames.h"

#include <string.h>

#include "record/mpi/recorder.h"

/* An open table that only grows, read without a lock: a slot's address is written last. When it is full,
 * other places are computed each time, within the limits of stack.c. */
enum { kSlots = 1 << 13, kMostPlaces = kSlots * 3 / 4 };
static struct parcast_place slots[kSlots];
static uint32_t place_count;
static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;

static bool is_c_library(const char* path) {
  static const char* const names[] = {"libc.so", "libc-", "libpthread.so", "libpthread-", "ld-linux", "ld-2"};
  const char* slash = path ? strrchr(path, '/') : NULL;
  for (size_t i = 0; slash && i < sizeof names / sizeof *names; ++i)
    if (strncmp(slash + 1, names[i], strlen(names[i])) == 0) return true;
  return false;
}

static struct parcast_place look_up(struct parcast_thread* thread, uintptr_t return_address) {
  struct parcast_place place = {.address = return_address};
  struct parcast_in_module in;
  if (!parcast_find_module(thread, return_address - 1, &in)) return place;
  place.rule = parcast_unwind_rule(&in.table, return_address - 1);
  place.function = (struct parcast_function){place.rule.function, place.rule.function - in.base, in.module,
                                             is_c_library(in.name)};
  return place;
}

static struct parcast_place new_place(struct parcast_thread* thread, uintptr_t return_address,
                                      uint32_t slot) {
  const struct parcast_place place = look_up(thread, return_address);
  pthread_mutex_lock(&growing);
  while (slots[slot].address && slots[slot].address != return_address) slot = (slot + 1) % kSlots;
  if (!slots[slot].address && place_count < kMostPlaces) {
    ++place_count;
    slots[slot].rule = place.rule;
    slots[slot].function = place.function;
    __atomic_store_n(&slots[slot].address, return_address, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&growing);
  return place;
}

struct parcast_place parcast_place_of(struct parcast_thread* thread, uintptr_t return_address) {
  uint32_t slot = (uint32_t)((return_address * 0x9e3779b97f4a7c15ull) >> 51);
  for (;;) {
    const uintptr_t there = __atomic_load_n(&slots[slot].address, __ATOMIC_ACQUIRE);
    if (there == return_address && there) return slots[slot];
    if (!there) return new_place(thread, return_address, slot);
    slot = (slot + 1) % kSlots;
  }
}
