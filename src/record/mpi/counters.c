/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/counters.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static const uint64_t kinds[PARCAST_COUNTERS] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                                 PERF_COUNT_HW_CACHE_MISSES};
enum { kPage = 4096 };

/* Reads an event's page at one moment: the kernel increments `lock` before and after it changes the other
 * fields. */
static bool read_page(const volatile struct perf_event_mmap_page* page, uint64_t* value) {
  uint32_t seen;
  bool known;
  do {
    seen = page->lock;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const uint32_t index = page->index;
    known = page->cap_user_rdpmc && index != 0;
    *value = (uint64_t)page->offset;
#if defined(__x86_64__)
    if (known) {
      const uint32_t unused = 64u - page->pmc_width;
      *value += (uint64_t)((int64_t)((uint64_t)__rdpmc((int)(index - 1)) << unused) >> unused);
    }
#else
    known = false;
#endif
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  } while (page->lock != seen);
  return known;
}

static void* open_one(uint64_t kind, int* group) {
  struct perf_event_attr wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.size = sizeof wanted;
  wanted.config = kind;
  wanted.exclude_kernel = wanted.exclude_hv = 1;
  const int descriptor = (int)syscall(SYS_perf_event_open, &wanted, 0, -1, *group, PERF_FLAG_FD_CLOEXEC);
  if (descriptor < 0) return NULL;
  void* page = mmap(NULL, kPage, PROT_READ, MAP_SHARED, descriptor, 0);
  if (*group < 0 && page != MAP_FAILED)
    *group = descriptor; /* closed when all events have joined the group */
  else
    close(descriptor);
  return page == MAP_FAILED ? NULL : page;
}

unsigned parcast_counters_open(struct parcast_counters* counters) {
  int group = -1;
  unsigned running = 0;
  for (int i = 0; i < PARCAST_COUNTERS; ++i) {
    uint64_t value;
    counters->pages[i] = open_one(kinds[i], &group);
    if (counters->pages[i] && read_page(counters->pages[i], &value)) running |= 1u << i;
  }
  if (group >= 0) close(group);
  return running;
}

bool parcast_counters_read(const struct parcast_counters* counters, unsigned which,
                           uint64_t values[PARCAST_COUNTERS]) {
  for (int i = 0; i < PARCAST_COUNTERS; ++i)
    if ((which & 1u << i) && (!counters->pages[i] || !read_page(counters->pages[i], &values[i])))
      return false;
  return true;
}

void parcast_counters_close(struct parcast_counters* counters) {
  for (int i = 0; i < PARCAST_COUNTERS; ++i)
    if (counters->pages[i]) munmap(counters->pages[i], kPage);
  memset(counters, 0, sizeof *counters);
}
