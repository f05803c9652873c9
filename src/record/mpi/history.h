/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_HISTORY_H
#define PARCAST_RECORD_HISTORY_H
/* What a rank's own past says of a class of computing segments: are they long, and do neighbours slow them? Segments are
 * of one class when the call before them was made at the same place in the same region: where they end is not known when
 * they begin.
 *
 * The schedule counts executions and nothing else, so that ranks which run the same program try the same at the same time:
 *
 *   brief  --two long ones-->  trial: 3 held, 3 free, 3 held, 3 free, the first of each three not counted-->  tried
 *   tried: takes tokens if the free ones' median is 3 % above that of the held ones; the mean of this ratio
 *            over all trials in all processes of the host counts, less its standard error
 *   tried  --after 64, 128, ... 4,096 executions-->  trial
 *   any  --three of the last four brief-->  brief
 *   any  --three of the last eight held ones robbed, or slept-->  unfit; after 64, 128, ... executions a trial again */

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum parcast_class_state {
  PARCAST_CLASS_BRIEF,
  PARCAST_CLASS_TRIAL,
  PARCAST_CLASS_TRIED,
  PARCAST_CLASS_UNFIT
};

enum { PARCAST_RECENT = 7, PARCAST_CLASSES = 256 };
/* What the trials of a class said, in all processes: in shared memory, each field of its own. */
struct parcast_opinion {
  uint64_t key; /* 0: free */
  uint64_t sum;     /* of free / held, millionths */
  uint64_t squares; /* ... and of its square */
  uint64_t trials;
};

struct parcast_recent {
  float values[PARCAST_RECENT]; /* nanoseconds */
  uint32_t count;               /* ever; the last PARCAST_RECENT are kept */
};

struct parcast_class {
  const void* site;
  uint32_t region;
  bool used;
  uint8_t state;
  uint8_t was_long, was_vain;   /* of the last eight executions, a bit each; was_vain of those held */
  uint8_t step, attempts;       /* of the trial */
  uint32_t left;                /* executions until the next trial */
  uint32_t period;              /* ... and how many it was last time */
  struct parcast_opinion* opinion; /* of all processes; its own where their table has no room */
  struct parcast_opinion own;
  struct parcast_recent held, free, held_wall;
};

struct parcast_history {
  struct parcast_opinion* opinions; /* PARCAST_CLASSES of them */
  struct parcast_class classes[PARCAST_CLASSES];
};

/* What a class wants for its next execution. */
enum parcast_wish { PARCAST_WISH_NOTHING, PARCAST_WISH_TOKEN, PARCAST_WISH_FREE };

/* What came of an execution; times in nanoseconds. */
struct parcast_execution {
  double processor, wall;
  bool held;
  bool vain;      /* held to no good: robbed, or the thread slept meanwhile */
  bool disturbed; /* held, but perhaps not alone */
};

/* Null when the table has no room near its place; *fresh when it was not seen before. */
struct parcast_class* parcast_class_of(struct parcast_history* history, const void* site, uint32_t region, bool* fresh);
enum parcast_wish parcast_class_wish(const struct parcast_class* of);
void parcast_class_ran(struct parcast_class* of, const struct parcast_execution* execution);
/* A free execution against a held one; 1 as long as nobody knows. */
double parcast_class_slowdown(const struct parcast_class* of);
/* Is that above 1.03, by more than its standard error? */
bool parcast_class_slowed(const struct parcast_class* of);
/* Is the time of an execution without the token perhaps not that of a rank alone? */
bool parcast_class_suspect(const struct parcast_class* of, double processor);
/* Nanoseconds; 0 when none was seen. */
double parcast_class_length(const struct parcast_class* of);
double parcast_median(const struct parcast_recent* recent);

#ifdef __cplusplus
}
#endif

#endif
