/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_STACK_H
#define PARCAST_RECORD_STACK_H
/* Finds where a call was made from the functions on the stack: the region main/solve/exchange, without
 * marks in the program.
 *
 * The recorder walks from its wrapper's frame outward, using the compiler's unwinding tables (unwind.h),
 * and reads only words of the thread's own stack. The words that it reads determine the path: return
 * addresses, and the frame pointers used. So they are stored with the region. The same stack position with
 * the same words needs no second walk, which takes some nanoseconds instead of a microsecond. When stacks
 * change all the time, walks are limited to about a fiftieth of the thread's time.
 *
 * No path is found on the stacks of coroutines and signal handlers, whose readable range is unknown, or
 * through code without unwinding tables. */

#include "record/mpi/frames.h"

/* functions; of a longer path the outermost ones are replaced by "..." */
enum { PARCAST_LONGEST_PATH = 64 };

/* Requested by PARCAST_STACK; set before the first event. */
extern bool parcast_stack_on;

struct parcast_thread;

/* Returns the region of a call that returns to `site`, made from a wrapper whose frame begins with the
 * caller's frame pointer and the return address. When the path was not found or not searched, returns the
 * thread's own region and sets *known to false. */
uint32_t parcast_stack_region(struct parcast_thread* thread, const void* site, uintptr_t frame, bool* known);
/* Clears the thread's state for use by another thread. */
void parcast_stack_forget(struct parcast_thread* thread);

#endif
