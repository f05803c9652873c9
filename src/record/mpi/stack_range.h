/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_STACK_RANGE_H
#define PARCAST_RECORD_STACK_RANGE_H
/* The address range of the calling thread's stack. Memory in it above a function's frame may be read. */

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct parcast_stack_range {
  uintptr_t low, high; /* 0: not known yet */
};

/* Returns whether the frame of a running function lies in the range. Other frames belong to coroutines or
 * signal handlers. */
bool parcast_stack_range_holds(struct parcast_stack_range* range, uintptr_t frame);

#ifdef __cplusplus
}
#endif

#endif
