/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_STACK_H
#define PARCAST_RECORD_STACK_H
/* Where a call was made, by the functions on the stack: the region main/solve/exchange, without a word from the program.
 *
 * The recorder walks from its wrapper's frame outward, by what the compiler wrote for exceptions (unwind.h), and reads
 * nothing but words of the thread's own stack. What a walk read decides where it led: return addresses, and the frame
 * pointers that it used. So they are kept with the region, and the same place of the stack with the same words in it needs
 * no second walk: some nanoseconds instead of a microsecond. Stacks that change all the time are walked only as long as
 * that takes about a fiftieth of the thread's time.
 *
 * No path is found on the stacks of coroutines and signal handlers, of which it is not known how far they may be read, nor
 * through code without unwinding tables. */

#include "record/mpi/frames.h"

enum { PARCAST_LONGEST_PATH = 64 }; /* functions; of deeper ones the outermost are cut off, and "..." stands for them */

/* Asked for by PARCAST_STACK; set before the first event. */
extern bool parcast_stack_on;

struct parcast_thread;

/* The region of a call that returns to `site`, from a wrapper whose frame begins with the caller's frame pointer and the
 * return address. The thread's own region, and *known is false, when the path was not found or not looked for. */
uint32_t parcast_stack_region(struct parcast_thread* thread, const void* site, uintptr_t frame, bool* known);
/* The thread's state is another thread's from now on. */
void parcast_stack_forget(struct parcast_thread* thread);

#endif
