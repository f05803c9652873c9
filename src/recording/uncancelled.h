/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_UNCANCELLED_H
#define PARCAST_RECORDING_UNCANCELLED_H
/* A host may cancel its threads. Deferred cancellation acts inside certain calls of the C library: open, read, write, close,
 * posix_fallocate, nanosleep and others. A thread that ended in one of these would leave the recorder's locks taken, and it
 * would end where the host alone never ends it. So each function of the recorder that reaches such a call puts cancellation
 * off until it returns. Functions that only take a lock and write memory need nothing: cancellation never acts there. The
 * host's own MPI function runs with the state that the host chose.
 *
 * The C library acts on asynchronous cancellation anywhere, and so it forbids calls to MPI in that mode. */

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

/* A declaration: cancellation is off from here to the end of the block. */
#define PARCAST_UNCANCELLED \
  const int cancellation_before __attribute__((cleanup(parcast_restore_cancellation), unused)) = parcast_hold_cancellation()

#endif
