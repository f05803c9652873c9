/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/clock.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

struct parcast_clock_state parcast_clock;

/* The kernel's struct rseq and struct rseq_cs; their layout is fixed. */
enum { kSequenceField = 8 };
struct sequence {
  uint32_t version, flags;
  uint64_t start, length, abort;
};
/* The kernel requires, just before the abort address, the signature that the C library registered. */
#define SIGNATURE 0x53053053u
static const uint32_t landing[2] = {SIGNATURE, 0};
static struct sequence empty_sequence __attribute__((aligned(32)));
const void* const parcast_sequence = &empty_sequence;

/* Returns whether the kernel uses the counter. When the processors' counters disagree it uses a different
 * clock source. */
static bool kernel_trusts_counter(void) {
  const int file =
      open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  char name[64] = "";
  const ssize_t length = read(file, name, sizeof name - 1);
  close(file);
  return length <= 0 || strstr(name, "tsc") || strstr(name, "kvm-clock");
}

static bool counter_is_invariant(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  if (!__get_cpuid(0x80000007u, &a, &b, &c, &d) || !(d & (1u << 8))) return false;
  return kernel_trusts_counter();
#else
  return false;
#endif
}

/* Returns whether the flag is cleared when the thread gives up the processor in a system call. This is
 * tested, not derived from the kernel's version. A sleep may end before it began, so not every sleep need
 * clear the flag. */
static bool sequences_tell_sleep(void) {
  int told = 0;
  for (int i = 0; i < 5 && told < 2; ++i) {
    parcast_clock_arm();
    const struct timespec shortly = {0, 100000};
    nanosleep(&shortly, NULL);
    told += parcast_clock_lost(0);
  }
  return told >= 2;
}

/* The place at which the C library keeps the thread's sequence. Available only since version 2.35. */
#if defined(PARCAST_LINKED)
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));
static const ptrdiff_t* sequence_offset(void) {
  return &__rseq_offset;
}
static const unsigned* sequence_size(void) {
  return &__rseq_size;
}
#else
static const ptrdiff_t* sequence_offset(void) {
  return dlsym(RTLD_DEFAULT, "__rseq_offset");
}
static const unsigned* sequence_size(void) {
  return dlsym(RTLD_DEFAULT, "__rseq_size");
}
#endif

static bool sequences_work(void) {
#if defined(__x86_64__)
  const ptrdiff_t* offset = sequence_offset();
  const unsigned* size = sequence_size();
  if (!offset || !size || *size == 0) return false;
  empty_sequence.abort = (uint64_t)(uintptr_t)&landing[1];
  parcast_clock.sequence_slot = *offset + kSequenceField;
  parcast_clock.sequences = true;
  return sequences_tell_sleep();
#else
  (void)landing;
  return false;
#endif
}

void parcast_clock_choose(void) {
  parcast_clock.counter = counter_is_invariant();
  parcast_clock.sequences = sequences_work();
  parcast_clock.nanoseconds_per_tick = 1;
}

enum parcast_clock parcast_clock_kind(void) {
  if (parcast_clock.counter) return parcast_clock.sequences ? PARCAST_CLOCK_TSC_RSEQ : PARCAST_CLOCK_TSC_LONG;
  return parcast_clock.sequences ? PARCAST_CLOCK_MONOTONIC_RSEQ : PARCAST_CLOCK_MONOTONIC_LONG;
}

void parcast_clock_both(uint64_t* ticks, uint64_t* nanoseconds) {
  uint64_t best = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    const uint64_t before = parcast_ticks(), now = parcast_nanoseconds(CLOCK_MONOTONIC),
                   after = parcast_ticks();
    if (after - before >= best) continue;
    best = after - before;
    *ticks = before + (after - before) / 2;
    *nanoseconds = now;
  }
}
