/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_COUNTING_H
#define PARCAST_RECORD_COUNTING_H
/* Programs compiled with the pass count into rank-N.counts (recording/counts_format.h). The thread that began the recording
 * counts in a set for each kind of event: what it executes behind an event of a call, site and region, up to the next event.
 * Every other thread has a set of its own while it runs. A thread that the recorder did not see begin counts in set 0, which is
 * mapped over the counters themselves. The price is a look-up and a store per event.
 *
 * Only what is loaded when the program starts is taken in: libraries that come later may go again, and their memory with them. */

#include <stdbool.h>
#include <stdint.h>

struct parcast_thread;

/* The thread that counts by events; null: nothing here counts. */
extern struct parcast_thread* parcast_counting;

/* Once, when the rank's file is open: what there is to count goes to a file beside it in `folder`. */
void parcast_counting_start(struct parcast_thread* thread, const char* folder);
/* An event of parcast_counting has just been written. */
void parcast_counting_turn(uint32_t region, uint32_t call, uint32_t site);
/* Between the two, events are trials: no set is made for them. */
void parcast_counting_try(void);
void parcast_counting_tried(void);
/* The recording ends; the program goes on counting. */
void parcast_counting_end(void);

#endif
