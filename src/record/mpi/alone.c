/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <time.h>

#include "calls.h"
#include "record/mpi/next.h"
#include "record/mpi/start.h"
#include "recording/uncancelled.h"

/* A program without MPI that names regions or phases: a recording of one process, from its first such call
 * to its exit. The recorder checks for MPI at that call, since it cannot know whether a process will call
 * MPI_Init later. A program that loads MPI only later is recorded as one without. */

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

/* The scale of ticks comes from two readings of both clocks; normally MPI_Init is between them. Readings at a
 * distance of 1 ms give it to 1e-4 or better. */
static void let_time_pass(void) {
  const struct timespec while_ = {0, 1000000};
  nanosleep(&while_, NULL);
}

void parcast_start_alone(void) {
  if (parcast_stage() != PARCAST_STAGE_EARLY || parcast_has_mpi()) return;
  PARCAST_UNCANCELLED;
  pthread_mutex_lock(&starting);
  if (parcast_stage() == PARCAST_STAGE_EARLY) {
    parcast_prepare();
    let_time_pass();
    parcast_recorder.alone = true;
    parcast_begin(PARCAST_CALL_parcast_region_begin, NULL);
  }
  pthread_mutex_unlock(&starting);
}

/* Called at exit or at the return of main; has no effect in a forked child, whose gate is closed. */
static __attribute__((destructor)) void end_alone(void) {
  if (!parcast_recorder.alone || !*parcast_gate) return;
  struct parcast_thread* thread = parcast_current;
  if (thread) parcast_usage_end(thread);
  parcast_set_live(&parcast_recorder.writer, PARCAST_LIVE_FINALISED, parcast_ticks());
  parcast_end(thread);
}
