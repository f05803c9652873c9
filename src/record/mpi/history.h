/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_HISTORY_H
#define PARCAST_RECORD_HISTORY_H
/* A rank's own history of a class of computing segments: whether they are long, and whether neighbours
 * slow them. Segments belong to one class when the call before them was made at the same place in the same
 * region. Where they end is unknown when they begin.
 *
 * The schedule depends only on the number of executions, so that ranks that run the same program have the
 * same trials at the same time:
 *
 *   brief  --two long ones-->  trial
 *   trial: 3 held, 3 free, 3 held, 3 free, the first of each three not counted  -->  tried
 *   tried: takes tokens if the free ones' median is 3 % above that of the held ones; the mean of this ratio
 *            over all trials in all processes of the host counts, less its standard error
 *   tried  --after 64, 128, ... 4,096 executions-->  trial
 *   any  --three of the last four brief-->  brief
 *   any  --three of the last eight held ones in vain-->  unfit; after 64, 128, ... executions a trial again
 *
 * Held: the rank had the token. In vain: it lost the token by force, or its thread slept. */

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
/* Results of a class's trials in all processes, in shared memory; every field changes atomically. */
struct parcast_opinion {
  uint64_t key;     /* 0: free */
  uint64_t sum;     /* sum of free / held, in millionths */
  uint64_t squares; /* sum of squares of free / held, in millionths */
  uint64_t trials;
};

struct parcast_recent {
  float values[PARCAST_RECENT]; /* nanoseconds */
  uint32_t count;               /* total number; the last PARCAST_RECENT are kept */
};

struct parcast_class {
  const void* site;
  uint32_t region;
  bool used;
  uint8_t state;
  /* the last eight executions, one bit each; `was_vain` of held ones */
  uint8_t was_long, was_vain;
  uint8_t step, attempts; /* of the trial */
  uint32_t left;          /* executions until the next trial */
  uint32_t period;        /* executions between the last two trials */
  /* shared by all processes; `own` when the shared table is full */
  struct parcast_opinion* opinion;
  struct parcast_opinion own;
  struct parcast_recent held, free, held_wall;
};

struct parcast_history {
  struct parcast_opinion* opinions; /* table of PARCAST_CLASSES opinions */
  struct parcast_class classes[PARCAST_CLASSES];
};

/* The request of a class for its next execution. */
enum parcast_wish { PARCAST_WISH_NOTHING, PARCAST_WISH_TOKEN, PARCAST_WISH_FREE };

/* The result of an execution; times in nanoseconds. */
struct parcast_execution {
  double processor, wall;
  bool held;
  /* held in vain: lost the token by force, or the thread slept meanwhile */
  bool vain;
  bool disturbed; /* held, but may have had neighbours */
};

/* Returns the class; null when the table has no room near its place. Sets *fresh when the class is new. */
struct parcast_class* parcast_class_of(struct parcast_history* history, const void* site, uint32_t region,
                                       bool* fresh);
enum parcast_wish parcast_class_wish(const struct parcast_class* of);
void parcast_class_ran(struct parcast_class* of, const struct parcast_execution* execution);
/* Returns the mean ratio of a free execution to a held one; 1 when there is no trial yet. */
double parcast_class_slowdown(const struct parcast_class* of);
/* Returns whether that ratio exceeds 1.03 by more than its standard error. */
bool parcast_class_slowed(const struct parcast_class* of);
/* Returns whether an execution without the token may have been slowed by neighbours. */
bool parcast_class_suspect(const struct parcast_class* of, double processor);
/* Returns the median length in nanoseconds; 0 when there was no execution. */
double parcast_class_length(const struct parcast_class* of);
double parcast_median(const struct parcast_recent* recent);

#ifdef __cplusplus
}
#endif

#endif
