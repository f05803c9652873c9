/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_STACK_RANGE_H
#define PARCAST_RECORD_STACK_RANGE_H
/* The part of the memory that is the stack of the thread that asks: what lies in it above a function's frame may be read. */

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct parcast_stack_range {
  uintptr_t low, high; /* 0: not known yet */
};

/* Whether the frame of a function that runs now lies in it. Frames elsewhere are those of coroutines or signal handlers. */
bool parcast_stack_range_holds(struct parcast_stack_range* range, uintptr_t frame);

#ifdef __cplusplus
}
#endif

#endif
