/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/history.h"

#include <dlfcn.h>
#include <stddef.h>

/* Nanoseconds. Shorter segments lose more time to cold caches after a change of the token's holder than to
 * neighbours; longer ones would make the others wait too long. */
static const double kBrief = 300e3, kTooLong = 60e6;
/* Ratios of free to held: kSlowed is the ratio from which on a token is worth the wait; kLeastRatio and
 * kMostRatio limit the result of one trial. */
static const double kSlowed = 1.03, kLeastRatio = 0.5, kMostRatio = 4;
enum { kBlock = 3, kTrial = 4 * kBlock, kMostAttempts = 4, kLeastSamples = 2, kMostVain = 3 };
enum { kFirstPeriod = 64, kLastPeriod = 4096, kProbes = 16 }; /* executions; places examined in a table */

/* Returns a key that is equal in all processes of a program, wherever its modules were loaded; never 0. */
static uint64_t key_of(const void* site, uint32_t region) {
  Dl_info info;
  const uintptr_t base = site && dladdr(site, &info) ? (uintptr_t)info.dli_fbase : 0;
  return (((uintptr_t)site - base) * 0x9e3779b97f4a7c15ull + region) | 1;
}

static struct parcast_opinion* opinion_on(struct parcast_opinion* opinions, uint64_t key) {
  for (uint64_t i = 0; i < kProbes; ++i) {
    struct parcast_opinion* opinion = &opinions[((key >> 32) + i) % PARCAST_CLASSES];
    uint64_t there = 0;
    if (__atomic_compare_exchange_n(&opinion->key, &there, key, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
        there == key)
      return opinion;
  }
  return NULL;
}

struct parcast_class* parcast_class_of(struct parcast_history* history, const void* site, uint32_t region,
                                       bool* fresh) {
  *fresh = false;
  uint32_t at =
      (uint32_t)((((uintptr_t)site + region * 0x51ed27u) * 0x9e3779b97f4a7c15ull) >> 56) % PARCAST_CLASSES;
  for (int i = 0; i < kProbes; ++i, at = (at + 1) % PARCAST_CLASSES) {
    struct parcast_class* class = &history->classes[at];
    if (class->used && class->site == site && class->region == region) return class;
    if (class->used) continue;
    class->opinion = opinion_on(history->opinions, key_of(site, region));
    if (!class->opinion) class->opinion = &class->own;
    class->used = *fresh = true;
    class->site = site;
    class->region = region;
    return class;
  }
  return NULL;
}

static void add(struct parcast_recent* recent, double value) {
  recent->values[recent->count++ % PARCAST_RECENT] = (float)value;
}

double parcast_median(const struct parcast_recent* recent) {
  const uint32_t count = recent->count < PARCAST_RECENT ? recent->count : PARCAST_RECENT;
  float sorted[PARCAST_RECENT];
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t at = i;
    for (; at > 0 && sorted[at - 1] > recent->values[i]; --at) sorted[at] = sorted[at - 1];
    sorted[at] = recent->values[i];
  }
  return count == 0 ? 0 : count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double parcast_class_length(const struct parcast_class* of) {
  return parcast_median(of->held.count ? &of->held : &of->free);
}

double parcast_class_slowdown(const struct parcast_class* of) {
  const uint64_t trials = __atomic_load_n(&of->opinion->trials, __ATOMIC_ACQUIRE);
  return trials > 0 ? 1e-6 * (double)__atomic_load_n(&of->opinion->sum, __ATOMIC_RELAXED) / (double)trials
                    : 1;
}

bool parcast_class_slowed(const struct parcast_class* of) {
  const double trials = (double)__atomic_load_n(&of->opinion->trials, __ATOMIC_ACQUIRE);
  const double mean = parcast_class_slowdown(of), excess = mean - kSlowed;
  if (excess <= 0 || trials < 2) return excess > 0;
  const double squares = 1e-6 * (double)__atomic_load_n(&of->opinion->squares, __ATOMIC_RELAXED) / trials;
  return excess * excess > (squares - mean * mean) / (trials - 1);
}

enum parcast_wish parcast_class_wish(const struct parcast_class* of) {
  switch (of->state) {
    case PARCAST_CLASS_TRIAL:
      return of->step / kBlock % 2 == 0 ? PARCAST_WISH_TOKEN : PARCAST_WISH_FREE;
    case PARCAST_CLASS_TRIED:
      return parcast_class_slowed(of) ? PARCAST_WISH_TOKEN : PARCAST_WISH_NOTHING;
    default:
      return PARCAST_WISH_NOTHING;
  }
}

bool parcast_class_suspect(const struct parcast_class* of, double processor) {
  if (of->state == PARCAST_CLASS_BRIEF) return processor >= kBrief && processor < kTooLong;
  return of->state == PARCAST_CLASS_TRIAL || parcast_class_slowed(of);
}

static int ones(uint8_t bits) {
  return __builtin_popcount(bits);
}

static void begin_trial(struct parcast_class* of) {
  of->state = PARCAST_CLASS_TRIAL;
  of->step = 0;
  of->held.count = of->free.count = 0;
}

static void rest(struct parcast_class* of, enum parcast_class_state state) {
  of->state = (uint8_t)state;
  of->attempts = 0;
  of->period = of->period == 0 ? kFirstPeriod : of->period < kLastPeriod ? 2 * of->period : kLastPeriod;
  of->left = of->period;
}

static void judge(struct parcast_class* of) {
  if (of->held.count < kLeastSamples || of->free.count < kLeastSamples) {
    if (++of->attempts < kMostAttempts)
      begin_trial(of);
    else
      rest(of, PARCAST_CLASS_TRIED);
    return;
  }
  const double ratio = parcast_median(&of->free) / parcast_median(&of->held);
  const double kept = ratio < kLeastRatio ? kLeastRatio : ratio > kMostRatio ? kMostRatio : ratio;
  __atomic_add_fetch(&of->opinion->sum, (uint64_t)(1e6 * kept), __ATOMIC_RELAXED);
  __atomic_add_fetch(&of->opinion->squares, (uint64_t)(1e6 * kept * kept), __ATOMIC_RELAXED);
  __atomic_add_fetch(&of->opinion->trials, 1, __ATOMIC_RELEASE);
  rest(of, PARCAST_CLASS_TRIED);
}

static void keep(struct parcast_class* of, const struct parcast_execution* execution, bool counted) {
  if (execution->held) add(&of->held_wall, execution->wall);
  if (!counted || execution->disturbed) return;
  add(execution->held ? &of->held : &of->free, execution->processor);
}

static void change_state(struct parcast_class* of) {
  if (of->state != PARCAST_CLASS_UNFIT && ones(of->was_vain) >= kMostVain) {
    of->was_vain = 0;
    rest(of, PARCAST_CLASS_UNFIT);
  } else if (of->state == PARCAST_CLASS_BRIEF) {
    if ((of->was_long & 3) == 3) begin_trial(of);
  } else if (of->state != PARCAST_CLASS_UNFIT && ones(of->was_long & 15) <= 1) {
    of->state = PARCAST_CLASS_BRIEF;
  } else if (of->state == PARCAST_CLASS_TRIAL) {
    if (++of->step == kTrial) judge(of);
  } else if (--of->left == 0) {
    begin_trial(of);
  }
}

void parcast_class_ran(struct parcast_class* of, const struct parcast_execution* execution) {
  const double length = execution->processor;
  of->was_long = (uint8_t)(of->was_long << 1 | (length >= kBrief && length < kTooLong));
  if (execution->held) of->was_vain = (uint8_t)(of->was_vain << 1 | execution->vain);
  if (of->state != PARCAST_CLASS_BRIEF)
    keep(of, execution, of->state != PARCAST_CLASS_TRIAL || of->step % kBlock != 0);
  change_state(of);
}
