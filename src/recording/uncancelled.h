/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_UNCANCELLED_H
#define PARCAST_RECORDING_UNCANCELLED_H
/* A program may cancel its threads. Deferred cancellation acts inside certain calls of the C library:
 * open, read, write, close, posix_fallocate, nanosleep and others. A thread that ended in one of these
 * would leave the recorder's locks held. It would also end at a point where it never ends without the
 * recorder. So each recorder function that reaches such a call disables cancellation until it returns.
 * Functions that only take a lock and write memory need not: cancellation never acts there. The program's
 * own MPI function runs with the cancellation state that the program chose.
 *
 * With asynchronous cancellation the C library may act anywhere; calls to MPI are forbidden in that mode. */

#include <pthread.h>

static inline int parcast_hold_cancellation(void) {
  int before = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}

static inline void parcast_restore_cancellation(const int* before) {
  int held;
  pthread_setcancelstate(*before, &held);
}

/* Declares that cancellation is disabled from here to the end of the block. */
#define PARCAST_UNCANCELLED                                                                      \
  const int cancellation_before __attribute__((cleanup(parcast_restore_cancellation), unused)) = \
      parcast_hold_cancellation()

#endif
