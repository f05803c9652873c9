/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_CLOCK_H
#define PARCAST_RECORD_CLOCK_H
/* The two clocks of a rank, cheap enough for every event. One gives ticks, of the time stamp counter if it
 * is invariant, otherwise of the monotonic clock. The other shows whether this thread lost the processor
 * since the last check.
 *
 * Reading the thread's processor clock is a system call of about half a microsecond, so it is read only
 * after a loss. The kernel clears a thread's registered restartable sequence when the thread is switched,
 * moved to another processor or interrupted by a signal (rseq(2)). So an empty sequence that is never
 * entered serves as a flag that the kernel clears. */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "recording/format.h"

struct parcast_clock_state {
  bool counter; /* ticks are those of the time stamp counter, otherwise nanoseconds */
  /* losses are detected by restartable sequences, otherwise assumed after long intervals */
  bool sequences;
  /* offset, from the thread pointer, of the pointer that the kernel clears */
  long sequence_slot;
  /* ticks: without sequences the processor clock is read after longer intervals */
  uint64_t long_interval;
  double nanoseconds_per_tick;
};
extern struct parcast_clock_state parcast_clock;
extern const void* const parcast_sequence; /* the empty critical section */

/* Chooses the clocks. Call it once, before the other functions. */
void parcast_clock_choose(void);
/* Returns ticks and monotonic nanoseconds of one moment. */
void parcast_clock_both(uint64_t* ticks, uint64_t* nanoseconds);
enum parcast_clock parcast_clock_kind(void);

static inline uint64_t parcast_nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t parcast_ticks(void) {
#if defined(__x86_64__)
  if (__builtin_expect(parcast_clock.counter, 1)) return __rdtsc();
#endif
  return parcast_nanoseconds(CLOCK_MONOTONIC);
}

static inline uint64_t* parcast_sequence_pointer(void) {
  return (uint64_t*)(void*)((char*)__builtin_thread_pointer() + parcast_clock.sequence_slot);
}

/* Sets the flag. */
static inline void parcast_clock_arm(void) {
  if (parcast_clock.sequences)
    __atomic_store_n(parcast_sequence_pointer(), (uint64_t)(uintptr_t)parcast_sequence, __ATOMIC_RELAXED);
}

/* Returns whether this thread may have lost the processor in the last `interval` ticks, since the flag was
 * set. */
static inline bool parcast_clock_lost(uint64_t interval) {
  if (__builtin_expect(parcast_clock.sequences, 1))
    return __atomic_load_n(parcast_sequence_pointer(), __ATOMIC_RELAXED) !=
           (uint64_t)(uintptr_t)parcast_sequence;
  return interval > parcast_clock.long_interval;
}

#endif
