/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_COUNTING_H
#define PARCAST_RECORD_COUNTING_H
/* Programs compiled with the pass count into rank-N.counts (recording/counts_format.h). The thread that
 * began the recording has one set for each kind of event: it counts what the thread executes after an
 * event of a call, site and region, up to the next event. Every other thread has its own set while it
 * runs. A thread whose begin the recorder did not see counts in set 0, which is mapped over the counters
 * themselves. The cost is one look-up and one store per event.
 *
 * Only modules loaded at the program's start are included: libraries loaded later may be unloaded again,
 * with their memory. */

#include <stdbool.h>
#include <stdint.h>

struct parcast_thread;

/* The thread that counts by events; null when this process does not count, or that thread has ended. */
extern struct parcast_thread* parcast_counting;

/* Called once, when the rank's file is open. Creates the file of counts in `folder`. */
void parcast_counting_start(struct parcast_thread* thread, const char* folder);
/* Called after parcast_counting's thread wrote an event. */
void parcast_counting_turn(uint32_t region, uint32_t call, uint32_t site);
/* Events between these two calls are trials: no set is created for them. */
void parcast_counting_try(void);
void parcast_counting_tried(void);
/* Called by the thread that counts by events when it ends. */
void parcast_counting_leave(void);
/* Ends the recording; the program continues to count. */
void parcast_counting_end(void);

#endif
